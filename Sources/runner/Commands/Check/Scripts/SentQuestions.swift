/// An action that a feature sends. Each script that composes the feature can answer whether a
/// reducer handles the action.
struct SentQuestion: Sendable {
  let path: String
  /// The origins of the features that may send it, as `todos.lua:18`.
  let origins: [String]
}

/// The questions about all sent actions. Every script is asked; it answers those about features
/// that it composes.
final class SentQuestions: Sendable {
  private let all: [SentQuestion]
  private let numbers: [String: [Int]]

  init(_ questions: [SentQuestion]) {
    all = questions
    var numbers: [String: [Int]] = [:]
    for (number, question) in questions.enumerated() {
      for origin in question.origins { numbers[origin, default: []].append(number) }
    }
    self.numbers = numbers
  }

  /// Returns the questions about features with one of these origins, by their numbers.
  subscript(origins: some Sequence<String>) -> [Int: SentQuestion] {
    var found: [Int: SentQuestion] = [:]
    for origin in origins { for number in numbers[origin] ?? [] { found[number] = all[number] } }
    return found
  }
}

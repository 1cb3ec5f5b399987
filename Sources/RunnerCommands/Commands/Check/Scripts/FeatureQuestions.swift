/// A question about features, as whether a reducer handles an action that one of them sends. Each script
/// that composes one of the features can answer.
struct FeatureQuestion<Subject: Sendable>: Sendable {
  let subject: Subject
  /// The origins of the features, as `todos.lua:18`.
  let origins: [String]

  init(_ subject: Subject, _ features: FeatureSet, of script: ScriptFile) {
    self.subject = subject
    let lines = features.flatMap { script.analysis?.features[$0].lines ?? [] }
    origins = lines.map { "\(script.file.name):\($0)" }
  }
}

/// All questions of one kind. Every script is asked; it answers those about features that it composes.
final class FeatureQuestions<Subject: Sendable>: Sendable {
  private let all: [FeatureQuestion<Subject>]
  private let numbers: [String: [Int]]

  init(_ questions: [FeatureQuestion<Subject>]) {
    all = questions
    var numbers: [String: [Int]] = [:]
    for (number, question) in questions.enumerated() {
      for origin in question.origins { numbers[origin, default: []].append(number) }
    }
    self.numbers = numbers
  }

  /// Returns the questions about features with one of these origins, by their numbers.
  subscript(origins: some Sequence<String>) -> [Int: FeatureQuestion<Subject>] {
    var found: [Int: FeatureQuestion<Subject>] = [:]
    for origin in origins { for number in numbers[origin] ?? [] { found[number] = all[number] } }
    return found
  }
}

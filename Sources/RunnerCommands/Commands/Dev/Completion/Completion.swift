/// The possible completions of a text.
struct Completion {
  /// The part of the text before the completed part.
  var prefix: String
  /// Replacements for the part after `prefix`.
  var candidates: [String] = []

  static let none = Completion(prefix: "")

  func text(choosing index: Int) -> String { prefix + candidates[index] }

  /// The prefix followed by the longest common beginning of all candidates.
  var commonText: String {
    guard var common = candidates.first else { return prefix }
    for candidate in candidates {
      common = String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
    }
    return prefix + common
  }
}

extension Completion {
  /// Selects candidates by the first rule that any candidate meets: it begins with `typed`; it
  /// begins with `typed` in any case; it contains `typed` in any case.
  init(prefix: String, candidates: [String], matching typed: String) {
    let folded = typed.lowercased()
    let tests: [(String) -> Bool] = [
      { $0.hasPrefix(typed) }, { $0.lowercased().hasPrefix(folded) },
      { $0.lowercased().contains(folded) },
    ]
    let found = tests.lazy.map { candidates.filter($0) }.first { !$0.isEmpty } ?? []
    self.init(prefix: prefix, candidates: found)
  }
}

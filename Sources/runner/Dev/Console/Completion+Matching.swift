extension Completion {
  /// Of all candidates those that begin with what is typed, or else have it somewhere.
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

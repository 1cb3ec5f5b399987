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

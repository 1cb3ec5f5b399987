/// Finds keys that stand twice in one table literal. Lua says nothing and takes the last one.
struct DuplicateKeyFindings {
  private(set) var findings: [Finding] = []

  init?(_ script: ScriptFile) {
    guard let analysis = script.analysis else { return nil }
    for table in analysis.chunk.tables {
      var lines: [String: Int] = [:]
      for (key, _) in table.tableFields ?? [] {
        guard let key, let name = key.string else { continue }
        if let first = lines.updateValue(key.position.line, forKey: name) {
          findings.append(
            script.finding(
              .duplicateKey, at: key.position,
              "the key '\(name)' stands in this table already, at line \(first), and the last one wins",
              "leave one of them out"))
        }
      }
    }
  }
}

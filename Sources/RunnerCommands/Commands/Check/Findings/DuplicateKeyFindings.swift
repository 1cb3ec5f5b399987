/// Finds keys that stand twice in one table literal. Lua says nothing and takes the last one.
struct DuplicateKeyFindings {
  private(set) var findings: [Finding] = []

  init?(_ script: ScriptFile) {
    guard let analysis = script.analysis else { return nil }
    for table in analysis.chunk.tables {
      var lines: [String: Int] = [:]
      for (key, _) in table.tableFields ?? [] {
        guard let key, let name = Self.name(of: key, in: script) else { continue }
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

  /// A key for people, `title` or `[1]`; nil for a key that is computed. A number is known by its
  /// text, so that `[1]` and `[0x1]` are two keys here.
  private static func name(of key: LuaExpression, in script: ScriptFile) -> String? {
    if let name = key.string { return name }
    guard case .constant = key.kind else { return nil }
    let text = script.source[key.position.offset...].prefix { $0 != UInt8(ascii: "]") }
    return "[\(String(decoding: text, as: UTF8.self).trimmed)]"
  }
}

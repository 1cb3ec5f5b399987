import LuaBridge

/// The lines of a script around the one that a failure names.
struct SourceExcerpt {
  let root: String
  let style: TextStyle

  /// ```
  ///     11 │ local before = count
  ///   → 12 │ assert.are.equal(3, count)
  /// ```
  /// Nil if the script cannot be read or has no such line.
  func text(of script: String, line: Int) -> String? {
    // An error's message may begin with any number as its line.
    guard let source = read(script), 1...source.count + 1 ~= line else { return nil }
    let lines = source.split(
      separator: UInt8(ascii: "\n"), maxSplits: line + 1, omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return nil }
    let shown = max(0, line - 3)..<min(lines.count, line + 1)
    let width = "\(shown.upperBound)".count
    return shown.filter { $0 == line - 1 || $0 < line - 1 || !lines[$0].isEmpty }.map { index in
      let number = "\(index + 1)"
      let text = String(decoding: lines[index].prefix(200), as: UTF8.self)
        .replacing("\t", with: "  ").replacing("\r", with: "")
      let start = String(repeating: " ", count: width - number.count) + number + " │"
      let row = text.isEmpty ? start : "\(start) \(text)"
      return index == line - 1 ? style.red("→ ") + style.bold(row) : style.dim("  " + row)
    }.joined(separator: "\n")
  }

  /// Scripts are named relative to the root where they are in there.
  private func read(_ script: String) -> [UInt8]? {
    let folder = try? ScriptRoot(root)
    for path in script.hasPrefix("/") ? [script] : ["\(root)/\(script)", script] {
      if let text = try? folder?.file(path).read() { return text }
    }
    return nil
  }
}

import ScriptedStore

extension TerminalText {
  /// The lines of a script around the line of a failure:
  ///
  /// ```
  ///     11 │ local before = count
  ///   → 12 │ assert.are.equal(3, count)
  /// ```
  init(_ excerpt: ScriptExcerpt, at line: Int, _ style: TextStyle) {
    let width = "\(excerpt.firstLine + excerpt.lines.count - 1)".count
    var rows: [TerminalText] = []
    for (index, source) in excerpt.lines.enumerated() {
      let number = excerpt.firstLine + index
      // Empty lines after the line of the failure are left out.
      if source.isEmpty && number > line { continue }
      let text = source.replacing("\t", with: "  ").replacing("\r", with: "")
      let start = padded("\(number)", to: width) + " │"
      let row = TerminalText(text.isEmpty ? start : "\(start) \(text)")
      rows.append(
        number == line ? "\(style.red("→ "))\(style.bold(row))" : style.dim("  \(row)"))
    }
    self = rows.joined(separator: "\n")
  }
}

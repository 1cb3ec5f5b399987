/// The rows below what scrolls, which are drawn again and again: the line that is edited, which has the cursor, and
/// what is under it.
///
/// None of them is as wide as the terminal, and it is told to wrap none, as it may be narrower than anybody has said
/// yet. When it gets narrower, terminals wrap what is there; the cursor's column tells how many rows the first one takes
/// then.
struct LiveRows {
  private static let wrapping: (on: TerminalText, off: TerminalText) = (
    on: "\u{1B}[?7h", off: "\u{1B}[?7l"
  )

  /// The column of the cursor, while the rows are there.
  private var column: Int?

  /// What takes them away and leaves the cursor where they began.
  mutating func erasure(columns: Int) -> TerminalText {
    guard let column else { return "" }
    self.column = nil
    let above = column / max(1, columns)
    let up: TerminalText = above > 0 ? "\u{1B}[\(above)A" : ""
    return up + "\r\u{1B}[J"
  }

  /// What draws them, from the start of an empty row on.
  mutating func drawing(_ rows: [TerminalText], cursorAt column: Int) -> TerminalText {
    self.column = column
    let below = rows.count - 1
    let up: TerminalText = below > 0 ? "\u{1B}[\(below)A" : ""
    let right: TerminalText = column > 0 ? "\u{1B}[\(column)C" : ""
    let text = rows.joined(separator: "\n")
    return "\(Self.wrapping.off)\(text)\(Self.wrapping.on)\(up)\r\(right)"
  }
}

/// The rows at the bottom of a terminal that are redrawn after each change: the edited line with
/// the cursor, and the rows below it. Text scrolls above them.
///
/// Invariants:
/// 1. Each row is narrower than the terminal was when it was drawn.
/// 2. Automatic wrapping is off while the rows are written, because the terminal may have become
///    narrower in the meantime.
/// 3. `column` is nil if and only if no rows are on the screen.
/// 4. A terminal that becomes narrower wraps the rows on the screen. The cursor's column then gives
///    the number of screen rows that the first row occupies above the cursor.
struct LiveRows {
  private static let wrapping: (on: TerminalText, off: TerminalText) = (
    on: "\u{1B}[?7h", off: "\u{1B}[?7l"
  )

  /// The column of the cursor; nil if no rows are drawn.
  private var column: Int?

  /// Escape sequences that remove the rows and leave the cursor where they began.
  mutating func erasure(columns: Int) -> TerminalText {
    guard let column else { return "" }
    self.column = nil
    let above = column / max(1, columns)
    let up: TerminalText = above > 0 ? "\u{1B}[\(above)A" : ""
    return up + "\r\u{1B}[J"
  }

  /// Text that draws the rows. The cursor must be at the start of an empty row.
  mutating func drawing(_ rows: [TerminalText], cursorAt column: Int) -> TerminalText {
    self.column = column
    let below = rows.count - 1
    let up: TerminalText = below > 0 ? "\u{1B}[\(below)A" : ""
    let right: TerminalText = column > 0 ? "\u{1B}[\(column)C" : ""
    let text = rows.joined(separator: "\n")
    return "\(Self.wrapping.off)\(text)\(Self.wrapping.on)\(up)\r\(right)"
  }
}

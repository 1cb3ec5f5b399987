/// The rows below what scrolls, which are drawn again and again: the line that is edited, which has the cursor, and
/// what is under it.
///
/// None of them is as wide as the terminal, so that it never wraps them. When it gets narrower, terminals wrap
/// what is there; the cursor's column tells how many rows the first one takes then.
struct LiveRows {
  /// The column of the cursor, while the rows are there.
  private var column: Int?

  /// What takes them away and leaves the cursor where they began.
  mutating func erasure(columns: Int) -> String {
    guard let column else { return "" }
    self.column = nil
    let above = column / max(1, columns)
    return (above > 0 ? "\u{1B}[\(above)A" : "") + "\r\u{1B}[J"
  }

  /// What draws them, from the start of an empty row on.
  mutating func drawing(_ rows: [String], cursorAt column: Int) -> String {
    self.column = column
    let below = rows.count - 1
    return rows.joined(separator: "\n") + (below > 0 ? "\u{1B}[\(below)A" : "") + "\r"
      + (column > 0 ? "\u{1B}[\(column)C" : "")
  }
}

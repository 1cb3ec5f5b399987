// FrameWriter turns the cells that a terminal should show into the bytes that change it.
//
//   shown cells ─┐
//   next cells  ─┴─▶ the changed run of each row ─▶ move, pen, characters ─▶ cursor ─▶ bytes
//
// A row's changed run goes from its first changed cell to its last.
//
// 1. `shown` is what the terminal shows after all bytes so far; nil when that is not known, as after
//    a change of size. Then everything is written.
// 2. `pen` and `cursor` are those of the terminal. `cursor` is nil when it is not known: behind the
//    last column, and behind characters whose width terminals do not agree about.
// 3. Automatic wrapping is off, so a terminal that is narrower than it was said to be loses cells at
//    the right edge and moves none.
// 4. A frame of several runs is one synchronized update (mode 2026), which terminals show at once or
//    do not know. One run is so short that it needs none.

import ScriptView

/// Writes frames to a terminal, of each only what has changed.
struct FrameWriter {
  /// Where the cursor is to be, and whether it is seen.
  struct Cursor: Hashable {
    var column: Int
    var row: Int
    var isVisible: Bool
  }

  private var shown: CellGrid?
  private var pen = Pen.usual
  private var cursor: (column: Int, row: Int)?
  private var isCursorVisible: Bool?

  private static let synchronized = (begin: "\u{1B}[?2026h", end: "\u{1B}[?2026l")

  /// Forgets what the terminal shows, so that the next frame is written whole.
  mutating func forget() { shown = nil }

  /// The bytes that make the terminal show these cells. Empty if it does.
  mutating func bytes(for next: CellGrid, _ wanted: Cursor) -> [UInt8] {
    var body = ""
    var runs = 0
    if shown?.size != next.size {
      body += Pen.usual.sequence(from: pen) + "\u{1B}[m\u{1B}[2J"
      pen = .usual
      cursor = nil
      isCursorVisible = nil
      shown = CellGrid(next.size)
      runs += 2
    }
    if let shown, shown != next {
      for row in 0..<next.size.rows { writeRow(row, from: shown[row], to: next[row], &body, &runs) }
    }
    shown = next
    if runs > 1 {
      let hide = isCursorVisible == false ? "" : "\u{1B}[?25l"
      isCursorVisible = false
      body = FrameWriter.synchronized.begin + hide + body
    }
    place(wanted, &body)
    if runs > 1 { body += FrameWriter.synchronized.end }
    return Array(body.utf8)
  }

  /// Writes a row from its first changed cell to the last one.
  private mutating func writeRow(
    _ row: Int, from old: ArraySlice<CellGrid.Cell>, to new: ArraySlice<CellGrid.Cell>,
    _ body: inout String, _ runs: inout Int
  ) {
    let cells = Array(new)
    let changed = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    guard var start = changed.first, let last = changed.last else { return }
    // The second half of a wide character comes with the first.
    if cells[start].width == 0 { start -= 1 }
    // From here on the row is blank, as a terminal makes it by one sequence.
    let blank = cells.lastIndex { $0 != .blank }.map { $0 + 1 } ?? 0
    for column in start..<max(start, min(last + 1, blank)) where cells[column].width > 0 {
      if move(to: column, row, &body) { runs += 1 }
      write(cells[column], &body, cells.count)
    }
    guard last >= blank else { return }
    if move(to: max(start, blank), row, &body) { runs += 1 }
    body += Pen.usual.sequence(from: pen) + "\u{1B}[K"
    pen = .usual
  }

  private mutating func write(_ cell: CellGrid.Cell, _ body: inout String, _ columns: Int) {
    body += cell.pen.sequence(from: pen)
    pen = cell.pen
    body.append(cell.character)
    guard var cursor else { return }
    cursor.column += Int(cell.width)
    let isAmbiguous = cell.width > 1 || cell.character.unicodeScalars.count > 1
    self.cursor = isAmbiguous || cursor.column >= columns ? nil : cursor
  }

  /// Moves the cursor to a cell. Returns whether that needed a sequence.
  @discardableResult
  private mutating func move(to column: Int, _ row: Int, _ body: inout String) -> Bool {
    guard cursor?.column != column || cursor?.row != row else { return false }
    body += "\u{1B}[\(row + 1);\(column + 1)H"
    cursor = (column, row)
    return true
  }

  private mutating func place(_ wanted: Cursor, _ body: inout String) {
    move(to: wanted.column, wanted.row, &body)
    guard isCursorVisible != wanted.isVisible else { return }
    body += wanted.isVisible ? "\u{1B}[?25h" : "\u{1B}[?25l"
    isCursorVisible = wanted.isVisible
  }
}

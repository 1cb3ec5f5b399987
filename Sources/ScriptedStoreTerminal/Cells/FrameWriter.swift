// FrameWriter turns the cells that a terminal should show into the bytes that change it.
//
//   shown cells ─┐
//   next cells  ─┴─▶ runs of changed cells ─▶ move, pen, characters ─▶ cursor ─▶ bytes
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
  /// So many unchanged cells are written again rather than passed over by a sequence.
  private static let shortestMove = 4

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

  private mutating func writeRow(
    _ row: Int, from old: ArraySlice<CellGrid.Cell>, to new: ArraySlice<CellGrid.Cell>,
    _ body: inout String, _ runs: inout Int
  ) {
    guard old != new else { return }
    let columns = new.count
    func at(_ column: Int, _ cells: ArraySlice<CellGrid.Cell>) -> CellGrid.Cell {
      cells[cells.startIndex + column]
    }
    // Behind it the row is blank, as a terminal makes it by one sequence.
    var end = columns
    while end > 0, at(end - 1, new) == .blank { end -= 1 }
    var column = 0
    while column < columns {
      let cell = at(column, new)
      // The second half of a wide character comes with the first.
      guard cell.width > 0, cell != at(column, old) || isHalf(column, old, new) else {
        column += 1
        continue
      }
      runs += move(to: column, row, new, &body)
      if column >= end, columns - column > 3 {
        body += Pen.usual.sequence(from: pen) + "\u{1B}[K"
        pen = .usual
        return
      }
      write(cell, &body, columns)
      column += Int(cell.width)
    }
  }

  /// Whether the wide character at a column was there, but has lost its second half.
  private func isHalf(
    _ column: Int, _ old: ArraySlice<CellGrid.Cell>, _ new: ArraySlice<CellGrid.Cell>
  ) -> Bool {
    new[new.startIndex + column].width == 2 && old[old.startIndex + column + 1].width != 0
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

  /// Moves the cursor before a changed cell. Returns 1 if that needed a sequence.
  private mutating func move(
    to column: Int, _ row: Int, _ cells: ArraySlice<CellGrid.Cell>, _ body: inout String
  ) -> Int {
    if let cursor, cursor.row == row, cursor.column <= column {
      if cursor.column == column { return 0 }
      let between = cells[cells.startIndex + cursor.column..<cells.startIndex + column]
      if between.count <= FrameWriter.shortestMove,
        between.allSatisfy({ $0.pen == pen && $0.width == 1 && $0.character.isASCII })
      {
        for cell in between { body.append(cell.character) }
        self.cursor = (column, row)
        return 0
      }
    }
    body += "\u{1B}[\(row + 1);\(column + 1)H"
    cursor = (column, row)
    return 1
  }

  private mutating func place(_ wanted: Cursor, _ body: inout String) {
    if cursor?.column != wanted.column || cursor?.row != wanted.row {
      body += "\u{1B}[\(wanted.row + 1);\(wanted.column + 1)H"
      cursor = (wanted.column, wanted.row)
    }
    guard isCursorVisible != wanted.isVisible else { return }
    body += wanted.isVisible ? "\u{1B}[?25h" : "\u{1B}[?25l"
    isCursorVisible = wanted.isVisible
  }
}

import ScriptView

/// The cells of a whole terminal, as they are to be.
///
/// Invariant: a cell of width 2 is followed, in its row, by one of width 0, and only such a cell has
/// the width 0.
struct CellGrid: Hashable, Sendable {
  struct Cell: Hashable, Sendable {
    var character: Character
    var width: UInt8
    var pen: Pen

    static let blank = Cell(character: " ", width: 1, pen: .usual)
  }

  let size: TerminalSize
  private(set) var cells: [Cell]

  init(_ size: TerminalSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  subscript(row: Int) -> ArraySlice<Cell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Writes a character. Half of a wide one that stood there becomes blank; what does not fit into
  /// the row becomes blank, too.
  mutating func put(_ character: Character, width: UInt8, _ pen: Pen, column: Int, row: Int) {
    guard width > 0, 0..<size.rows ~= row, 0..<size.columns ~= column else { return }
    guard column + Int(width) <= size.columns else {
      return put(" ", width: 1, pen, column: column, row: row)
    }
    let start = row * size.columns
    clearHalf(at: column, start)
    if width == 2 { clearHalf(at: column + 1, start) }
    cells[start + column] = Cell(character: character, width: width, pen: pen)
    if width == 2 { cells[start + column + 1] = Cell(character: " ", width: 0, pen: pen) }
  }

  /// The other half of a wide character becomes blank.
  private mutating func clearHalf(at column: Int, _ start: Int) {
    switch cells[start + column].width {
    case 0: cells[start + column - 1] = .blank
    case 2: cells[start + column + 1] = .blank
    default: break
    }
  }

  /// Changes how all cells are written.
  mutating func repaint(_ change: (inout Pen) -> Void) {
    for index in cells.indices { change(&cells[index].pen) }
  }
}

/// The number of columns and rows of a terminal; at least one of each.
public struct TerminalSize: Hashable, Sendable {
  public let columns: Int
  public let rows: Int

  /// More cells than any terminal has.
  private static let most = 2000

  public init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), TerminalSize.most)
    self.rows = min(max(rows, 1), TerminalSize.most)
  }

  /// Whether there is room for the row that says what keys do.
  var hasStatus: Bool { rows >= 4 }
}

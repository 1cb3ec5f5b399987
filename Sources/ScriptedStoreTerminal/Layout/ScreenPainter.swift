import ScriptView

/// Paints the layers of a screen into the cells of a terminal.
struct ScreenPainter {
  private(set) var grid: CellGrid
  let takesColor: Bool
  /// The mark in a frame that closes what it presents, and where it stands from the right.
  static let closeMark = (text: "[x]", offset: 4)

  init(_ size: TerminalSize, takesColor: Bool) {
    grid = CellGrid(size)
    self.takesColor = takesColor
  }

  /// - Parameter focus: the stop of the layer that has the focus.
  mutating func paint(_ layer: LayerDrawing, focus: Int?, canClose: Bool) {
    if let frame = layer.frame {
      grid.repaint { $0 = Pen(attributes: .dim) }
      paint(frame, canClose: canClose, layer)
    } else {
      clear(layer.viewport)
    }
    let stop = focus.map { layer.stops[$0] }
    for row in 0..<layer.viewport.rows {
      let line = layer.scroll + row
      guard layer.canvas.lines.indices.contains(line) else { break }
      for (column, cell) in layer.canvas.lines[line].prefix(layer.viewport.columns).enumerated() {
        var pen = Pen(cell.style, takesColor: takesColor)
        if let focus, let stop, layer.stop(of: cell) == focus { mark(&pen, stop, cell) }
        grid.put(
          cell.character, width: cell.width, pen, column: layer.viewport.column + column,
          row: layer.viewport.row + row)
      }
    }
  }

  /// Marks what has the focus without colour. In a text the cursor is there as well.
  private func mark(_ pen: inout Pen, _ stop: FocusStop, _ cell: Canvas.Cell) {
    switch stop.kind {
    case .field, .editor:
      if cell.style.contains(.control) { pen.attributes.insert(.bold) }
    case .row, .back, .option: pen.attributes.insert(.reverse)
    default:
      if cell.style.contains(.control) { pen.attributes.insert(.reverse) }
    }
  }

  private mutating func clear(_ rect: CellRect) {
    for row in rect.row..<rect.row + rect.rows {
      for column in rect.column..<rect.column + rect.columns {
        grid.put(" ", width: 1, .usual, column: column, row: row)
      }
    }
  }

  /// The lines of a frame, with marks where there is more to scroll to.
  private mutating func paint(_ frame: CellRect, canClose: Bool, _ layer: LayerDrawing) {
    clear(frame)
    let pen = Pen(attributes: .dim)
    let (right, bottom) = (frame.column + frame.columns - 1, frame.row + frame.rows - 1)
    for column in frame.column...right {
      grid.put("─", width: 1, pen, column: column, row: frame.row)
      grid.put("─", width: 1, pen, column: column, row: bottom)
    }
    for row in frame.row...bottom {
      grid.put("│", width: 1, pen, column: frame.column, row: row)
      grid.put("│", width: 1, pen, column: right, row: row)
    }
    for (corner, column, row): (Character, Int, Int) in [
      ("┌", frame.column, frame.row), ("┐", right, frame.row), ("└", frame.column, bottom),
      ("┘", right, bottom),
    ] {
      grid.put(corner, width: 1, pen, column: column, row: row)
    }
    if layer.scroll > 0 { grid.put("↑", width: 1, .usual, column: right, row: frame.row + 1) }
    if layer.scroll < layer.lastScroll {
      grid.put("↓", width: 1, .usual, column: right, row: bottom - 1)
    }
    if canClose, frame.columns >= 8 {
      write(
        Canvas.cells(of: ScreenPainter.closeMark.text, .control),
        column: right + 1 - ScreenPainter.closeMark.offset, row: frame.row)
    }
  }

  /// Writes cells from a column on.
  mutating func write(_ cells: [Canvas.Cell], column: Int, row: Int) {
    var column = column
    for cell in cells {
      guard column + Int(cell.width) <= grid.size.columns else { break }
      grid.put(
        cell.character, width: cell.width, Pen(cell.style, takesColor: takesColor),
        column: column, row: row)
      column += Int(cell.width)
    }
  }
}

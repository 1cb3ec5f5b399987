import ScriptValue
import ScriptView

/// Places the layers of a screen on a terminal: the lowest one over all of it, what is presented in
/// frames above, and below them a row that says what keys do.
struct ScreenLayout {
  let size: TerminalSize
  let reader: ScreenReader

  private var whole: CellRect {
    CellRect(column: 0, row: 0, columns: size.columns, rows: size.rows - (size.hasStatus ? 1 : 0))
  }

  /// The widest content of a frame. Longer lines are hard to read.
  private static let widestFrame = 76

  // MARK: Layers

  /// - Parameter stops: what can have the focus; none for a layer that is covered.
  func drawing(_ layer: ViewScreen.Layer, _ stops: [FocusStop]) -> LayerDrawing {
    let id = LayerDrawing.ID.layer(layer.content.path)
    guard let presentation = layer.presentation, presentation != "cover" else {
      let canvas = TextDrawing.canvas(layer, for: reader, width: size.columns)
      var drawing = LayerDrawing(id, layer.content, canvas, stops)
      drawing.viewport = whole
      return drawing
    }
    let canvas = TextDrawing.canvas(layer, for: reader, width: widthOfFrames)
    var drawing = LayerDrawing(id, layer.content, canvas, stops)
    frame(&drawing, leastWidth: presentation == "sheet" ? widthOfFrames * 2 / 3 : 16, at: nil)
    return drawing
  }

  /// A menu or picker that is open, below the control in a layer.
  func drawing(
    opened location: ViewLocation, _ stops: [FocusStop], over layer: LayerDrawing
  ) -> LayerDrawing {
    let canvas = TextDrawing.canvas(opened: location, for: reader, width: widthOfFrames)
    var drawing = LayerDrawing(.opened(location.path), location, canvas, stops)
    var anchor: CellRect?
    if let index = layer.index(of: FocusStop.ID(path: location.path)),
      var bounds = layer.bounds[index]
    {
      bounds.column += layer.viewport.column
      bounds.row += layer.viewport.row - layer.scroll
      anchor = bounds
    }
    frame(&drawing, leastWidth: 8, at: anchor)
    return drawing
  }

  /// A tree of the program's own in the middle, in which nothing has the focus.
  func drawing(_ id: LayerDrawing.ID, of tree: Value) -> LayerDrawing {
    let canvas = TextDrawing.canvas(tree, width: widthOfFrames)
    var drawing = LayerDrawing(id, ViewLocation(root: tree), canvas, [])
    frame(&drawing, leastWidth: 16, at: nil)
    return drawing
  }

  private var widthOfFrames: Int {
    hasFrames ? min(size.columns - 4, ScreenLayout.widestFrame) : size.columns
  }

  /// Where there is no room for frames, what is presented takes the whole terminal.
  private var hasFrames: Bool { size.columns >= 12 && whole.rows >= 3 }

  /// Places a drawing in a frame: in the middle, or below a control.
  private func frame(_ drawing: inout LayerDrawing, leastWidth: Int, at anchor: CellRect?) {
    guard hasFrames else {
      drawing.viewport = whole
      return
    }
    let content = max(drawing.naturalWidth, min(leastWidth, widthOfFrames))
    let columns = min(content + 4, size.columns)
    let rows = min(max(drawing.canvas.lines.count, 1) + 2, whole.rows)
    var frame = CellRect(
      column: (size.columns - columns) / 2, row: (whole.rows - rows) / 2, columns: columns,
      rows: rows)
    if let anchor {
      frame.column = min(max(anchor.column, 0), size.columns - columns)
      let below = anchor.row + anchor.rows
      if below + rows <= whole.rows {
        frame.row = max(below, 0)
      } else if anchor.row - rows >= 0 {
        frame.row = anchor.row - rows
      }
    }
    drawing.frame = frame
    drawing.viewport = CellRect(
      column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: rows - 2)
  }
}

import ScriptView

/// A part of a terminal, in cells from its upper left corner.
struct CellRect: Hashable, Sendable {
  var column: Int
  var row: Int
  var columns: Int
  var rows: Int

  func contains(column: Int, row: Int) -> Bool {
    self.column..<self.column + columns ~= column && self.row..<self.row + rows ~= row
  }
}

/// A layer of a screen as it is drawn: its cells, what in them can have the focus, and the part of
/// the terminal where it stands.
struct LayerDrawing: Sendable {
  /// What stays the same when the screen changes.
  enum ID: Hashable, Sendable {
    case layer(ViewPath)
    /// A menu or picker that is open.
    case opened(ViewPath)
    /// The list of the shortcuts of the screen.
    case shortcuts
  }

  let id: ID
  let location: ViewLocation
  let canvas: Canvas
  let stops: [FocusStop]
  /// By the index of an owner in the canvas, that of the stop to which its cells belong.
  private let stopOfOwner: [Int?]
  /// Where the cells of each stop are on the canvas; nil if it has none.
  private(set) var bounds: [CellRect?]
  /// The frame with its lines; nil for a layer that covers the terminal.
  var frame: CellRect?
  /// Where the canvas is seen.
  var viewport = CellRect(column: 0, row: 0, columns: 1, rows: 1)
  /// The line of the canvas that is the first in the viewport.
  var scroll = 0

  init(_ id: ID, _ location: ViewLocation, _ canvas: Canvas, _ stops: [FocusStop]) {
    self.id = id
    self.location = location
    self.canvas = canvas
    self.stops = stops
    stopOfOwner = LayerDrawing.stops(of: canvas.owners, stops)
    bounds = Array(repeating: nil, count: stops.count)
    measure()
  }

  /// Whether the person has opened it, and not the state.
  var isOpened: Bool { if case .layer = id { false } else { true } }

  var lastScroll: Int { max(canvas.lines.count - viewport.rows, 0) }

  /// The columns that the drawing takes.
  var naturalWidth: Int { canvas.lines.reduce(0) { max($0, $1.count) } }

  func index(of id: FocusStop.ID) -> Int? { stops.firstIndex { $0.id == id } }

  // MARK: Whose a cell is

  /// A cell belongs to the node that drew it, or else to the row around that.
  private static func stops(of owners: [ViewPath], _ stops: [FocusStop]) -> [Int?] {
    var controls: [ViewPath: Int] = [:]
    for (index, stop) in stops.enumerated() where controls[stop.id.path] == nil {
      controls[stop.id.path] = index
    }
    return owners.map { owner in
      if let index = controls[owner] { return index }
      var path = owner
      while path.steps.popLast() != nil {
        if let index = controls[path], stops[index].kind == .row { return index }
      }
      return nil
    }
  }

  /// The stop of a cell of the canvas.
  func stop(of cell: Canvas.Cell) -> Int? {
    guard stopOfOwner.indices.contains(Int(cell.owner)),
      let index = stopOfOwner[Int(cell.owner)]
    else { return nil }
    guard stops[index].kind == .option else { return index }
    return stops.indices.contains(Int(cell.part) - 1) ? Int(cell.part) - 1 : nil
  }

  private mutating func measure() {
    for (line, cells) in canvas.lines.enumerated() {
      for (column, cell) in cells.enumerated() {
        guard let index = stop(of: cell) else { continue }
        let rect = bounds[index] ?? CellRect(column: column, row: line, columns: 1, rows: 1)
        let left = min(rect.column, column)
        let right = max(rect.column + rect.columns, column + 1)
        bounds[index] = CellRect(
          column: left, row: rect.row, columns: right - left, rows: line - rect.row + 1)
      }
    }
  }

  /// The cell of the canvas at a cell of the terminal; nil outside of the viewport and where nothing
  /// was drawn.
  func cell(column: Int, row: Int) -> Canvas.Cell? {
    guard viewport.contains(column: column, row: row) else { return nil }
    let line = row - viewport.row + scroll
    guard canvas.lines.indices.contains(line) else { return nil }
    let cells = canvas.lines[line]
    let position = column - viewport.column
    return cells.indices.contains(position) ? cells[position] : nil
  }

  // MARK: Scrolling

  /// Scrolls just so far that these lines can be seen; the first ones, if they are too many.
  mutating func reveal(line: Int, count: Int) {
    if line + count > scroll + viewport.rows { scroll = line + count - viewport.rows }
    if line < scroll { scroll = line }
    scroll = min(max(scroll, 0), lastScroll)
  }

  /// A row of a list that is seen, and how far below the top.
  struct Anchor {
    let path: ViewPath
    let offset: Int
  }

  /// The first row of a list that is seen.
  var anchor: Anchor? {
    for line in scroll..<min(scroll + viewport.rows, canvas.lines.count) {
      guard let cell = canvas.lines[line].first(where: { $0.owner >= 0 }) else { continue }
      let steps = canvas.owners[Int(cell.owner)].steps
      guard let last = steps.lastIndex(where: { if case .row = $0 { true } else { false } })
      else { continue }
      return Anchor(path: ViewPath(Array(steps[...last])), offset: line - scroll)
    }
    return nil
  }

  /// Scrolls so that a row is where it was, if it is there.
  mutating func hold(_ anchor: Anchor?) {
    guard let anchor, let lines = lines(of: anchor.path) else { return }
    scroll = min(max(lines.lowerBound - anchor.offset, 0), lastScroll)
  }

  /// The lines of the canvas that a node and what is inside of it take.
  func lines(of path: ViewPath) -> Range<Int>? {
    let isInside = canvas.owners.map { $0.isInside(path) }
    var range: Range<Int>?
    for (line, cells) in canvas.lines.enumerated()
    where cells.contains(where: { $0.owner >= 0 && isInside[Int($0.owner)] }) {
      range = (range?.lowerBound ?? line)..<line + 1
    }
    return range
  }
}

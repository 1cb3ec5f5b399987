import ScriptValue

/// Children beside each other.
struct RowElement: ArrangedElement {
  let properties = [ViewProperty("wrap", .boolean)]
  let isItem = false

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.row(location)
  }
}

/// Children below each other; also what stands in place of the rows of an empty list.
struct ColumnElement: ArrangedElement {
  let isItem = false

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.column(location)
  }
}

/// Children beside each other where it is wide, and otherwise below each other. On a narrow screen the store makes a `tabs`
/// node of columns with `compact = "tabs"`.
struct ColumnsElement: ArrangedElement {
  let properties =
    ViewProperty.entry + [.init("compact", .word(["tabs"])), .style("sidebar")]
  let isItem = false

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    return SideBySideBlock(
      builder.children(of: location),
      gap: node.word("spacing") == nil ? 2 : builder.blankColumns(node),
      lines: max(builder.blankLines(node), 1), isSidebar: node.word("style") == "sidebar")
  }
}

/// A grid of a number of columns, or of as many as fit.
struct GridElement: ArrangedElement {
  let properties = [ViewProperty("columns", .count(["fit"]))]
  let isItem = false

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    var grid = builder.unnamed("div", location)
    grid.set("data-columns", location.node.scalar("columns"))
    builder.box(grid, location)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let cells = builder.children(of: location)
    guard let count = location.node.number("columns"), count >= 1 else {
      return FittingGridBlock(cells: cells, owner: location.path)
    }
    return GridBlock(cells, columns: Int(count, in: 1...1000), owner: location.path)
  }
}

struct ScrollElement: ArrangedElement {
  let properties = [ViewProperty("axis", .word(["vertical", "horizontal"]))]

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    location.node.word("axis") == "horizontal" ? builder.row(location) : builder.column(location)
  }
}

struct ToolbarElement: ArrangedElement {
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    var toolbar = builder.element("div", location)
    toolbar.set("role", "toolbar")
    builder.box(toolbar, location)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    RowBlock(
      builder.children(of: location), spacing: builder.blankColumns(location.node), wraps: true,
      isApart: true)
  }
}

struct FormElement: ArrangedElement {
  let properties = [ViewProperty("onSubmit", .action)]

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.box(builder.element("form", location), location)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    ModifiedBlock(builder.column(location), apart: true)
  }
}

extension TextBuilder {
  fileprivate func row(_ location: ViewLocation) -> any Block {
    let node = location.node
    return RowBlock(
      children(of: location), spacing: blankColumns(node), wraps: node.isSet("wrap"))
  }

  func column(_ location: ViewLocation) -> any Block {
    ColumnBlock(children(of: location), spacing: blankLines(location.node))
  }

  /// The blank lines of a spacing.
  func blankLines(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "medium": 1
    case "large": 2
    default: 0
    }
  }

  /// The blank columns of a spacing.
  fileprivate func blankColumns(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "none": 0
    case "medium": 2
    case "large": 4
    default: 1
    }
  }
}

extension GridBlock {
  /// Cells in a number of columns, from left to right.
  init(_ cells: [any Block], columns: Int, owner: ViewPath) {
    let columns = max(min(columns, cells.count), 1)
    let rows = stride(from: 0, to: cells.count, by: columns).map {
      Array(cells[$0..<min($0 + columns, cells.count)])
    }
    self.init(
      rows, columns: Array(repeating: Column(), count: columns), owner: owner, isApart: false)
  }
}

/// A grid with as many columns of one width as there is room for.
private struct FittingGridBlock: Block {
  private let cells: [any Block]
  private let owner: ViewPath
  private let widest: Int
  let naturalWidth: Int
  let minimumWidth: Int

  init(cells: [any Block], owner: ViewPath) {
    self.cells = cells
    self.owner = owner
    widest = cells.reduce(1) { max($0, $1.naturalWidth) }
    naturalWidth = GridBlock(cells, columns: cells.count, owner: owner).naturalWidth
    minimumWidth = cells.reduce(0) { max($0, $1.minimumWidth) }
  }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let count = max((width + GridBlock.spacing) / (widest + GridBlock.spacing), 1)
    return GridBlock(cells, columns: count, owner: owner)
      .draw(on: &canvas, x: x, y: y, width: width)
  }
}

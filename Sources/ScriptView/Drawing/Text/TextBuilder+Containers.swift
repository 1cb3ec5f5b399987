import ScriptValue

/// The elements that arrange others.
extension TextBuilder {
  /// The blank lines of a spacing.
  private func lines(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "medium": 1
    case "large": 2
    default: 0
    }
  }

  /// The blank columns of a spacing.
  func columns(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "none": 0
    case "medium": 2
    case "large": 4
    default: 1
    }
  }

  func row(_ location: ViewLocation) -> any Block {
    let node = location.node
    return RowBlock(
      children(of: location), spacing: columns(node), wraps: node.isSet("wrap"))
  }

  func column(_ location: ViewLocation) -> any Block {
    ColumnBlock(children(of: location), spacing: lines(location.node))
  }

  /// Children beside each other where it is wide, and otherwise below each other.
  func sideBySide(_ location: ViewLocation) -> any Block {
    let node = location.node
    return SideBySideBlock(
      children(of: location), gap: node.word("spacing") == nil ? 2 : columns(node),
      lines: max(lines(node), 1), isSidebar: node.word("style") == "sidebar")
  }

  /// A grid of a number of columns, or of as many as fit.
  func grid(_ location: ViewLocation) -> any Block {
    let cells = children(of: location)
    guard let count = location.node.number("columns"), count >= 1 else {
      return FittingGridBlock(cells: cells, owner: location.path)
    }
    return GridBlock(cells, columns: Int(count, in: 1...1000), owner: location.path)
  }

  func screen(_ location: ViewLocation) -> any Block {
    var blocks: [any Block] = [column(location)]
    if let title = location.node.scalar("title"), !title.isEmpty {
      let title = StyledText(title, .title)
      blocks.insert(TitleBlock(title, underline: "═", owner: location.path), at: 0)
    }
    return BoundedBlock(ColumnBlock(blocks), widest: TextBuilder.widest(location.node))
  }

  /// The most columns of a screen.
  private static func widest(_ screen: ViewNode) -> Int {
    switch screen.word("width") {
    case "narrow": 60
    case "wide": 100
    default: .max
    }
  }

  /// A title above what is inside, and a footer below it.
  func section(_ location: ViewLocation, isApart: Bool) -> any Block {
    let content = ColumnBlock(
      children(of: location) + footer(location), spacing: lines(location.node))
    return titled(location, content, isApart: isApart)
  }

  /// The title of a section above its content. Without one, the content is not indented.
  func titled(_ location: ViewLocation, _ content: any Block, isApart: Bool) -> any Block {
    guard let title = location.node.name else { return ModifiedBlock(content, apart: isApart) }
    return ColumnBlock(
      [TextBlock(StyledText(title, .headline), owner: location.path), IndentBlock(content)],
      isApart: isApart)
  }

  func tabs(_ location: ViewLocation) -> any Block {
    let chosen = location.chosenTab?.path
    let names = location.tabs.map { ($0.tabName ?? "", $0.path == chosen) }
    let header = TextBlock(segments(names, .control), owner: location.path)
    return ColumnBlock(
      [header, ModifiedBlock(ColumnBlock(children(of: location)), apart: true)], isApart: true)
  }

  func disclosure(_ location: ViewLocation) -> any Block {
    var title = StyledText(location.isOpen ? "▾ " : "▸ ", .control)
    title.append(location.node.scalar("label") ?? "", .control)
    return ColumnBlock([
      TextBlock(title, owner: location.path, hanging: 2),
      IndentBlock(ColumnBlock(children(of: location))),
    ])
  }
}

extension GridBlock {
  /// Cells in so many columns, from left to right.
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

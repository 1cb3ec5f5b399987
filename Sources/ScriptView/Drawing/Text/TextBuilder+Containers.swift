import ScriptValue

/// The elements that arrange others.
extension TextBuilder {
  func arranging(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    switch node.kind {
    case "row": return row(location)
    case "scroll" where node.word("axis") == "horizontal": return row(location)
    case "column", "scroll": return ColumnBlock(children(of: location), spacing: lines(node))
    case "grid": return grid(location)
    case "screen": return screen(location)
    case "form": return ColumnBlock(children(of: location), spacing: lines(node), isApart: true)
    case "section": return section(location, isApart: true)
    case "group": return section(location, isApart: node.scalar("title") != nil)
    case "list": return list(location)
    case "table": return table(location)
    case "toolbar":
      return RowBlock(children(of: location), spacing: columns(node), wraps: true, isApart: true)
    case "tabs": return tabs(location)
    case "disclosure": return disclosure(location)
    default: return nil
    }
  }

  /// The blank lines of a spacing.
  private func lines(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "medium": 1
    case "large": 2
    default: 0
    }
  }

  /// The blank columns of a spacing.
  private func columns(_ node: ViewNode) -> Int {
    switch node.word("spacing") {
    case "none": 0
    case "medium": 2
    case "large": 4
    default: 1
    }
  }

  private func row(_ location: ViewLocation) -> any Block {
    let node = location.node
    return RowBlock(
      children(of: location), spacing: columns(node), wraps: node.isSet("wrap"))
  }

  /// A grid of a number of columns, or of as many as fit.
  private func grid(_ location: ViewLocation) -> any Block {
    let cells = children(of: location)
    guard let count = location.node.number("columns"), count >= 1 else {
      return FittingGridBlock(cells: cells, owner: location.path)
    }
    return GridBlock(cells, columns: Int(count, in: 1...1000), owner: location.path)
  }

  private func screen(_ location: ViewLocation) -> any Block {
    let node = location.node
    let content = ColumnBlock(children(of: location), spacing: lines(node))
    guard let title = node.scalar("title"), !title.isEmpty else { return content }
    return ColumnBlock([
      TitleBlock(StyledText(title, .title), underline: "═", owner: location.path), content,
    ])
  }

  /// A title above what is inside, and a footer below it.
  private func section(_ location: ViewLocation, isApart: Bool) -> any Block {
    let node = location.node
    var content = children(of: location)
    if let footer = node.scalar("footer"), !footer.isEmpty {
      let text = StyledText(footer, .caption, keepsLines: true)
      content.append(TextBlock(text, owner: location.path))
    }
    return titled(location, ColumnBlock(content, spacing: lines(node)), isApart: isApart)
  }

  /// The title of a section above its content. Without one, the content is not indented.
  func titled(_ location: ViewLocation, _ content: any Block, isApart: Bool) -> any Block {
    guard let title = location.node.name else { return ModifiedBlock(content, apart: isApart) }
    return ColumnBlock(
      [TextBlock(StyledText(title, .headline), owner: location.path), IndentBlock(content)],
      isApart: isApart)
  }

  private func tabs(_ location: ViewLocation) -> any Block {
    let chosen = location.chosenTab?.path
    let names = location.tabs.map { ($0.tabName ?? "", $0.path == chosen) }
    let header = TextBlock(segments(names, .control), owner: location.path)
    return ColumnBlock(
      [header, ModifiedBlock(ColumnBlock(children(of: location)), apart: true)], isApart: true)
  }

  private func disclosure(_ location: ViewLocation) -> any Block {
    let isOpen = location.node["value"]?.bool != false
    var title = StyledText(isOpen ? "▾ " : "▸ ", .control)
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

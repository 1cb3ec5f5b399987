import ScriptValue

/// Lists and tables.
extension TextBuilder {
  func list(_ location: ViewLocation) -> any Block {
    let rows = rowBlocks(of: location, in: location)
    return ColumnBlock(withWindow(rows, location), isApart: true)
  }

  /// The rows of a list, and its sections with their titles.
  private func rowBlocks(of location: ViewLocation, in list: ViewLocation) -> [any Block] {
    location.visibleChildren.flatMap { child -> [any Block] in
      if child.isTransparent { return rowBlocks(of: child, in: list) }
      if child.holdsRows {
        let rows = ColumnBlock(rowBlocks(of: child, in: list) + footer(child))
        return [titled(child, rows, isApart: true)]
      }
      guard let block = block(for: child) else { return [] }
      guard list.node["selection"] != nil, child.isRow else { return [block] }
      return [IndentBlock(block, by: 2, marker: marker(child, in: list))]
    }
  }

  func footer(_ section: ViewLocation) -> [any Block] {
    guard let footer = section.node.scalar("footer"), !footer.isEmpty else { return [] }
    return [TextBlock(StyledText(footer, .caption, keepsLines: true), owner: section.path)]
  }

  /// The mark of the selected row; a blank one for all others.
  private func marker(_ row: ViewLocation, in list: ViewLocation) -> TextBlock {
    let isSelected = list.node["selected"] != nil && list.node["selected"] == row.node.row?.id
    return TextBlock(
      StyledText(isSelected ? ">" : " ", isSelected ? .selected : []), owner: row.path)
  }

  /// How many rows are before and behind the window.
  private func withWindow(_ rows: [any Block], _ location: ViewLocation) -> [any Block] {
    guard let window = location.node.window else { return rows }
    func note(_ count: Int, _ word: String) -> [any Block] {
      guard count > 0 else { return [] }
      let text = "… \(count.grouped) \(word)"
      return [TextBlock(StyledText(text, .placeholder), owner: location.path)]
    }
    return note(window.before, "before") + rows + note(window.behind, "more")
  }

  // MARK: Tables

  /// A table whose columns are as wide as their widest cell. A row of it that is a `row` has a cell
  /// for each of its children, any other one has a single cell.
  func table(_ location: ViewLocation) -> any Block {
    let node = location.node
    let rows = location.rows.map(\.location).filter { !$0.node.isNothing }
    let cells = rows.map { row in
      row.cells.map { block(for: $0) ?? ColumnBlock([]) as any Block }
    }
    var columns = columns(of: node, location.path)
    if columns.isEmpty {
      let count = cells.reduce(0) { max($0, $1.count) }
      columns = Array(repeating: GridBlock.Column(), count: count)
    }
    let markers = node["selection"] == nil ? [] : rows.map { marker($0, in: location) }
    let grid = GridBlock(
      cells, columns: columns, markers: markers, owner: location.path, isApart: false)
    let empty = location.visibleChildren.filter { $0.node.elementKind == .empty }
    return ColumnBlock(
      withWindow([grid], location) + empty.compactMap { block(for: $0) }, isApart: true)
  }

  private func columns(of node: ViewNode, _ owner: ViewPath) -> [GridBlock.Column] {
    (node["columns"]?.array ?? []).prefix(TextBuilder.columnLimit).map { column in
      let column = ViewNode(column)
      let title = column.scalar("title") ?? column.text ?? ""
      let alignment: GridBlock.Alignment =
        switch column.string("align") {
        case "center": .center
        case "end": .end
        default: .start
        }
      return GridBlock.Column(
        title: TextBlock(StyledText(title, .headline), owner: owner),
        grows: column.isSet("grow"), alignment: alignment)
    }
  }

  /// More columns cannot be drawn on any canvas.
  private static let columnLimit = 200
}

import ScriptValue

struct ListElement: ArrangedElement {
  let properties = ViewProperty.rows + [.style("plain", "inset", "cards")]

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.wrap(builder.element("ul", location)) { builder in
      builder.windowNote(location.node.window?.before, "before", "li")
      builder.rows(of: location, in: location)
      builder.windowNote(location.node.window?.behind, "more", "li")
    }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let rows = builder.rowBlocks(of: location, in: location)
    return ColumnBlock(builder.withWindow(rows, location), isApart: true)
  }
}

struct TableElement: ArrangedElement {
  let properties = ViewProperty.rows + [.init("columns", .columns)]

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    let titles = (node["columns"]?.array ?? []).map { ViewNode($0).columnTitle }
    builder.windowNote(node.window?.before, "before", "p")
    builder.wrap(builder.element("table", location)) { builder in
      if !titles.isEmpty {
        builder.wrap(HTMLElement("thead")) { builder in
          builder.wrap(HTMLElement("tr")) { builder in
            for title in titles {
              builder.line(HTMLElement("th", ["scope": "col"], text: title))
            }
          }
        }
      }
      builder.wrap(HTMLElement("tbody")) { builder in
        builder.tableRows(location)
        for child in location.visibleChildren where child.node.elementKind == .empty {
          var cell = builder.element("td", child)
          if titles.count > 1 { cell.set("colspan", String(titles.count)) }
          builder.wrap(HTMLElement("tr")) { $0.box(cell, child) }
        }
      }
    }
    builder.windowNote(node.window?.behind, "more", "p")
  }

  /// A table whose columns are as wide as their widest cell. A row of it that is a `row` has a cell
  /// for each of its children, any other one has a single cell.
  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let rows = location.rows.map(\.location).filter { !$0.node.isNothing }
    let cells = rows.map { row in
      row.cells.map { builder.block(for: $0) ?? ColumnBlock([]) as any Block }
    }
    var columns = columns(of: node, location.path)
    if columns.isEmpty {
      let count = cells.reduce(0) { max($0, $1.count) }
      columns = Array(repeating: GridBlock.Column(), count: count)
    }
    let markers = node["selection"] == nil ? [] : rows.map { builder.marker($0, in: location) }
    let grid = GridBlock(
      cells, columns: columns, markers: markers, owner: location.path, isApart: false)
    let empty = location.visibleChildren.filter { $0.node.elementKind == .empty }
    return ColumnBlock(
      builder.withWindow([grid], location) + empty.compactMap { builder.block(for: $0) },
      isApart: true)
  }

  private func columns(of node: ViewNode, _ owner: ViewPath) -> [GridBlock.Column] {
    (node["columns"]?.array ?? []).prefix(TableElement.mostColumns).map { column in
      let column = ViewNode(column)
      return GridBlock.Column(
        title: TextBlock(StyledText(column.columnTitle, .headline), owner: owner),
        grows: column.isSet("grow"),
        alignment: GridBlock.Alignment(rawValue: column.string("align") ?? "") ?? .start)
    }
  }

  /// More columns cannot be drawn on any canvas.
  private static let mostColumns = 200
}

extension HTMLBuilder {
  /// The rows of a list. A section is an item with a list of its own.
  fileprivate mutating func rows(of location: ViewLocation, in list: ViewLocation) {
    for child in location.visibleChildren {
      if child.isTransparent {
        rows(of: child, in: list)
      } else if child.holdsRows {
        titled("li", "h2", child) { builder in
          builder.wrap(HTMLElement("ul")) { $0.rows(of: child, in: list) }
        }
      } else if child.node.elementKind == .empty {
        box(element("li", child), child)
      } else if !child.node.isNothing {
        wrap(row("li", child, in: list)) { $0.node(child) }
      }
    }
  }

  private func row(_ tag: String, _ row: ViewLocation, in list: ViewLocation) -> HTMLElement {
    HTMLElement(tag, ["aria-current": list.isSelected(row) ? "true" : nil])
  }

  /// Says how many rows are not in the tree.
  fileprivate mutating func windowNote(_ count: Int?, _ word: String, _ tag: String) {
    guard let count, count > 0 else { return }
    line(HTMLElement(tag, ["class": "note"], text: "… \(count.grouped) \(word)"))
  }

  fileprivate mutating func tableRows(_ location: ViewLocation) {
    for row in location.rows where !row.location.node.isNothing {
      wrap(self.row("tr", row.location, in: location)) { builder in
        for cell in row.location.cells {
          builder.wrap(HTMLElement("td")) { $0.node(cell) }
        }
      }
    }
  }
}

extension ViewNode {
  /// The title of a column of a table, which is a text or an object.
  fileprivate var columnTitle: String { scalar("title") ?? text ?? "" }
}

extension ViewLocation {
  /// Whether a row of this list is the selected one.
  func isSelected(_ row: ViewLocation) -> Bool {
    node["selected"] != nil && node["selected"] == row.node.row?.id
  }
}

extension TextBuilder {
  /// The rows of a list, and its sections with their titles.
  fileprivate func rowBlocks(of location: ViewLocation, in list: ViewLocation) -> [any Block] {
    location.visibleChildren.flatMap { child -> [any Block] in
      if child.isTransparent { return rowBlocks(of: child, in: list) }
      if child.holdsRows {
        let rows = ColumnBlock(rowBlocks(of: child, in: list) + footer(child))
        return [titled(child, rows, isApart: true)]
      }
      guard let block = block(for: child) else { return [] }
      guard list.node["selection"] != nil, child.isRow else { return [block] }
      return [IndentBlock(block, marker: marker(child, in: list))]
    }
  }

  /// The mark of the selected row; a blank one for all others.
  fileprivate func marker(_ row: ViewLocation, in list: ViewLocation) -> TextBlock {
    let isSelected = list.isSelected(row)
    return TextBlock(
      StyledText(isSelected ? ">" : " ", isSelected ? .selected : []), owner: row.path)
  }

  /// How many rows are before and after the window.
  fileprivate func withWindow(_ rows: [any Block], _ location: ViewLocation) -> [any Block] {
    guard let window = location.node.window else { return rows }
    func note(_ count: Int, _ word: String) -> [any Block] {
      guard count > 0 else { return [] }
      let text = "… \(count.grouped) \(word)"
      return [TextBlock(StyledText(text, .placeholder), owner: location.path)]
    }
    return note(window.before, "before") + rows + note(window.behind, "more")
  }
}

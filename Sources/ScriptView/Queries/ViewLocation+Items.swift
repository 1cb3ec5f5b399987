import ScriptValue

extension ViewLocation {
  /// What a person perceives of this node and what is inside of it, in the order of the screen.
  /// O(visible nodes).
  var items: [ViewItem] {
    var items: [ViewItem] = []
    if isPresented, case .presentation(let name)? = step {
      items.append(ViewItem(name, firstTitle, self))
    }
    appendItems(to: &items)
    return items
  }

  private func appendItems(to items: inout [ViewItem]) {
    appendItem(to: &items)
    if isList {
      var rows = self.rows[...]
      appendRows(in: self, &rows, to: &items)
    } else {
      for child in visibleChildren { child.appendItems(to: &items) }
    }
  }

  /// Appends the item of the node itself, and those of its options or tabs.
  private func appendItem(to items: inout [ViewItem]) {
    let kind = node.kind
    guard let element = node.element else {
      if node.isAlert {
        // The presentation is the item of the title.
        if let message = node.scalar("message") { items.append(ViewItem("text", message, self)) }
      } else if !node.isNothing, kind != "failed", !kind.isEmpty {
        items.append(ViewItem(kind, node.name, self))
      }
      return
    }
    if element.behaviour.isItem {
      let isSelected = element.elementKind == .toggle && node.isSet("value")
      items.append(ViewItem(kind, element.behaviour.itemName(self), self, isSelected: isSelected))
    }
    items += element.behaviour.parts(of: self)
  }

  /// Appends the rows of a list with what is in them, and the titles of sections between them.
  private func appendRows(
    in location: ViewLocation, _ rows: inout ArraySlice<ViewRow>, to items: inout [ViewItem]
  ) {
    for child in location.visibleChildren {
      if child.holdsRows {
        child.appendItem(to: &items)
        appendRows(in: child, &rows, to: &items)
      } else if child.isRow, let row = rows.popFirst() {
        appendRow(row, to: &items)
      } else if child.node.elementKind == .empty {
        child.appendItems(to: &items)
      }
    }
  }

  private func appendRow(_ row: ViewRow, to items: inout [ViewItem]) {
    guard !row.location.node.isNothing else { return }
    items.append(
      ViewItem(
        "row", row.location.node.scalar("label") ?? row.location.content, row.location,
        number: row.number, isSelected: isSelected(row.location)))
    if node.elementKind == .table {
      for (index, cell) in row.location.cells.enumerated() {
        items.append(ViewItem("cell", cell.content, cell, number: index + 1))
      }
    }
    row.location.appendItems(to: &items)
  }

  /// The cells of a row of a table: the children of a `row`, or the node as the only one.
  var cells: [ViewLocation] { node.elementKind == .row ? shownChildren : [self] }

  // MARK: Texts

  /// The texts that the node and what is inside of it show, in the order of the screen.
  var texts: [String] {
    visible.compactMap { $0.node.element?.behaviour.shownText($0) }.filter { !$0.isEmpty }
  }

  /// All texts as one; nil if there are none.
  var content: String? {
    let texts = texts
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }
}

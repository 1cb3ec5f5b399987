import ScriptValue

/// Lists and tables.
extension HTMLBuilder {
  mutating func list(_ location: ViewLocation) {
    wrap(element("ul", location)) { builder in
      builder.windowNote(location.node.window?.before, "before", HTMLElement("li"))
      builder.rows(of: location, in: location)
      builder.windowNote(location.node.window?.behind, "more", HTMLElement("li"))
    }
  }

  /// The rows of a list. A section is an item with a list of its own.
  private mutating func rows(of location: ViewLocation, in list: ViewLocation) {
    for child in location.visibleChildren {
      if child.isTransparent {
        rows(of: child, in: list)
      } else if child.holdsRows {
        section(child, in: list)
      } else if child.node.elementKind == .empty {
        box(element("li", child), child)
      } else if !child.node.isNothing {
        var item = HTMLElement("li")
        if isSelected(child, in: list) { item.set("aria-current", "true") }
        wrap(item) { $0.node(child) }
      }
    }
  }

  private mutating func section(_ location: ViewLocation, in list: ViewLocation) {
    wrap(element("li", location)) { builder in
      if let title = location.node.scalar("title"), !title.isEmpty {
        builder.writer.line(HTMLElement("h2", text: title))
      }
      builder.wrap(HTMLElement("ul")) { $0.rows(of: location, in: list) }
      if let footer = location.node.scalar("footer"), !footer.isEmpty {
        builder.writer.line(HTMLElement("footer", text: footer))
      }
    }
  }

  private func isSelected(_ row: ViewLocation, in list: ViewLocation) -> Bool {
    guard let selected = list.node["selected"] else { return false }
    return selected == row.node.row?.id
  }

  /// Says how many rows are not in the tree.
  private mutating func windowNote(_ count: Int?, _ word: String, _ element: HTMLElement) {
    guard let count, count > 0 else { return }
    var note = element
    note.set("class", "note")
    note.append(text: "… \(count.grouped) \(word)")
    writer.line(note)
  }

  // MARK: Tables

  mutating func table(_ location: ViewLocation) {
    let node = location.node
    let titles = (node["columns"]?.array ?? []).map { column in
      ViewNode(column).scalar("title") ?? ViewNode(column).text ?? ""
    }
    windowNote(node.window?.before, "before", HTMLElement("p"))
    wrap(element("table", location)) { builder in
      if !titles.isEmpty {
        builder.wrap(HTMLElement("thead")) { builder in
          builder.wrap(HTMLElement("tr")) { builder in
            for title in titles {
              var cell = HTMLElement("th", text: title)
              cell.set("scope", "col")
              builder.writer.line(cell)
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
    windowNote(node.window?.behind, "more", HTMLElement("p"))
  }

  private mutating func tableRows(_ location: ViewLocation) {
    for row in location.rows where !row.location.node.isNothing {
      var line = HTMLElement("tr")
      if isSelected(row.location, in: location) { line.set("aria-current", "true") }
      wrap(line) { builder in
        for cell in row.location.cells {
          builder.wrap(HTMLElement("td")) { $0.node(cell) }
        }
      }
    }
  }
}

import ScriptValue

struct TabsElement: ArrangedElement {
  let properties = ViewProperty.entry

  func parts(of location: ViewLocation) -> [ViewItem] {
    let chosen = location.chosenTab?.path
    return location.tabs.enumerated().map { index, tab in
      ViewItem("tab", tab.tabName, tab, number: index + 1, isSelected: tab.path == chosen)
    }
  }

  func control(_ node: ViewNode) -> ControlKind? { .tabs }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    let tabs = location.tabs
    if let found = tabs.first(where: { $0.tabValue == value }) { return found.tabValue ?? value }
    if let found = tabs.first(where: { $0.tabName.map { .string($0) } == value }) {
      return found.tabValue ?? value
    }
    throw location.refusal(value, "has the tabs", tabs.compactMap(\.tabName))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let chosen = location.chosenTab?.path
    let label = location.node.scalar("label")
    builder.wrap(builder.element("div", location, isNamed: true)) { builder in
      builder.wrap(HTMLElement("div", ["role": "tablist", "aria-label": label])) { builder in
        for tab in location.tabs {
          let isChosen = tab.path == chosen ? "true" : "false"
          builder.line(
            HTMLElement(
              "button", ["type": "button", "role": "tab", "aria-selected": isChosen],
              text: tab.tabName ?? ""))
        }
      }
      let name = location.chosenTab?.tabName
      builder.box(HTMLElement("div", ["role": "tabpanel", "aria-label": name]), location)
    }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let chosen = location.chosenTab?.path
    let names = location.tabs.map { ($0.tabName ?? "", $0.path == chosen) }
    let header = TextBlock(builder.segments(names, .control), owner: location.path)
    let content = ModifiedBlock(ColumnBlock(builder.children(of: location)), apart: true)
    return ColumnBlock([header, content], isApart: true)
  }
}

/// What can be folded away below its label.
struct DisclosureElement: ArrangedElement {
  let properties = ViewProperty.entry

  func control(_ node: ViewNode) -> ControlKind? { .disclosure }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    try location.enter(.boolean(!location.isOpen))
  }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    .boolean(try location.boolean(value))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.details(location, isOpen: location.isOpen)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    var title = StyledText(location.isOpen ? "▾ " : "▸ ", .control)
    title.append(location.node.scalar("label") ?? "", .control)
    return ColumnBlock([
      TextBlock(title, owner: location.path, hanging: 2),
      IndentBlock(ColumnBlock(builder.children(of: location))),
    ])
  }
}

import ScriptValue

struct MenuElement: Element {
  let group = ViewElement.Group.act
  let children = ViewElement.Children.nodes
  let properties = [ViewProperty("icon", .icon), .init("labelHidden", .boolean)]

  func control(_ node: ViewNode) -> ControlKind? { .menu }
  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? { .nothing }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.details(location, isOpen: false)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let sign = node.iconForLabel.flatMap { ViewIcon.sign(of: $0) }
    let label = sign ?? node.iconPrefix + (node.scalar("label") ?? "")
    let title = builder.control(
      StyledText("[ \(label) ▾ ]", builder.style(of: location)), location)
    // On a terminal the menu is closed, and its items open above the rest of the screen.
    if builder.reader != nil { return title }
    return ColumnBlock([title, IndentBlock(ColumnBlock(builder.children(of: location)))])
  }
}

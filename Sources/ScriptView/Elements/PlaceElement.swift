import ScriptValue

/// What stands for others: a child, rows, the screens of a stack, or what the program that shows the view draws itself. Builders
/// draw children, rows and screens in place of the first three.
struct PlaceElement: Element {
  let group = ViewElement.Group.place
  let children = ViewElement.Children.nodes
  var properties: [ViewProperty] = []
  var isItem = false

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    var element = builder.element("div", location)
    element.set("data-name", location.node.string("name"))
    builder.box(element, location)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    var text = StyledText("[host", .placeholder)
    if let name = location.node.string("name") { text.append(": " + name, .placeholder) }
    text.append("]", .placeholder)
    return builder.withChildren(text, location)
  }
}

import ScriptValue

struct ToggleElement: EnteredElement {
  let properties = [ViewProperty.style("checkbox", "switch")]

  func shownText(_ location: ViewLocation) -> String? { location.node.shownLabel }
  func control(_ node: ViewNode) -> ControlKind? { .toggle }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    try location.enter(.boolean(!location.node.isSet("value")))
  }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    .boolean(try location.boolean(value))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var input = builder.input("checkbox", location, showsValue: false)
    if node.word("style") == "switch" { input.set("role", "switch") }
    input.set("checked", if: node.isSet("value"))
    guard let label = node.shownLabel else { return builder.line(input) }
    var element = HTMLElement("label")
    element.append(input)
    element.append(text: " " + label)
    builder.line(element)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let style = builder.style(of: location)
    let isOn = location.node.isSet("value")
    var text = StyledText(isOn ? "[x]" : "[ ]", isOn ? style.union(.selected) : style)
    if let label = location.node.shownLabel { text.append(" " + label) }
    return builder.control(text, location, hanging: 4)
  }
}

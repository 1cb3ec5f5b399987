import ScriptValue

/// A note with an action, which the builders draw at the end of its layer, and not where it stands.
struct ToastElement: Element {
  let group = ViewElement.Group.act
  let children = ViewElement.Children.text
  let properties = [ViewProperty.action, .init("button", .scalar)]

  func shownText(_ location: ViewLocation) -> String? { location.node.text }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    try location.send("action")
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {}
  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? { nil }
}

extension HTMLBuilder {
  /// A note that is read out when there is time.
  mutating func toast(_ location: ViewLocation) {
    let node = location.node
    var toast = element("div", location)
    toast.set("role", "status")
    wrap(toast) { builder in
      builder.line(HTMLElement("p", text: node.text ?? ""))
      guard node["action"] != nil else { return }
      var button = HTMLElement(
        "button", ["type": "button", "data-shortcut": node.string("shortcut")],
        text: node.toastButton)
      button.set("disabled", if: location.disabled != nil)
      builder.line(button)
    }
  }
}

extension TextBuilder {
  /// A note with its action in a frame. Only the action is the control's own.
  func toast(_ location: ViewLocation) -> any Block {
    let node = location.node
    let owner = location.layerContent.path
    let text = StyledText(node.text ?? "", .tone(node.word("tone")), keepsLines: true)
    var parts: [any Block] = [TextBlock(text, owner: owner)]
    if node["action"] != nil {
      parts.append(control(StyledText("[ \(node.toastButton) ]", style(of: location)), location))
    }
    return FrameBlock(
      title: StyledText("toast", .caption), content: RowBlock(parts), owner: owner)
  }
}

extension ViewNode {
  /// The name of the action of a toast.
  package var toastButton: String { scalar("button") ?? "Undo" }
}

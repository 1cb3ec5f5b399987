import ScriptValue

struct ButtonElement: Element {
  let group = ViewElement.Group.act
  let children = ViewElement.Children.text
  let properties = [
    ViewProperty.action, .init("role", .word(["primary", "cancel", "destructive"])),
    .style("plain", "bordered", "prominent"), .init("icon", .icon), .init("copy", .text),
  ]

  func shownText(_ location: ViewLocation) -> String? { location.node.text }
  func control(_ node: ViewNode) -> ControlKind? { .button }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    if let dismissal = try alertDismissal(location) {
      return .send(dismissal, transaction: location.transaction)
    }
    if let text = location.node.string("copy") { return .copy(text) }
    return try location.send("action")
  }

  /// The action of a button of an alert or dialog that only closes it.
  private func alertDismissal(_ location: ViewLocation) throws(ViewRefusal) -> Value? {
    guard let given = location.node["action"], given == "dismiss" || given == ["type": "dismiss"]
    else { return nil }
    let content = location.layerContent
    guard content.step == .presentation("alert") || content.step == .presentation("dialog"),
      // The button is that of the presented state, not of a child inside of it.
      location.ancestors.first(where: { [.child, .forEach].contains($0.node.elementKind) })?.path
        == content.path
    else { return nil }
    return try content.dismissal()
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.line(builder.button(location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let name =
      node.text.map { node.iconPrefix + $0 } ?? node.scalar("label")
      ?? node.string("icon").map { ViewIcon.sign(of: $0) ?? ":\($0):" } ?? ""
    return builder.control(StyledText("[ \(name) ]", builder.style(of: location)), location)
  }
}

/// What leads to an address or a file, or sends an action.
struct LinkElement: Element {
  let group = ViewElement.Group.act
  let children = ViewElement.Children.text
  let properties = [ViewProperty.action, .init("href", .text), .init("file", .file)]

  func shownText(_ location: ViewLocation) -> String? { location.node.text }
  func control(_ node: ViewNode) -> ControlKind? { .button }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    let node = location.node
    if node["action"] != nil { return try location.send("action") }
    if let file = node.file { return .download(file) }
    if let address = node.safeAddress { return .open(address) }
    throw ViewRefusal(
      .impossible,
      "\(location.designation) has neither an `action` nor a `file` nor an address that is safe to open"
    )
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    guard node["action"] == nil, node["file"] == nil else {
      return builder.line(builder.button(location, role: "link"))
    }
    let address = node.safeAddress
    guard let address, location.disabled == nil else {
      var text = builder.element("span", location)
      text.append(text: node.label ?? "")
      builder.line(text)
      if address == nil { builder.note("address left out") }
      return
    }
    var link = builder.element("a", location)
    link.set("href", address)
    link.set("rel", "noopener noreferrer")
    link.append(text: node.label ?? "")
    builder.line(link)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    var text = StyledText("<\(node.label ?? "")>", builder.style(of: location))
    if node["action"] == nil, node.file == nil, node.safeAddress == nil {
      text.append(" (address left out)", .placeholder)
    }
    return builder.control(text, location)
  }
}

extension ViewNode {
  /// The address of a link; nil if there is none that is safe to open.
  fileprivate var safeAddress: String? { string("href").flatMap { SafeAddress.link($0) } }
}

extension HTMLBuilder {
  /// - Parameter role: what it is for assistive technology, if it is no button.
  fileprivate func button(_ location: ViewLocation, role: String? = nil) -> HTMLElement {
    let node = location.node
    var button = element("button", location)
    button.set("type", "button")
    button.set("role", role)
    button.set("data-icon", node.string("icon"))
    button.set("data-shortcut", node.string("shortcut"))
    button.set("disabled", if: location.disabled != nil)
    button.append(text: node.text ?? (node.string("icon") == nil ? node.scalar("label") ?? "" : ""))
    return button
  }
}

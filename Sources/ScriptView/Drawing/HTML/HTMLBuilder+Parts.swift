import ScriptValue

/// What several elements write.
extension HTMLBuilder {
  /// A line with a text.
  mutating func line(_ tag: String, _ location: ViewLocation, _ text: String) {
    var element = element(tag, location)
    element.append(text: text)
    writer.line(element)
  }

  /// What a menu or a disclosure holds, below its label.
  mutating func details(_ location: ViewLocation, isOpen: Bool) {
    var details = element("details", location, isNamed: true)
    details.set("open", if: isOpen)
    wrap(details) { builder in
      let (label, icon) = (location.node.scalar("label"), location.node.iconForLabel)
      var summary = HTMLElement("summary", text: icon == nil ? label ?? "" : "")
      if icon != nil { summary.set("aria-label", label) }
      summary.set("data-icon", location.node.string("icon"))
      builder.writer.line(summary)
      builder.children(of: location)
    }
  }

  // MARK: Controls

  /// The element that is entered into, inside of its label; by itself if the label is hidden.
  ///
  /// - Parameter value: what stands behind the control.
  func labelled(
    _ control: HTMLElement, _ location: ViewLocation, showing value: HTMLElement? = nil
  ) -> HTMLElement {
    let label = location.node.shownLabel
    guard label != nil || value != nil else { return control }
    var element = HTMLElement("label")
    if let label { element.append(text: label + " ") }
    element.append(control)
    if let value {
      element.append(text: " ")
      element.append(value)
    }
    return element
  }

  /// An element that is entered into.
  func control(_ tag: String, _ location: ViewLocation) -> HTMLElement {
    let node = location.node
    var control = element(tag, location, isNamed: node.shownLabel != nil)
    control.set("name", node.string("name"))
    control.set("placeholder", node.scalar("prompt"))
    control.set("data-shortcut", node.string("shortcut"))
    if node.scalar("error")?.isEmpty == false { control.set("aria-invalid", "true") }
    control.set("disabled", if: location.disabled != nil)
    return control
  }

  func input(
    _ type: String, _ location: ViewLocation, showsValue: Bool = true
  ) -> HTMLElement {
    var input = control("input", location)
    input.set("type", type)
    if showsValue { input.set("value", location.node.scalar("value") ?? "") }
    return input
  }
}

extension Value {
  /// A number as an attribute has it; nil for other values.
  var drawnNumber: String? { double == nil ? nil : drawnScalar }
}

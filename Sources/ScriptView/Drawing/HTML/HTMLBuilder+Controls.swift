import ScriptValue

/// The elements that act, and those in which one enters something.
extension HTMLBuilder {
  mutating func acting(_ location: ViewLocation) {
    switch location.node.kind {
    case "button": writer.line(button(location))
    case "link": link(location)
    case "menu":
      let node = location.node
      wrap(element("details", location, isNamed: true)) { builder in
        builder.writer.line(HTMLElement("summary", text: node.scalar("label") ?? ""))
        builder.children(of: location)
      }
    default: break
    }
  }

  /// - Parameter role: what it is for assistive technology, if it is no button.
  private func button(_ location: ViewLocation, role: String? = nil) -> HTMLElement {
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

  private mutating func link(_ location: ViewLocation) {
    let node = location.node
    guard node["action"] == nil else { return writer.line(button(location, role: "link")) }
    let address = node.string("href").flatMap { SafeAddress.link($0) }
    guard let address, location.disabled == nil else {
      var text = element("span", location)
      text.append(text: node.label ?? "")
      writer.line(text)
      if address == nil { note("address left out") }
      return
    }
    var link = element("a", location)
    link.set("href", address)
    link.set("rel", "noopener noreferrer")
    link.append(text: node.label ?? "")
    writer.line(link)
  }

  // MARK: Entering

  mutating func entering(_ location: ViewLocation) {
    let node = location.node
    switch node.kind {
    case "textField": writer.line(labelled(input("text", location), location))
    // A password has no business in a page.
    case "secureField": writer.line(labelled(input("password", location, value: nil), location))
    case "textEditor":
      var area = control("textarea", location)
      area.set("rows", String(node.wholeNumber("lines", in: 1...100) ?? 3))
      area.append(text: node.scalar("value") ?? "")
      writer.line(labelled(area, location))
    case "toggle": toggle(location)
    case "picker": picker(location)
    case "slider", "stepper":
      var input = input(node.kind == "slider" ? "range" : "number", location)
      let range = ViewRange(node)
      input.set("min", range.min.flatMap { Value.float($0).drawnNumber })
      input.set("max", range.max.flatMap { Value.float($0).drawnNumber })
      input.set("step", range.step.flatMap { Value.float($0).drawnNumber } ?? "any")
      writer.line(labelled(input, location))
    case "datePicker":
      let types = ["time": "time", "dateTime": "datetime-local"]
      var input = input(types[node.word("style") ?? ""] ?? "date", location)
      input.set("min", node.string("min"))
      input.set("max", node.string("max"))
      writer.line(labelled(input, location))
    default: break
    }
    if let error = node.scalar("error"), !error.isEmpty {
      var line = HTMLElement("p", text: error)
      line.set("class", "error")
      line.set("role", "alert")
      writer.line(line)
    }
  }

  /// The element that is entered into, inside of its label; by itself if the label is hidden.
  private func labelled(_ control: HTMLElement, _ location: ViewLocation) -> HTMLElement {
    guard let label = drawnLabel(location.node) else { return control }
    var element = HTMLElement("label")
    element.append(text: label + " ")
    element.append(control)
    return element
  }

  private func drawnLabel(_ node: ViewNode) -> String? {
    node.isSet("labelHidden") ? nil : node.scalar("label")
  }

  /// An element that is entered into.
  private func control(_ tag: String, _ location: ViewLocation) -> HTMLElement {
    let node = location.node
    var control = element(tag, location, isNamed: drawnLabel(node) != nil)
    control.set("name", node.string("name"))
    control.set("placeholder", node.scalar("prompt"))
    control.set("data-shortcut", node.string("shortcut"))
    if node.scalar("error")?.isEmpty == false { control.set("aria-invalid", "true") }
    control.set("disabled", if: location.disabled != nil)
    return control
  }

  private func input(_ type: String, _ location: ViewLocation) -> HTMLElement {
    input(type, location, value: location.node.scalar("value") ?? "")
  }

  private func input(_ type: String, _ location: ViewLocation, value: String?) -> HTMLElement {
    var input = control("input", location)
    input.set("type", type)
    input.set("value", value)
    return input
  }

  private mutating func toggle(_ location: ViewLocation) {
    let node = location.node
    var input = control("input", location)
    input.set("type", "checkbox")
    if node.word("style") == "switch" { input.set("role", "switch") }
    input.set("checked", if: node.isSet("value"))
    guard let label = drawnLabel(node) else { return writer.line(input) }
    var element = HTMLElement("label")
    element.append(input)
    element.append(text: " " + label)
    writer.line(element)
  }

  // MARK: Pickers

  private mutating func picker(_ location: ViewLocation) {
    let node = location.node
    guard node.word("style") == "segmented" || node.word("style") == "radio" else {
      return menuPicker(location)
    }
    var group = element("fieldset", location, isNamed: drawnLabel(node) != nil)
    group.set("role", "radiogroup")
    group.set("disabled", if: location.disabled != nil)
    wrap(group) { builder in
      if let label = builder.drawnLabel(node) {
        builder.writer.line(HTMLElement("legend", text: label))
      }
      for option in node.options {
        var input = HTMLElement("input")
        input.set("type", "radio")
        input.set("value", option.value.drawnScalar ?? option.label)
        input.set("checked", if: node.isChosen(option))
        var line = HTMLElement("label")
        line.append(input)
        line.append(text: " " + option.label)
        builder.writer.line(line)
      }
    }
  }

  private mutating func menuPicker(_ location: ViewLocation) {
    let node = location.node
    let select = control("select", location)
    func options(_ builder: inout HTMLBuilder) {
      builder.wrap(select) { builder in
        for option in node.options {
          var line = HTMLElement("option")
          line.set("value", option.value.drawnScalar ?? option.label)
          line.set("selected", if: node.isChosen(option))
          line.append(text: option.label)
          builder.writer.line(line)
        }
      }
    }
    guard let label = drawnLabel(node) else { return options(&self) }
    wrap(HTMLElement("label")) { builder in
      builder.writer.line(HTMLElement("span", text: label))
      options(&builder)
    }
  }
}

import ScriptValue

/// The elements that act, and those in which one enters something.
extension HTMLBuilder {
  /// - Parameter role: what it is for assistive technology, if it is no button.
  func button(_ location: ViewLocation, role: String? = nil) -> HTMLElement {
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

  mutating func link(_ location: ViewLocation) {
    let node = location.node
    guard node["action"] == nil, node["file"] == nil else {
      return writer.line(button(location, role: "link"))
    }
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

  /// A note with its action, which is read out when there is time.
  mutating func toast(_ location: ViewLocation) {
    let node = location.node
    var toast = element("div", location)
    toast.set("role", "status")
    wrap(toast) { builder in
      builder.writer.line(HTMLElement("p", text: node.text ?? ""))
      guard node["action"] != nil else { return }
      var button = HTMLElement("button")
      button.set("type", "button")
      button.set("data-shortcut", node.string("shortcut"))
      button.set("disabled", if: location.disabled != nil)
      button.append(text: node.toastButton)
      builder.writer.line(button)
    }
  }

  // MARK: Entering

  /// A field of one line.
  mutating func field(_ type: String, _ location: ViewLocation, showsValue: Bool = true) {
    writer.line(labelled(input(type, location, showsValue: showsValue), location))
  }

  mutating func textEditor(_ location: ViewLocation) {
    let node = location.node
    var area = control("textarea", location)
    area.set("rows", String(node.wholeNumber("lines", in: 1...100) ?? 3))
    area.append(text: node.scalar("value") ?? "")
    writer.line(labelled(area, location))
  }

  /// A slider with its value.
  mutating func slider(_ location: ViewLocation) {
    var value = HTMLElement("output")
    value.append(text: location.node["value"]?.drawnNumber ?? "")
    writer.line(labelled(rangeField("range", location), location, showing: value))
  }

  /// A field for a number, with a button for each direction.
  mutating func stepper(_ location: ViewLocation) {
    writer.line(labelled(rangeField("number", location), location))
    for (name, label, sign) in [("less", "Decrease", "−"), ("more", "Increase", "+")] {
      var button = HTMLElement("button")
      button.set("type", "button")
      button.set("class", name)
      button.set("aria-label", label)
      button.set("disabled", if: location.disabled != nil)
      button.append(text: sign)
      writer.line(button)
    }
  }

  /// A field for a number between two bounds.
  private func rangeField(_ type: String, _ location: ViewLocation) -> HTMLElement {
    var input = input(type, location)
    let range = ViewRange(location.node)
    input.set("min", range.min.flatMap { Value.float($0).drawnNumber })
    input.set("max", range.max.flatMap { Value.float($0).drawnNumber })
    input.set("step", range.step.flatMap { Value.float($0).drawnNumber } ?? "any")
    return input
  }

  mutating func datePicker(_ location: ViewLocation) {
    let node = location.node
    let types = ["time": "time", "dateTime": "datetime-local"]
    var input = input(types[node.word("style") ?? ""] ?? "date", location)
    input.set("min", node.string("min"))
    input.set("max", node.string("max"))
    writer.line(labelled(input, location))
  }

  /// A field for a file, with the name of the one that was chosen.
  mutating func file(_ location: ViewLocation) {
    let node = location.node
    var input = input("file", location, showsValue: false)
    let kinds = node.acceptedFiles
    input.set("accept", kinds.isEmpty ? nil : kinds.joined(separator: ","))
    let name = ViewFile(node["value"]).map { HTMLElement("output", text: $0.name) }
    writer.line(labelled(input, location, showing: name))
  }

  /// The element that is entered into, inside of its label; by itself if the label is hidden.
  ///
  /// - Parameter value: what stands behind the control.
  private func labelled(
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
  private func control(_ tag: String, _ location: ViewLocation) -> HTMLElement {
    let node = location.node
    var control = element(tag, location, isNamed: node.shownLabel != nil)
    control.set("name", node.string("name"))
    control.set("placeholder", node.scalar("prompt"))
    control.set("data-shortcut", node.string("shortcut"))
    if node.scalar("error")?.isEmpty == false { control.set("aria-invalid", "true") }
    control.set("disabled", if: location.disabled != nil)
    return control
  }

  private func input(
    _ type: String, _ location: ViewLocation, showsValue: Bool = true
  ) -> HTMLElement {
    var input = control("input", location)
    input.set("type", type)
    if showsValue { input.set("value", location.node.scalar("value") ?? "") }
    return input
  }

  mutating func toggle(_ location: ViewLocation) {
    let node = location.node
    var input = control("input", location)
    input.set("type", "checkbox")
    if node.word("style") == "switch" { input.set("role", "switch") }
    input.set("checked", if: node.isSet("value"))
    guard let label = node.shownLabel else { return writer.line(input) }
    var element = HTMLElement("label")
    element.append(input)
    element.append(text: " " + label)
    writer.line(element)
  }

  // MARK: Pickers

  mutating func picker(_ location: ViewLocation) {
    let node = location.node
    guard node.word("style") == "segmented" || node.word("style") == "radio" else {
      return menuPicker(location)
    }
    var group = element("fieldset", location, isNamed: node.shownLabel != nil)
    group.set("role", "radiogroup")
    group.set("disabled", if: location.disabled != nil)
    wrap(group) { builder in
      if let label = node.shownLabel {
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
    guard let label = node.shownLabel else { return options(&self) }
    wrap(HTMLElement("label")) { builder in
      builder.writer.line(HTMLElement("span", text: label))
      options(&builder)
    }
  }
}

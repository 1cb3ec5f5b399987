import ScriptValue

/// The elements that show something.
extension HTMLBuilder {
  mutating func line(_ tag: String, _ location: ViewLocation, _ text: String) {
    var element = element(tag, location)
    element.append(text: text)
    writer.line(element)
  }

  mutating func image(_ location: ViewLocation) {
    let node = location.node
    var image = element("img", location, isNamed: true)
    let address = node.string("source").flatMap { SafeAddress.image($0) }
    image.set("src", address)
    for side in ["width", "height"] { image.set(side, node[side]?.drawnNumber) }
    image.set("alt", node.isDecorative ? "" : node.scalar("label") ?? "")
    writer.line(image)
    if node["source"] != nil, address == nil { note("address left out") }
  }

  /// SVG. One in which something can be tapped is no image, because those have no parts.
  mutating func canvas(_ location: ViewLocation) {
    let node = location.node
    var svg = element("svg", location)
    if !node.isDecorative {
      let hasControls = location.shownChildren.contains { $0.node.isControl }
      svg.set("role", hasControls ? "group" : "img")
    }
    if let width = node["width"]?.drawnNumber, let height = node["height"]?.drawnNumber {
      svg.set("width", width)
      svg.set("height", height)
      svg.set("viewBox", "0 0 \(width) \(height)")
    }
    box(svg, location)
  }

  mutating func shape(_ location: ViewLocation) {
    let node = location.node
    guard let shape = ViewShape(node) else { return note("shape left out") }
    var element = element(shape.tag, location)
    if node.isControl {
      element.set("role", "button")
      element.set("tabindex", location.disabled == nil ? "0" : nil)
      element.set("aria-disabled", location.disabled == nil ? nil : "true")
    }
    for (name, value) in shape.attributes { element.set(name, value) }
    if let text = shape.text { element.append(text: text) }
    writer.line(element)
  }

  mutating func icon(_ location: ViewLocation) {
    let node = location.node
    var icon = element("span", location)
    if !node.isDecorative { icon.set("role", "img") }
    let name = node.text ?? ""
    icon.set("data-icon", node.text)
    icon.append(text: ViewIcon.sign(of: name) ?? name)
    writer.line(icon)
  }

  mutating func progress(_ location: ViewLocation) {
    let node = location.node
    var progress = element("progress", location)
    if node.word("style") != "spinner" {
      progress.set("value", node["value"]?.drawnNumber)
      progress.set("max", node["max"]?.drawnNumber)
    }
    writer.line(progress)
  }

  /// A value as it is drawn, with the value itself in an attribute, behind its label.
  mutating func value(
    _ tag: String, _ attribute: String, _ text: String?, _ location: ViewLocation
  ) {
    guard let text else { return }
    let node = location.node
    var value = HTMLElement(tag)
    value.set(attribute, node["value"]?.drawnScalar)
    value.append(text: text)
    var line = element("p", location, isNamed: true)
    if let label = node.scalar("label"), !label.isEmpty { line.append(text: label + ": ") }
    line.append(value)
    writer.line(line)
  }
}

extension Value {
  /// A number as an attribute has it; nil for other values.
  var drawnNumber: String? { double == nil ? nil : drawnScalar }
}

import ScriptValue

struct ImageElement: ShownElement {
  let properties = [
    ViewProperty("source", .text), .init("file", .file), .init("width", .number),
    .init("height", .number),
  ]

  func shownText(_ location: ViewLocation) -> String? { location.pictureLabel }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var image = builder.element("img", location, isNamed: true)
    let address = node.string("source").flatMap { SafeAddress.image($0) }
    image.set("src", address)
    for side in ["width", "height"] { image.set(side, node[side]?.drawnNumber) }
    image.set("alt", node.isDecorative ? "" : node.scalar("label") ?? "")
    builder.line(image)
    if node["source"] != nil, address == nil { builder.note("address left out") }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    guard !location.node.isDecorative else { return nil }
    return TextBlock(StyledText(of: "image", location.node), owner: location.path)
  }
}

struct IconElement: ShownElement {
  let children = ViewElement.Children.text
  let properties = [ViewProperty("text", .icon)]

  func shownText(_ location: ViewLocation) -> String? { location.pictureLabel }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var icon = builder.element("span", location)
    if !node.isDecorative { icon.set("role", "img") }
    let name = node.text ?? ""
    icon.set("data-icon", node.text)
    icon.append(text: ViewIcon.sign(of: name) ?? name)
    builder.line(icon)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    guard !node.isDecorative, let name = node.label else { return nil }
    let sign = node.text.flatMap { ViewIcon.sign(of: $0) } ?? ":\(name):"
    return TextBlock(StyledText(sign, .tone(node.word("tone"))), owner: location.path)
  }
}

/// A drawing. The store makes a child of each of its shapes.
struct CanvasElement: ShownElement {
  let properties = [
    ViewProperty("width", .number), .init("height", .number), .init("shapes", .shapes),
  ]

  func shownText(_ location: ViewLocation) -> String? { location.pictureLabel }

  /// SVG. One in which something can be tapped is no image, because those have no parts.
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var svg = builder.element("svg", location)
    if !node.isDecorative {
      let hasControls = location.shownChildren.contains { $0.node.isControl }
      svg.set("role", hasControls ? "group" : "img")
    }
    if let width = node["width"]?.drawnNumber, let height = node["height"]?.drawnNumber {
      svg.set("width", width)
      svg.set("height", height)
      svg.set("viewBox", "0 0 \(width) \(height)")
    }
    builder.box(svg, location)
  }

  /// What a drawing shows is in its label. Below are the shapes that can be tapped.
  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let shapes = builder.children(of: location)
    let text = StyledText(of: "drawing", node)
    let note = node.isDecorative ? [] : [TextBlock(text, owner: location.path)]
    guard !shapes.isEmpty else { return note.first }
    return ColumnBlock(note + [RowBlock(shapes, wraps: true)])
  }
}

/// A shape of a canvas: a button if it has `onTap`, and otherwise nothing but a part of the picture.
struct ShapeElement: Element {
  let group = ViewElement.Group.part
  let properties = [ViewProperty("shape", .text), .init("onTap", .action)]
  let isItem = false

  func parts(of location: ViewLocation) -> [ViewItem] {
    location.node.isControl ? [ViewItem("button", location.node.name, location)] : []
  }

  func control(_ node: ViewNode) -> ControlKind? { node.isControl ? .button : nil }

  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? {
    location.node.isControl ? try location.send("onTap") : nil
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    guard let shape = ViewShape(node) else { return builder.note("shape left out") }
    var element = builder.element(shape.tag, location)
    if node.isControl {
      element.set("role", "button")
      element.set("tabindex", location.disabled == nil ? "0" : nil)
      element.set("aria-disabled", location.disabled == nil ? nil : "true")
    }
    for (name, value) in shape.attributes { element.set(name, value) }
    if let text = shape.text { element.append(text: text) }
    builder.line(element)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    guard location.node.isControl else { return nil }
    return builder.control(
      StyledText("[ \(location.node.label ?? "") ]", builder.style(of: location)), location)
  }
}

extension ViewLocation {
  /// What a picture shows, unless it is there for its looks only.
  fileprivate var pictureLabel: String? { node.isDecorative ? nil : node.scalar("label") }
}

extension StyledText {
  /// What stands for a picture: `[image: A cat]`.
  fileprivate init(of word: String, _ node: ViewNode) {
    self.init("[\(word)", .placeholder)
    if let label = node.scalar("label") { append(": " + label, .placeholder) }
    append("]", .placeholder)
  }
}

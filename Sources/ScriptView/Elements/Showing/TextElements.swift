import ScriptValue

struct TextElement: ShownElement {
  let children = ViewElement.Children.text
  let properties = [ViewProperty.style("title", "headline", "body", "caption", "code")]

  func shownText(_ location: ViewLocation) -> String? { location.node.text }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    guard let text = location.node.text, !text.isEmpty else { return }
    builder.line(location.node.word("style") == "code" ? "code" : "p", location, text)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    guard let text = node.text, !text.isEmpty else { return nil }
    let style: Canvas.Style =
      switch node.word("style") {
      case "title": .title
      case "headline": .headline
      case "caption": .caption
      case "code": .code
      default: []
      }
    return TextBlock(
      StyledText(text, style.union(.tone(node.word("tone"))), keepsLines: true),
      owner: location.path)
  }
}

struct HeadingElement: ShownElement {
  let children = ViewElement.Children.text
  let properties = [ViewProperty("level", .count([]))]

  func shownText(_ location: ViewLocation) -> String? { location.node.text }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    guard let text = location.node.text, !text.isEmpty else { return }
    builder.line("h\(location.node.wholeNumber("level", in: 1...6) ?? 2)", location, text)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    guard let text = location.node.text, !text.isEmpty else { return nil }
    let level = location.node.number("level") ?? 2
    return TitleBlock(
      StyledText(text, level <= 1 ? .title : .headline), underline: level <= 2 ? "─" : nil,
      owner: location.path)
  }
}

struct BadgeElement: ShownElement {
  let children = ViewElement.Children.text

  func shownText(_ location: ViewLocation) -> String? { location.node.text }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.line("span", location, location.node.text ?? "")
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    return node.text.map {
      TextBlock(StyledText("(\($0))", .tone(node.word("tone"))), owner: location.path)
    }
  }
}

struct DividerElement: ShownElement {
  let isItem = false

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.line(builder.element("hr", location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    RuleBlock(owner: location.path)
  }
}

struct SpacerElement: ShownElement {
  let isItem = false

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.line(builder.element("span", location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    ModifiedBlock(ColumnBlock([]), grows: true)
  }
}

/// A title with a line under it.
struct TitleBlock: Block {
  private let text: TextBlock
  private let underline: Character?
  private let owner: ViewPath

  init(_ text: StyledText, underline: Character?, owner: ViewPath) {
    self.text = TextBlock(text, owner: owner)
    self.underline = underline
    self.owner = owner
  }

  var naturalWidth: Int { text.naturalWidth }
  var minimumWidth: Int { text.minimumWidth }
  var isApart: Bool { true }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let height = text.draw(on: &canvas, x: x, y: y, width: width)
    guard let underline else { return height }
    return height
      + RuleBlock(character: underline, owner: owner).draw(
        on: &canvas, x: x, y: y + height, width: min(width, naturalWidth))
  }
}

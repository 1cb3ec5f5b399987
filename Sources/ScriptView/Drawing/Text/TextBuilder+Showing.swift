import ScriptValue

/// The elements that show something.
extension TextBuilder {
  func text(_ location: ViewLocation) -> (any Block)? {
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
      StyledText(text, style.union(tone(node)), keepsLines: true), owner: location.path)
  }

  func heading(_ location: ViewLocation) -> (any Block)? {
    guard let text = location.node.text, !text.isEmpty else { return nil }
    let level = location.node.number("level") ?? 2
    return TitleBlock(
      StyledText(text, level <= 1 ? .title : .headline), underline: level <= 2 ? "─" : nil,
      owner: location.path)
  }

  func image(_ location: ViewLocation) -> (any Block)? {
    guard !location.node.isDecorative else { return nil }
    var text = StyledText("[image", .placeholder)
    if let label = location.node.scalar("label") { text.append(": " + label, .placeholder) }
    text.append("]", .placeholder)
    return TextBlock(text, owner: location.path)
  }

  /// What a drawing shows is in its label. Below are the shapes that can be tapped.
  func canvas(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    var text = StyledText("[drawing", .placeholder)
    if let label = node.scalar("label") { text.append(": " + label, .placeholder) }
    text.append("]", .placeholder)
    let shapes = children(of: location)
    let note = node.isDecorative ? [] : [TextBlock(text, owner: location.path)]
    guard !shapes.isEmpty else { return note.first }
    return ColumnBlock(note + [RowBlock(shapes, wraps: true)])
  }

  func icon(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    guard !node.isDecorative, let name = node.label else { return nil }
    let sign = node.text.flatMap { ViewIcon.sign(of: $0) } ?? ":\(name):"
    return TextBlock(StyledText(sign, tone(node)), owner: location.path)
  }

  func badge(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    return node.text.map { TextBlock(StyledText("(\($0))", tone(node)), owner: location.path) }
  }

  /// A value behind its label.
  func labelled(_ value: String?, _ location: ViewLocation) -> (any Block)? {
    guard let value else { return nil }
    var text = label(location.node)
    text.append(value, tone(location.node))
    return TextBlock(text, owner: location.path)
  }

  func progress(_ location: ViewLocation) -> any Block {
    let node = location.node
    var text = label(node)
    if let value = node.number("value"), node.word("style") != "spinner" {
      let max = node.number("max") ?? 1
      let part = max > 0 ? min(Swift.max(value / max, 0), 1) : 0
      text.append(bar(part), tone(node))
      text.append(" \(NumberText.decimal(.float(part * 100), digits: 0)) %", tone(node))
    } else {
      text.append("…", tone(node))
    }
    return TextBlock(text, owner: location.path)
  }

  private func tone(_ node: ViewNode) -> Canvas.Style { .tone(node.word("tone")) }

  /// A bar of ten marks for a number from 0 to 1.
  func bar(_ part: Double) -> String {
    let full = Int((part * 10).rounded(), in: 0...10)
    return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: 10 - full)
      + "]"
  }

  /// The label of an element before its value: `Title: `. Empty if there is none, or it is hidden.
  func label(_ node: ViewNode) -> StyledText {
    guard let label = node.shownLabel, !label.isEmpty else { return StyledText() }
    return StyledText(label + ": ")
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

import ScriptValue

/// The elements that show something.
extension TextBuilder {
  func shown(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    let path = location.path
    let tone = Canvas.Style.tone(node.word("tone"))
    switch node.kind {
    case "text":
      guard let text = node.text, !text.isEmpty else { return nil }
      return TextBlock(
        StyledText(text, style(node.word("style")).union(tone), keepsLines: true), owner: path)
    case "heading":
      guard let text = node.text, !text.isEmpty else { return nil }
      let level = node.number("level") ?? 2
      return TitleBlock(
        StyledText(text, level <= 1 ? .title : .headline), underline: level <= 2 ? "─" : nil,
        owner: path)
    case "image":
      guard !node.isDecorative else { return nil }
      var text = StyledText("[image", .placeholder)
      if let label = node.scalar("label") { text.append(": " + label, .placeholder) }
      text.append("]", .placeholder)
      return TextBlock(text, owner: path)
    case "icon":
      guard !node.isDecorative, let name = node.label else { return nil }
      return TextBlock(StyledText(":\(name):", tone), owner: path)
    case "progress": return TextBlock(progress(node, tone), owner: path)
    case "divider": return RuleBlock(owner: path)
    case "spacer": return SpacerBlock()
    case "badge": return node.text.map { TextBlock(StyledText("(\($0))", tone), owner: path) }
    case "date":
      return labelled(DateText.text(of: node), node, tone).map { TextBlock($0, owner: path) }
    case "number":
      return labelled(NumberText.text(of: node), node, tone).map { TextBlock($0, owner: path) }
    default: return nil
    }
  }

  private func style(_ word: String?) -> Canvas.Style {
    switch word {
    case "title": .title
    case "headline": .headline
    case "caption": .caption
    case "code": .code
    default: []
    }
  }

  private func labelled(_ value: String?, _ node: ViewNode, _ style: Canvas.Style) -> StyledText? {
    guard let value else { return nil }
    var text = label(node)
    text.append(value, style)
    return text
  }

  private func progress(_ node: ViewNode, _ style: Canvas.Style) -> StyledText {
    var text = label(node)
    guard let value = node.number("value"), node.word("style") != "spinner" else {
      text.append("…", style)
      return text
    }
    let max = node.number("max") ?? 1
    let part = max > 0 ? min(Swift.max(value / max, 0), 1) : 0
    text.append(bar(part), style)
    text.append(" \(NumberText.decimal(.float(part * 100), digits: 0)) %", style)
    return text
  }

  /// A bar of ten marks for a number from 0 to 1.
  func bar(_ part: Double) -> String {
    let full = Int((part * 10).rounded(), in: 0...10)
    return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: 10 - full)
      + "]"
  }

  /// The label of an element before its value: `Title: `. Empty if there is none, or it is hidden.
  func label(_ node: ViewNode) -> StyledText {
    guard !node.isSet("labelHidden"), let label = node.scalar("label"), !label.isEmpty else {
      return StyledText()
    }
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

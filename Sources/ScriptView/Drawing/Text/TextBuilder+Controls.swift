import ScriptValue

/// The elements that act, and those in which one enters something.
extension TextBuilder {
  func button(_ location: ViewLocation) -> any Block {
    let node = location.node
    let name =
      node.text.map { node.iconPrefix + $0 } ?? node.scalar("label")
      ?? node.string("icon").map { ViewIcon.sign(of: $0) ?? ":\($0):" } ?? ""
    return control(StyledText("[ \(name) ]", style(of: location)), location)
  }

  /// Nil for a shape that only shows something.
  func shape(_ location: ViewLocation) -> (any Block)? {
    guard location.node.isControl else { return nil }
    return control(
      StyledText("[ \(location.node.label ?? "") ]", style(of: location)), location)
  }

  func link(_ location: ViewLocation) -> any Block {
    let node = location.node
    var text = StyledText("<\(node.label ?? "")>", style(of: location))
    if node["action"] == nil, node.file == nil,
      node.string("href").flatMap({ SafeAddress.link($0) }) == nil
    {
      text.append(" (address left out)", .placeholder)
    }
    return control(text, location)
  }

  func menu(_ location: ViewLocation) -> any Block {
    let node = location.node
    let sign = node.iconForLabel.flatMap { ViewIcon.sign(of: $0) }
    let label = sign ?? node.iconPrefix + (node.scalar("label") ?? "")
    let title = control(StyledText("[ \(label) ▾ ]", style(of: location)), location)
    // On a terminal the menu is closed, and its items open above the rest of the screen.
    if reader != nil { return title }
    return ColumnBlock([title, IndentBlock(ColumnBlock(children(of: location)))])
  }

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

  func toggle(_ location: ViewLocation) -> any Block {
    let style = style(of: location)
    let isOn = location.node.isSet("value")
    var text = StyledText(isOn ? "[x]" : "[ ]", isOn ? style.union(.selected) : style)
    if let label = location.node.shownLabel { text.append(" " + label) }
    return control(text, location, hanging: 4)
  }

  func datePicker(_ location: ViewLocation) -> any Block {
    var text = label(location.node)
    let value = reader?.text(of: location) ?? location.node.scalar("value") ?? " - "
    text.append("[\(value)]", style(of: location))
    return control(text, location)
  }

  func stepper(_ location: ViewLocation) -> any Block {
    let style = style(of: location)
    var text = label(location.node)
    text.append("[-]", style, part: 1)
    text.append(" \(location.node["value"]?.drawnScalar ?? "-") ", style)
    text.append("[+]", style, part: 2)
    return control(text, location)
  }

  func slider(_ location: ViewLocation) -> any Block {
    let node = location.node
    let style = style(of: location)
    var text = label(node)
    let part = node.number("value").map { ViewRange(node).part(of: $0) } ?? 0
    for (index, mark) in bar(part).enumerated() {
      text.append(String(mark), style, part: index)
    }
    text.append(" " + (node["value"]?.drawnScalar ?? "-"), style)
    return control(text, location)
  }

  /// How a control is drawn: what it means, and whether it can be used.
  private func style(of location: ViewLocation) -> Canvas.Style {
    let node = location.node
    var style = Canvas.Style.tone(node.word("tone")).union(.control)
    if location.disabled != nil { style.insert(.disabled) }
    if node.word("role") == "destructive" { style.insert(.danger) }
    if node.word("role") == "primary" { style.insert(.accent) }
    if let name = node.string("name"), let container = location.focusContainer,
      container.node["focused"]?.string == name
    {
      style.insert(.focused)
    }
    return style
  }

  /// A control of one text. That it is disabled is said in words.
  ///
  /// - Parameter breaks: whether it may be broken into lines where one uses it.
  private func control(
    _ text: StyledText, _ location: ViewLocation, hanging: Int = 0, breaks: Bool = false
  ) -> any Block {
    var text = text
    if location.disabled != nil { text.append(" (disabled)", .placeholder) }
    return TextBlock(
      text, owner: location.path, hanging: hanging, keepsControls: reader != nil && !breaks)
  }

  /// What a control says of itself, and what is wrong with what was entered, below the control.
  func withNotes(_ block: any Block, _ location: ViewLocation) -> any Block {
    let notes = [("hint", "", Canvas.Style.caption), ("error", "! ", .danger)].compactMap {
      (name, mark, style) -> (any Block)? in
      guard let note = location.node.scalar(name), !note.isEmpty else { return nil }
      let text = StyledText(mark + note, style)
      return IndentBlock(TextBlock(text, owner: location.path, hanging: mark.count))
    }
    return notes.isEmpty ? block : ColumnBlock([block] + notes)
  }

  // MARK: Fields

  /// The text of a field with room to write: `Milk____`. What stands for an empty one is in
  /// parentheses.
  func field(_ location: ViewLocation) -> any Block {
    let node = location.node
    let style = style(of: location)
    var label = label(node)
    if node.isSearch { label.append("⌕ ", style) }
    if let reader { return reader.field(location, label, style) }
    var text = StyledText()
    let value = node.scalar("value") ?? ""
    if node.elementKind == .secureField {
      text.append(String(repeating: "*", count: value.prefix(32).count), style)
    } else if value.isEmpty, let prompt = TextBuilder.placeholder(node) {
      text.append("(\(prompt))", style.union(.placeholder))
    } else {
      text.append(value, style)
    }
    text.append(String(repeating: "_", count: max(8 - text.lastWidth, 1)), style)
    label.append(text)
    return control(label, location)
  }

  /// The file that was chosen. On a terminal there is a field for the path of another one.
  func file(_ location: ViewLocation) -> any Block {
    let node = location.node
    let (label, style) = (label(node), style(of: location))
    if let reader { return reader.field(location, label, style) }
    var text = label
    text.append("[ \(ViewFile(node["value"])?.name ?? "choose a file") ]", style)
    return control(text, location)
  }

  /// What an empty field shows: the prompt; or the label, if it is not drawn otherwise; or the file that was chosen.
  static func placeholder(_ node: ViewNode) -> String? {
    if node.elementKind == .file { return ViewFile(node["value"])?.name ?? "path of a file" }
    return node.scalar("prompt") ?? (node.isSet("labelHidden") ? node.scalar("label") : nil)
  }

  func editor(_ location: ViewLocation) -> any Block {
    let node = location.node
    let style = style(of: location)
    let value = node.scalar("value") ?? ""
    var text = StyledText()
    if value.isEmpty, let prompt = TextBuilder.placeholder(node) {
      text.append("(\(prompt))", style.union(.placeholder))
    } else {
      text.append(value, style, keepsLines: true)
    }
    text.append("_", style)
    let lines = node.wholeNumber("lines", in: 1...100) ?? 3
    while text.lines.count < lines { text.append("\n", keepsLines: true) }
    let content: any Block =
      reader?.editor(location, style, lines: lines) ?? TextBlock(text, owner: location.path)
    var blocks: [any Block] = []
    let label = label(node)
    if !label.isEmpty { blocks.append(TextBlock(label, owner: location.path)) }
    blocks.append(BarBlock(content: content, owner: location.path))
    if location.disabled != nil {
      blocks.append(TextBlock(StyledText("(disabled)", .placeholder), owner: location.path))
    }
    return ColumnBlock(blocks)
  }

  // MARK: Pickers

  func picker(_ location: ViewLocation) -> any Block {
    let node = location.node
    let style = style(of: location)
    let options = node.options
    switch node.pickerStyle {
    case "radio":
      let lines = radioLines(location, style)
      let label = label(node)
      guard !label.isEmpty || location.disabled != nil else { return ColumnBlock(lines) }
      return ColumnBlock([control(label, location), IndentBlock(ColumnBlock(lines))])
    case "menu":
      let chosen = options.first { node.isChosen($0) }?.label ?? "-"
      var text = label(node)
      text.append("[ \(chosen) ▾ ]", style)
      return control(text, location)
    default:
      var text = label(node)
      text.append(
        segments(options.map { ($0.label, node.isChosen($0)) }, style))
      return control(text, location, breaks: true)
    }
  }

  /// The options of a picker below each other: `(*) All`.
  func radioLines(_ location: ViewLocation, _ style: Canvas.Style) -> [any Block] {
    let node = location.node
    return node.options.enumerated().map { index, option in
      let isChosen = node.isChosen(option)
      var text = StyledText()
      text.append(
        (isChosen ? "(*) " : "( ) ") + option.label, isChosen ? style.union(.selected) : style,
        part: index + 1)
      return TextBlock(text, owner: location.path, hanging: 4)
    }
  }

  /// `( all | [active] | completed )`: the chosen one is marked without colour.
  func segments(_ names: [(name: String, isChosen: Bool)], _ style: Canvas.Style) -> StyledText {
    var text = StyledText("( ", style)
    for (index, (name, isChosen)) in names.enumerated() {
      if index > 0 { text.append(" | ", style) }
      text.append(
        isChosen ? "[\(name)]" : name, isChosen ? style.union(.selected) : style, part: index + 1)
    }
    text.append(" )", style)
    return text
  }
}

extension ViewNode {
  /// Whether it is a field for what one looks for, which Escape clears.
  package var isSearch: Bool { elementKind == .textField && word("style") == "search" }

  /// How the options of a picker are drawn, also if the script does not say how.
  package var pickerStyle: String {
    word("style") ?? (options.count <= ViewNode.fewOptions ? "segmented" : "menu")
  }

  /// So many options are drawn beside each other if the script does not say how.
  private static let fewOptions = 5
}

/// A block with a line at its left, as a text of several lines that one can edit.
private struct BarBlock: Block {
  let content: any Block
  let owner: ViewPath

  var naturalWidth: Int { content.naturalWidth + 2 }
  var minimumWidth: Int { content.minimumWidth + 2 }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let height = content.draw(on: &canvas, x: x + 2, y: y, width: max(width - 2, 1))
    let bar = Canvas.Cell(character: "│", width: 1, style: .rule, owner: -1)
    let owner = canvas.owner(owner)
    for offset in 0..<height { canvas.draw([bar], x: x, y: y + offset, owner: owner) }
    return height
  }
}

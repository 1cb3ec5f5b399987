import ScriptValue

/// What several elements draw.
extension TextBuilder {
  /// How a control is drawn: what it means, and whether it can be used.
  func style(of location: ViewLocation) -> Canvas.Style {
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
  func control(
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

import ScriptValue

/// What a person on a terminal is doing with a screen: which field is edited, and where the caret is.
///
/// A drawing for such a person shows each field in one line that scrolls and has the caret, and
/// shows menus closed. Everything else is drawn as in any text.
public struct ScreenReader: Sendable, Hashable {
  /// The text of a field while it is edited.
  public struct Edit: Sendable, Hashable {
    public var path: ViewPath
    /// Stands in the place of the field's value.
    public var text: [Character]
    /// How many characters are before the caret.
    public var caret: Int

    public init(path: ViewPath, text: [Character], caret: Int) {
      self.path = path
      self.text = text
      self.caret = caret
    }
  }

  public var edit: Edit?

  public init(edit: Edit? = nil) { self.edit = edit }
}

extension ScreenReader {
  /// The text of a field as it is now.
  func text(of location: ViewLocation) -> String? {
    if let edit = edit(of: location) { return String(edit.text) }
    return location.node.scalar("value")
  }

  private func edit(of location: ViewLocation) -> Edit? {
    guard let edit, edit.path == location.path else { return nil }
    return edit
  }

  /// A field of one line after its label.
  func field(
    _ location: ViewLocation, _ label: StyledText, _ style: Canvas.Style
  ) -> any Block {
    let node = location.node
    let edit = edit(of: location)
    let field = FieldBlock(
      text: edit?.text ?? Array(node.scalar("value") ?? ""), caret: edit?.caret,
      prompt: node.placeholder, isSecret: node.elementKind == .secureField,
      style: style,
      fills: node.isSet("grow"), owner: location.path)
    var (label, blocks) = (label, [field] as [any Block])
    if !label.isEmpty {
      label.removeLastBlank()
      blocks.insert(TextBlock(label, owner: location.path), at: 0)
    }
    if location.disabled != nil {
      blocks.append(TextBlock(StyledText("(disabled)", .placeholder), owner: location.path))
    }
    return RowBlock(blocks)
  }

  /// A field of several lines.
  func editor(_ location: ViewLocation, _ style: Canvas.Style, lines: Int) -> any Block {
    let edit = edit(of: location)
    let text = edit?.text ?? Array(location.node.scalar("value") ?? "")
    return EditorBlock(
      text: text, caret: edit?.caret, prompt: location.node.placeholder, style: style,
      lines: lines, owner: location.path)
  }
}

import ScriptValue

/// Makes blocks of nodes.
struct TextBuilder {
  /// What the person on the terminal is doing; nil for a drawing that cannot be used.
  var reader: ScreenReader?
  private let room = DrawingRoom()

  /// The blocks of a node: of a place those of what stands there.
  func blocks(for location: ViewLocation) -> [any Block] {
    location.isTransparent ? children(of: location) : [block(for: location)].compactMap(\.self)
  }

  /// The blocks of what a node shows inside.
  func children(of location: ViewLocation) -> [any Block] {
    location.shownChildren.flatMap { child -> [any Block] in
      let blocks = [block(for: child)].compactMap(\.self)
      guard let back = child.wayBack else { return blocks }
      return [backButton(back)] + blocks
    }
  }

  /// The block of a node that is no place; nil if it draws nothing.
  func block(for location: ViewLocation) -> (any Block)? {
    // It stands at the end of its layer.
    if location.node.elementKind == .toast { return nil }
    return takenBlock(location) { modified(location, drawn(location)) }
  }

  /// The blocks of a layer: its content, and then the toasts.
  func blocks(ofLayer content: ViewLocation) -> [any Block] {
    blocks(for: content)
      + content.toasts.compactMap { location in takenBlock(location) { toast(location) } }
  }

  /// A block as long as there is room for its node.
  private func takenBlock(
    _ location: ViewLocation, _ block: () -> (any Block)?
  ) -> (any Block)? {
    switch room.take(location.node) {
    case .left: block()
    case .justExceeded:
      TextBlock(
        StyledText("… the rest is too long to be drawn", .placeholder), owner: location.path)
    case .exceeded: nil
    }
  }

  /// What each element draws.
  private func drawn(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    guard let element = node.element else { return other(location) }
    let block = element.behaviour.block(location, in: self)
    return element.group == .enter ? block.map { withNotes($0, location) } : block
  }

  /// Applies what any element may say of its place.
  private func modified(_ location: ViewLocation, _ block: (any Block)?) -> (any Block)? {
    guard let block else { return nil }
    let node = location.node
    let alignment = ModifiedBlock.Alignment(rawValue: node.word("align") ?? "") ?? .start
    guard alignment != .start || node.isSet("grow") else { return block }
    return ModifiedBlock(block, grows: node.isSet("grow") ? true : nil, alignment: alignment)
  }

  // MARK: What stands outside of elements

  /// A view that raised. The last good tree stays below the message.
  private func failed(_ location: ViewLocation, _ failure: ViewFailure) -> any Block {
    var text = StyledText("! ", .danger)
    text.append(failure.message, .danger, keepsLines: true)
    for detail in [failure.location, failure.traceback].compactMap(\.self) {
      text.append("\n  ", keepsLines: true)
      text.append(detail, .caption, keepsLines: true)
    }
    let message = TextBlock(text, owner: location.path, hanging: 2)
    return ColumnBlock([message] + children(of: location), isApart: true)
  }

  private func backButton(_ back: ViewLocation.WayBack) -> any Block {
    var text = StyledText("‹ ", .control)
    text.append(back.title, .control)
    return TextBlock(text, owner: back.navigation.path)
  }

  private func other(_ location: ViewLocation) -> (any Block)? {
    let node = location.node
    if node.isAlert { return alert(location) }
    if let failure = node.failure { return failed(location, failure) }
    if node.isNothing { return nil }
    var text = StyledText("(", .placeholder)
    text.append(
      node.kind.isEmpty ? "a node without a kind" : "unknown element '\(node.kind)'", .placeholder)
    text.append(")", .placeholder)
    return withChildren(text, location)
  }

  /// A note above the children of a node that is drawn by others, or not at all.
  func withChildren(_ note: StyledText, _ location: ViewLocation) -> any Block {
    ColumnBlock([TextBlock(note, owner: location.path)] + children(of: location))
  }

  /// An alert or a dialog whose state is drawn.
  private func alert(_ location: ViewLocation) -> any Block {
    let node = location.node
    var lines: [any Block] = []
    for (name, style) in [("title", Canvas.Style.headline), ("message", [])] {
      if let text = node.scalar(name) {
        lines.append(TextBlock(StyledText(text, style, keepsLines: true), owner: location.path))
      }
    }
    let buttons = children(of: location)
    if !buttons.isEmpty { lines.append(RowBlock(buttons, isApart: true)) }
    return ColumnBlock(lines)
  }
}

/// What a drawing may still take: a letter that is drawn needs many times the memory that it has in a state.
private final class DrawingRoom {
  enum Room {
    case left
    /// This node is the first one without room.
    case justExceeded
    case exceeded
  }

  /// The most bytes of texts that are drawn.
  private static let most = 2 << 20
  private var left = most

  /// Takes the room of a node without its children.
  func take(_ node: ViewNode) -> Room {
    guard left >= 0 else { return .exceeded }
    guard case .object(let object) = node.value else { return .left }
    for (key, value) in object where key != "kind" && key != "children" {
      switch value {
      // A text is cut when it is drawn.
      case .string(let text): left -= min(text.utf8.count, DrawnText.limit)
      case .array, .object: left -= value.size(upTo: left)
      default: continue
      }
      if left < 0 { return .justExceeded }
    }
    return .left
  }
}

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

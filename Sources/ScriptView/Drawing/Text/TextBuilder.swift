import ScriptValue

/// Makes blocks of nodes.
struct TextBuilder {
  /// What the person on the terminal is doing; nil for a drawing that nobody can use.
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

  /// The blocks of a layer: its content, and the toasts behind that.
  func blocks(ofLayer content: ViewLocation) -> [any Block] {
    blocks(for: content)
      + content.toasts.compactMap { location in takenBlock(location) { toast(location) } }
  }

  /// A block as long as there is room for its node.
  private func takenBlock(
    _ location: ViewLocation, _ block: () -> (any Block)?
  ) -> (any Block)? {
    switch room.take(location.node) {
    case .isThere: block()
    case .hasEnded:
      TextBlock(
        StyledText("… the rest is too long to be drawn", .placeholder), owner: location.path)
    case .isGone: nil
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
    let alignment: ModifiedBlock.Alignment =
      switch node.word("align") {
      case "center": .center
      case "end": .end
      default: .start
      }
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
  enum Taken {
    case isThere
    /// This node was the first one without room.
    case hasEnded
    case isGone
  }

  /// So many bytes of texts are drawn.
  private static let most = 2 << 20
  private var left = most

  /// Takes the room of a node without its children.
  func take(_ node: ViewNode) -> Taken {
    guard left >= 0 else { return .isGone }
    guard case .object(let object) = node.value else { return .isThere }
    for (key, value) in object where key != "kind" && key != "children" {
      switch value {
      // A text is cut when it is drawn.
      case .string(let text): left -= min(text.utf8.count, DrawnText.limit)
      case .array, .object: left -= value.size(upTo: left)
      default: continue
      }
      if left < 0 { return .hasEnded }
    }
    return .isThere
  }
}

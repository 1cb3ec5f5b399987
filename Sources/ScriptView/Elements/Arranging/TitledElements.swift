import ScriptValue

/// A whole screen with its title.
struct ScreenElement: ArrangedElement {
  let properties = [
    ViewProperty("title", .scalar), .init("width", .word(["narrow", "wide", "full"])),
  ]

  func shownText(_ location: ViewLocation) -> String? { location.node.scalar("title") }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.titled("section", "h1", location) { $0.children(of: location) }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    var blocks: [any Block] = [builder.column(location)]
    if let title = shownText(location), !title.isEmpty {
      let title = StyledText(title, .title)
      blocks.insert(TitleBlock(title, underline: "═", owner: location.path), at: 0)
    }
    return ModifiedBlock(ColumnBlock(blocks), widest: mostColumns(location.node))
  }

  private func mostColumns(_ node: ViewNode) -> Int {
    switch node.word("width") {
    case "narrow": 60
    case "wide": 100
    default: .max
    }
  }
}

/// A part of a screen or a list, with a title and a footer. A list draws its sections itself.
struct SectionElement: ArrangedElement {
  let properties = [ViewProperty("title", .scalar), .init("footer", .scalar)]

  func shownText(_ location: ViewLocation) -> String? { location.node.scalar("title") }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.titled("section", "h2", location) { $0.children(of: location) }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.section(location, isApart: true)
  }
}

/// What belongs together, in a frame if it has a title.
struct GroupElement: ArrangedElement {
  let properties = [ViewProperty("title", .scalar)]

  func shownText(_ location: ViewLocation) -> String? { location.node.scalar("title") }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.titled("fieldset", "legend", location) { $0.children(of: location) }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.section(location, isApart: shownText(location) != nil)
  }
}

extension HTMLBuilder {
  /// An element with its title as the first line, and its footer as the last one.
  mutating func titled(
    _ tag: String, _ titleTag: String, _ location: ViewLocation,
    _ content: (inout HTMLBuilder) -> Void
  ) {
    let node = location.node
    wrap(element(tag, location)) { builder in
      if let title = node.scalar("title"), !title.isEmpty {
        builder.line(HTMLElement(titleTag, text: title))
      }
      content(&builder)
      if let footer = node.scalar("footer"), !footer.isEmpty {
        builder.line(HTMLElement("footer", text: footer))
      }
    }
  }
}

extension TextBuilder {
  /// A title above what is inside, and a footer below it.
  fileprivate func section(_ location: ViewLocation, isApart: Bool) -> any Block {
    let content = ColumnBlock(
      children(of: location) + footer(location), spacing: blankLines(location.node))
    return titled(location, content, isApart: isApart)
  }

  /// The title of a section above its content. Without one, the content is not indented.
  func titled(_ location: ViewLocation, _ content: any Block, isApart: Bool) -> any Block {
    guard let title = location.node.name else { return ModifiedBlock(content, apart: isApart) }
    return ColumnBlock(
      [TextBlock(StyledText(title, .headline), owner: location.path), IndentBlock(content)],
      isApart: isApart)
  }

  func footer(_ section: ViewLocation) -> [any Block] {
    guard let footer = section.node.scalar("footer"), !footer.isEmpty else { return [] }
    return [TextBlock(StyledText(footer, .caption, keepsLines: true), owner: section.path)]
  }
}

import ScriptValue

/// A field of one line.
struct TextFieldElement: EnteredElement {
  let properties =
    ViewProperty.textEntry + [
      .init("keyboard", .word(["text", "email", "url", "number", "phone"])), .style("search"),
    ]

  func control(_ node: ViewNode) -> ControlKind? { .field }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    .string(try location.line(value))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let type = location.node.isSearch ? "search" : "text"
    builder.line(builder.labelled(builder.input(type, location), location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.field(location)
  }
}

/// A field whose text is not shown.
struct SecureFieldElement: EnteredElement {
  let properties = ViewProperty.textEntry

  func shownText(_ location: ViewLocation) -> String? { nil }
  func control(_ node: ViewNode) -> ControlKind? { .field }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    .string(try location.line(value))
  }

  /// A password has no business in a page.
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let input = builder.input("password", location, showsValue: false)
    builder.line(builder.labelled(input, location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    builder.field(location, isSecret: true)
  }
}

/// A field of several lines.
struct TextEditorElement: EnteredElement {
  let properties = ViewProperty.textEntry + [.init("lines", .count([]))]

  func control(_ node: ViewNode) -> ControlKind? { .editor }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    .string(try location.text(value))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var area = builder.control("textarea", location)
    area.set("rows", String(lines(node)))
    let value = node.scalar("value") ?? ""
    // Browsers drop a line break at the beginning.
    if value.first?.isNewline == true { area.append(text: "\n") }
    area.append(text: value)
    builder.line(builder.labelled(area, location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let style = builder.style(of: location)
    let value = node.scalar("value") ?? ""
    var text = StyledText()
    if value.isEmpty, let prompt = node.placeholder {
      text.append("(\(prompt))", style.union(.placeholder))
    } else {
      text.append(value, style, keepsLines: true)
    }
    text.append("_", style)
    while text.lines.count < lines(node) { text.append("\n", keepsLines: true) }
    let content: any Block =
      builder.reader?.editor(location, style, lines: lines(node))
      ?? TextBlock(text, owner: location.path)
    var blocks: [any Block] = []
    let label = builder.label(node)
    if !label.isEmpty { blocks.append(TextBlock(label, owner: location.path)) }
    blocks.append(BarBlock(content: content, owner: location.path))
    if location.disabled != nil {
      blocks.append(TextBlock(StyledText("(disabled)", .placeholder), owner: location.path))
    }
    return ColumnBlock(blocks)
  }

  private func lines(_ node: ViewNode) -> Int { node.wholeNumber("lines", in: 1...100) ?? 3 }
}

extension ViewLocation {
  fileprivate func text(_ value: Value) throws(ViewRefusal) -> String {
    guard let text = value.drawnScalar else { throw refusal(value, "takes a text") }
    return text
  }

  fileprivate func line(_ value: Value) throws(ViewRefusal) -> String {
    try text(value).filter { !$0.isNewline }
  }
}

extension TextBuilder {
  /// The text of a field with room to write: `Milk____`. An empty field shows its prompt in parentheses.
  fileprivate func field(_ location: ViewLocation, isSecret: Bool = false) -> any Block {
    let node = location.node
    let style = style(of: location)
    var label = label(node)
    if node.isSearch { label.append("⌕ ", style) }
    if let reader { return reader.field(location, label, style) }
    var text = StyledText()
    let value = node.scalar("value") ?? ""
    if isSecret {
      text.append(String(repeating: "*", count: value.prefix(32).count), style)
    } else if value.isEmpty, let prompt = node.placeholder {
      text.append("(\(prompt))", style.union(.placeholder))
    } else {
      text.append(value, style)
    }
    text.append(String(repeating: "_", count: max(8 - text.lastWidth, 1)), style)
    label.append(text)
    return control(label, location)
  }
}

extension ViewNode {
  /// Whether it is a field for what one looks for, which Escape clears.
  package var isSearch: Bool { elementKind == .textField && word("style") == "search" }

  /// The text that an empty field shows: the prompt; or the label, if it is not drawn otherwise; or the file that was chosen.
  var placeholder: String? {
    if elementKind == .file { return ViewFile(self["value"])?.name ?? "path of a file" }
    return scalar("prompt") ?? (isSet("labelHidden") ? scalar("label") : nil)
  }
}

/// A block with a line at its left, as a text of several lines that one can edit.
private struct BarBlock: Block {
  let content: any Block
  let owner: ViewPath

  var naturalWidth: Int { content.naturalWidth + 2 }
  var minimumWidth: Int { content.minimumWidth + 2 }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let height = content.draw(on: &canvas, x: x + 2, y: y, width: max(width - 2, 1))
    let bar = Canvas.Cell(character: "│", width: 1, style: .rule)
    let owner = canvas.owner(owner)
    for offset in 0..<height { canvas.draw([bar], x: x, y: y + offset, owner: owner) }
    return height
  }
}

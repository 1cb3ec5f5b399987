import ScriptValue

struct FileElement: EnteredElement {
  let properties = [ViewProperty("accept", .names), .init("maxBytes", .count([]))]
  /// There is no file before one is chosen.
  let isClearable = true

  func shownText(_ location: ViewLocation) -> String? { ViewFile(location.node["value"])?.name }
  func control(_ node: ViewNode) -> ControlKind? { .file }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    if value.isNull { return .some(.null) }
    guard value.object != nil, let file = ViewFile(value), file.size >= 0 else {
      throw location.refusal(value, "takes a file, { name, type, size, path }, or null for none")
    }
    let node = location.node
    let named = "'\(file.name.shownInMessage)'"
    if file.size > node.mostBytes {
      throw ViewRefusal(
        .value,
        "\(location.designation) takes files of at most \(NumberText.bytes(node.mostBytes)), "
          + "and \(named) has \(NumberText.bytes(file.size))")
    }
    let kinds = node.acceptedFiles
    guard kinds.isEmpty || kinds.contains(where: file.isOf(kind:)) else {
      throw ViewRefusal(
        .value,
        "\(location.designation) takes \(kinds.joined(separator: ", ").shownInMessage), not \(named)"
      )
    }
    return file.value
  }

  /// A field for a file, with the name of the one that was chosen.
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    var input = builder.input("file", location, showsValue: false)
    let kinds = location.node.acceptedFiles
    input.set("accept", kinds.isEmpty ? nil : kinds.joined(separator: ","))
    let name = shownText(location).map { HTMLElement("output", text: $0) }
    builder.line(builder.labelled(input, location, showing: name))
  }

  /// The file that was chosen. On a terminal there is a field for the path of another one.
  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    var text = builder.label(location.node)
    let style = builder.style(of: location)
    if let reader = builder.reader { return reader.field(location, text, style) }
    text.append("[ \(shownText(location) ?? "choose a file") ]", style)
    return builder.control(text, location)
  }
}

import ScriptValue

struct DatePickerElement: EnteredElement {
  let properties = [
    ViewProperty.style("date", "time", "dateTime"), .init("min", .text), .init("max", .text),
  ]
  let isClearable = true

  func control(_ node: ViewNode) -> ControlKind? { .date }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    if value.isNull { return .some(.null) }
    let node = location.node
    let style = node.word("style") ?? "date"
    guard let text = value.string, let date = ISODate(text, style) else {
      throw location.refusal(
        value,
        "takes \(ISODate.form(style)) as in ISO 8601, or null, in Lua scripted.null, to clear it")
    }
    if let min = node.string("min"), let first = ISODate(bound: min, style), date.isBefore(first) {
      throw location.refusal(value, "begins at \(min)")
    }
    if let max = node.string("max"), let last = ISODate(bound: max, style), last.isBefore(date) {
      throw location.refusal(value, "ends at \(max)")
    }
    return value
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    let types = ["time": "time", "dateTime": "datetime-local"]
    var input = builder.input(types[node.word("style") ?? ""] ?? "date", location)
    input.set("min", node.string("min"))
    input.set("max", node.string("max"))
    builder.line(builder.labelled(input, location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    var text = builder.label(location.node)
    let value = builder.reader?.text(of: location) ?? location.node.scalar("value") ?? " - "
    text.append("[\(value)]", builder.style(of: location))
    return builder.control(text, location)
  }
}

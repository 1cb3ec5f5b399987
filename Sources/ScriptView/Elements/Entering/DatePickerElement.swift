import ScriptValue

struct DatePickerElement: EnteredElement {
  let properties = [
    ViewProperty.style("date", "time", "dateTime"), .init("min", .text), .init("max", .text),
  ]

  func control(_ node: ViewNode) -> ControlKind? { .date }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    if value.isNull { return .some(.null) }
    let node = location.node
    let style = node.word("style") ?? "date"
    guard let text = value.string, ISODate.isValid(text, style) else {
      throw location.refusal(
        value,
        "takes \(ISODate.form(style)) as in ISO 8601, or null, in Lua scripted.null, to clear it")
    }
    // Texts of one form are in the order of the times that they name.
    if let min = node.string("min"), text < min {
      throw location.refusal(value, "begins at \(min)")
    }
    if let max = node.string("max"), text > max {
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

/// Dates and times as texts.
package enum ISODate {
  /// A text of this style in a message.
  static func form(_ style: String) -> String {
    switch style {
    case "time": "a time (\"18:30\")"
    case "dateTime": "a date and a time (\"2024-05-01T18:30\")"
    default: "a date (\"2024-05-01\")"
    }
  }

  package static func isValid(_ text: String, _ style: String) -> Bool {
    var rest = text.utf8[...]
    switch style {
    case "time": return takeTime(&rest) && rest.isEmpty
    case "dateTime":
      guard takeDate(&rest), let separator = rest.popFirst(),
        separator == UInt8(ascii: "T") || separator == UInt8(ascii: " ")
      else { return false }
      return takeTime(&rest) && takeZone(&rest) && rest.isEmpty
    default: return takeDate(&rest) && rest.isEmpty
    }
  }

  private static func takeDate(_ rest: inout Substring.UTF8View) -> Bool {
    guard let year = takeNumber(&rest, 4), take("-", &rest), let month = takeNumber(&rest, 2),
      take("-", &rest), let day = takeNumber(&rest, 2), 1...12 ~= month
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    return 1...days ~= day
  }

  /// `18:30`, `18:30:05` or `18:30:05.25`.
  private static func takeTime(_ rest: inout Substring.UTF8View) -> Bool {
    guard let hour = takeNumber(&rest, 2), take(":", &rest), let minute = takeNumber(&rest, 2),
      hour < 24, minute < 60
    else { return false }
    guard take(":", &rest) else { return true }
    guard let second = takeNumber(&rest, 2), second < 60 else { return false }
    if take(".", &rest) {
      guard takeNumber(&rest, 1) != nil else { return false }
      while takeNumber(&rest, 1) != nil {}
    }
    return true
  }

  /// `Z`, `+01:00`, or nothing.
  private static func takeZone(_ rest: inout Substring.UTF8View) -> Bool {
    if take("Z", &rest) { return true }
    guard take("+", &rest) || take("-", &rest) else { return true }
    guard let hour = takeNumber(&rest, 2), take(":", &rest), let minute = takeNumber(&rest, 2)
    else {
      return false
    }
    return hour < 24 && minute < 60
  }

  private static func take(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func takeNumber(_ rest: inout Substring.UTF8View, _ digits: Int) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    rest = rest.dropFirst(digits)
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

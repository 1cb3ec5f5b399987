import ScriptValue

extension ViewLocation {
  /// The value that a control takes when a person enters one: numbers are brought into the range,
  /// options may be named by their label, and a field of one line loses line breaks.
  func accepting(_ value: Value) throws(ViewRefusal) -> Value {
    switch node.element?.entry {
    case .line: .string(try text(value).filter { !$0.isNewline })
    case .text: .string(try text(value))
    case .boolean: .boolean(try boolean(value))
    case .option: try option(value)
    case .tab: try tab(value)
    case .number: try number(value)
    case .date: try date(value)
    case .file: try file(value)
    case nil: throw cannot(.enter(value))
    }
  }

  private func text(_ value: Value) throws(ViewRefusal) -> String {
    guard let text = value.drawnScalar else { throw refusal(value, "takes a text") }
    return text
  }

  private func boolean(_ value: Value) throws(ViewRefusal) -> Bool {
    guard let bool = value.bool else { throw refusal(value, "takes true or false") }
    return bool
  }

  private func option(_ value: Value) throws(ViewRefusal) -> Value {
    let options = node.options
    if let found = options.first(where: { $0.value == value }) { return found.value }
    if let found = options.first(where: { .string($0.label) == value }) { return found.value }
    throw refusal(value, "has the options", options.map(\.label))
  }

  private func tab(_ value: Value) throws(ViewRefusal) -> Value {
    let tabs = tabs
    if let found = tabs.first(where: { $0.tabValue == value }) { return found.tabValue ?? value }
    if let found = tabs.first(where: { $0.tabName.map { .string($0) } == value }) {
      return found.tabValue ?? value
    }
    throw refusal(value, "has the tabs", tabs.compactMap(\.tabName))
  }

  private func number(_ value: Value) throws(ViewRefusal) -> Value {
    guard let number = value.double, number.isFinite, let range = node.range else {
      throw refusal(value, "takes a number")
    }
    let nearest = range.nearest(to: number)
    if nearest == number { return value }
    return Int64(exactly: nearest).map { .integer($0) } ?? .float(nearest)
  }

  private func date(_ value: Value) throws(ViewRefusal) -> Value {
    if value.isNull { return value }
    let style = node.word("style") ?? "date"
    guard let text = value.string, ISODate.isValid(text, style) else {
      throw refusal(
        value,
        "takes \(ISODate.form(style)) as in ISO 8601, or null, in Lua scripted.null, to clear it")
    }
    // Texts of one form are in the order of the times that they name.
    if let min = node.string("min"), text < min { throw refusal(value, "begins at \(min)") }
    if let max = node.string("max"), text > max { throw refusal(value, "ends at \(max)") }
    return value
  }

  private func file(_ value: Value) throws(ViewRefusal) -> Value {
    if value.isNull { return value }
    guard value.object != nil, let file = ViewFile(value), file.size >= 0 else {
      throw refusal(value, "takes a file, { name, type, size, path }, or null for none")
    }
    let named = "'\(file.name.shownInMessage)'"
    if file.size > node.mostBytes {
      throw ViewRefusal(
        .value,
        "\(designation) takes files of at most \(NumberText.bytes(node.mostBytes)), "
          + "and \(named) has \(NumberText.bytes(file.size))")
    }
    let kinds = node.acceptedFiles
    guard kinds.isEmpty || kinds.contains(where: file.isOne) else {
      throw ViewRefusal(
        .value, "\(designation) takes \(kinds.joined(separator: ", ").shownInMessage), not \(named)"
      )
    }
    return file.value
  }

  private func refusal(_ value: Value, _ rule: String, _ names: [String] = []) -> ViewRefusal {
    let shown = names.prefix(20).map { "'\($0.shownInMessage)'" } + (names.count > 20 ? ["…"] : [])
    let list = shown.isEmpty ? "" : " " + shown.joined(separator: ", ")
    let text = value.description
    let entered = text.utf8.count > 60 ? text.prefix(60) + "…" : text[...]
    return ViewRefusal(.value, "\(designation) \(rule)\(list), not \(entered)")
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

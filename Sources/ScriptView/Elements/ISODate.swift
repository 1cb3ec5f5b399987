/// A date, a time or both, as a text in ISO 8601 has it.
package struct ISODate {
  /// Seconds since the beginning of the year 0, or since midnight for a time alone, as clocks in the zone show them.
  private var seconds: Double
  /// How far the zone is ahead of UTC, in seconds; nil for a text without a zone.
  private var zone: Double?

  /// Reads a value of a `datePicker` of this style; nil if the text is none.
  package init?(_ text: String, _ style: String) {
    var rest = text.utf8[...]
    switch style {
    case "time":
      guard let time = ISODate.takeTime(&rest) else { return nil }
      seconds = time
    case "dateTime":
      guard let date = ISODate.takeDate(&rest),
        ISODate.take("T", &rest) || ISODate.take(" ", &rest),
        let time = ISODate.takeTime(&rest)
      else { return nil }
      seconds = date + time
      if !rest.isEmpty {
        guard let zone = ISODate.takeZone(&rest) else { return nil }
        self.zone = zone
      }
    default:
      guard let date = ISODate.takeDate(&rest) else { return nil }
      seconds = date
    }
    guard rest.isEmpty else { return nil }
  }

  /// The bound of a picker of this style. Dates may be bounded by texts with a time, and the other way round; a date alone is
  /// the beginning of its day.
  init?(bound text: String, _ style: String) {
    guard
      let bound = ISODate(text, style)
        ?? (style == "time" ? nil : ISODate(text, "date") ?? ISODate(text, "dateTime"))
    else { return nil }
    self = bound
  }

  /// Whether this is the earlier one. If one of them has no zone, both are taken to be in the same zone.
  func isBefore(_ other: ISODate) -> Bool {
    guard let zone, let otherZone = other.zone else { return seconds < other.seconds }
    return seconds - zone < other.seconds - otherZone
  }

  /// What a message calls a text of this style, with an example.
  static func form(_ style: String) -> String {
    switch style {
    case "time": "a time (\"18:30\")"
    case "dateTime": "a date and a time (\"2024-05-01T18:30\")"
    default: "a date (\"2024-05-01\")"
    }
  }

  // MARK: Reading

  private static func takeDate(_ rest: inout Substring.UTF8View) -> Double? {
    guard let year = takeNumber(&rest, 4), take("-", &rest), let month = takeNumber(&rest, 2),
      take("-", &rest), let day = takeNumber(&rest, 2), 1...12 ~= month
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard 1...days[month - 1] ~= day else { return nil }
    let leapDays = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
    let dayOfYear = days[..<(month - 1)].reduce(day - 1, +)
    return Double(year * 365 + leapDays + dayOfYear) * 86_400
  }

  /// `18:30`, `18:30:05` or `18:30:05.25`.
  private static func takeTime(_ rest: inout Substring.UTF8View) -> Double? {
    guard let hour = takeNumber(&rest, 2), take(":", &rest), let minute = takeNumber(&rest, 2),
      hour < 24, minute < 60
    else { return nil }
    var seconds = Double(hour * 3600 + minute * 60)
    guard take(":", &rest) else { return seconds }
    guard let second = takeNumber(&rest, 2), second < 60 else { return nil }
    seconds += Double(second)
    if take(".", &rest) {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      guard let fraction = Double("0." + String(Substring(digits))), !digits.isEmpty else {
        return nil
      }
      seconds += fraction
      rest = rest.dropFirst(digits.count)
    }
    return seconds
  }

  /// `Z` or `+01:00`.
  private static func takeZone(_ rest: inout Substring.UTF8View) -> Double? {
    if take("Z", &rest) { return 0 }
    let isAhead = take("+", &rest)
    guard isAhead || take("-", &rest), let hour = takeNumber(&rest, 2), take(":", &rest),
      let minute = takeNumber(&rest, 2), hour < 24, minute < 60
    else { return nil }
    return Double(hour * 3600 + minute * 60) * (isAhead ? 1 : -1)
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

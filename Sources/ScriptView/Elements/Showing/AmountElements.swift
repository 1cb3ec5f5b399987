import ScriptValue

/// A value that is drawn as a text after its label.
protocol AmountElement: ShownElement {
  /// The tag of the text in HTML, and the attribute that has the value itself.
  var html: (tag: String, attribute: String) { get }
  func text(of node: ViewNode) -> String?
}

extension AmountElement {
  func shownText(_ location: ViewLocation) -> String? { text(of: location.node) }

  func itemName(_ location: ViewLocation) -> String? {
    location.node.scalar("label") ?? shownText(location)
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    guard let text = text(of: node) else { return }
    var line = builder.element("p", location, isNamed: true)
    if let label = node.scalar("label"), !label.isEmpty { line.append(text: label + ": ") }
    line.append(HTMLElement(html.tag, [html.attribute: node["value"]?.drawnScalar], text: text))
    builder.line(line)
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    guard let value = shownText(location) else { return nil }
    var text = builder.label(location.node)
    text.append(value, .tone(location.node.word("tone")))
    return TextBlock(text, owner: location.path)
  }
}

struct NumberElement: AmountElement {
  let properties = [
    ViewProperty("value", .number), .style("decimal", "percent", "currency", "bytes"),
    .init("digits", .number), .init("currency", .text),
  ]
  let html = (tag: "data", attribute: "value")

  func text(of node: ViewNode) -> String? { NumberText.text(of: node) }
}

struct DateElement: AmountElement {
  let properties = [
    ViewProperty("value", .text), .style("date", "time", "dateTime", "relative"),
  ]
  let html = (tag: "time", attribute: "datetime")

  func text(of node: ViewNode) -> String? { DateText.text(of: node) }
}

struct ProgressElement: ShownElement {
  let properties = [
    ViewProperty("value", .number), .init("max", .number), .style("bar", "spinner"),
  ]

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    var progress = builder.element("progress", location, isNamed: true)
    if node.word("style") != "spinner" {
      progress.set("value", node["value"]?.drawnNumber)
      progress.set("max", node["max"]?.drawnNumber)
    }
    builder.line(builder.labelled(progress, location))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let tone = Canvas.Style.tone(node.word("tone"))
    var text = builder.label(node)
    if let value = node.number("value"), node.word("style") != "spinner" {
      let max = node.number("max") ?? 1
      let part = max > 0 ? min(Swift.max(value / max, 0), 1) : 0
      text.append(builder.bar(part), tone)
      text.append(" \(NumberText.decimal(.float(part * 100), digits: 0)) %", tone)
    } else {
      text.append("…", tone)
    }
    return TextBlock(text, owner: location.path)
  }
}

/// How numbers are drawn: the same on every machine, so that drawings can be compared.
///
/// Groups of three digits are separated by commas, and the decimal point is a point. A renderer
/// that knows the reader's locale may do better.
enum NumberText {
  /// The text of a `number` element; nil if it has no number.
  static func text(of node: ViewNode) -> String? {
    guard let value = node["value"], let number = value.double else { return nil }
    let digits = node.wholeNumber("digits", in: 0...15)
    switch node.word("style") {
    case "percent": return decimal(.float(number * 100), digits: digits ?? 0) + " %"
    case "currency":
      return [decimal(value, digits: digits ?? 2), node.string("currency") ?? ""]
        .filter { !$0.isEmpty }.joined(separator: " ")
    case "bytes": return bytes(number, digits: digits)
    default: return decimal(value, digits: digits)
    }
  }

  /// - Parameter digits: the number of decimal places; nil for as many as the number has.
  static func decimal(_ value: Value, digits: Int? = nil) -> String {
    guard case .float(let number) = value else {
      let text = (value.drawnScalar ?? "").groupingDigits
      return text + (digits ?? 0 > 0 ? "." + String(repeating: "0", count: digits ?? 0) : "")
    }
    guard let digits else { return (value.drawnScalar ?? "").groupingDigits }
    let scale = scale(digits)
    let scaled = (abs(number) * scale).rounded()
    // Beyond 2^53 there are no decimal places, and the sum of digits below would not be exact.
    guard scaled < 9_007_199_254_740_992, let whole = Int64(exactly: scaled) else {
      return value.drawnScalar ?? ""
    }
    let unit = Int64(scale)
    let fraction = String(whole % unit)
    let sign = number < 0 && whole > 0 ? "-" : ""
    let places = String(repeating: "0", count: max(digits - fraction.count, 0)) + fraction
    return sign + String(whole / unit).groupingDigits + (digits > 0 ? "." + places : "")
  }

  private static func scale(_ digits: Int) -> Double {
    (0..<digits).reduce(1) { scale, _ in scale * 10 }
  }

  /// A number of bytes, as `1.5 MB`.
  static func bytes(_ count: Int) -> String { bytes(Double(count), digits: nil) }

  private static func bytes(_ number: Double, digits: Int?) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"]
    var amount = number
    var unit = 0
    var places: Int { digits ?? (unit == 0 ? 0 : 1) }
    // The rounded amount decides: 999,950 bytes are 1.0 MB.
    while unit < units.count - 1,
      (abs(amount) * scale(places)).rounded() >= 1000 * scale(places)
    {
      amount /= 1000
      unit += 1
    }
    return decimal(.float(amount), digits: places) + " " + units[unit]
  }
}

/// How dates are drawn: as the part of the ISO text that the style asks for, the same on every
/// machine.
///
/// A renderer that knows the reader's locale and the time may do better, above all for `relative`.
enum DateText {
  /// The text of a `date` element; nil if it has none.
  static func text(of node: ViewNode) -> String? {
    guard let text = node.string("value") else { return nil }
    guard ISODate(text, "dateTime") != nil else { return text }
    let time = text.dropFirst(11)
    switch node.word("style") {
    case "date": return String(text.prefix(10))
    case "time": return String(time.prefix(5))
    default: return text.prefix(10) + " " + time.prefix(5)
    }
  }
}

import ScriptValue

/// How dates are drawn: as the part of the ISO text that the style asks for, the same on every
/// machine.
///
/// A renderer that knows the reader's locale and the time may do better, above all for `relative`.
enum DateText {
  /// The text of a `date` element; nil if it has none.
  static func text(of node: ViewNode) -> String? {
    guard let text = node.string("value") else { return nil }
    guard ISODate.isValid(text, "dateTime") else { return text }
    let time = text.dropFirst(11)
    switch node.word("style") {
    case "date": return String(text.prefix(10))
    case "time": return String(time.prefix(5))
    default: return text.prefix(10) + " " + time.prefix(5)
    }
  }
}

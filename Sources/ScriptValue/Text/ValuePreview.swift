/// The beginning of a value on one line. The cost depends on the width, not on the size of the
/// value.
package enum ValuePreview {
  package static func text(of value: Value, width: Int) -> String {
    var text = ""
    append(value, to: &text, width: width)
    return text
  }

  private static func append(_ value: Value, to text: inout String, width: Int) {
    switch value {
    case .string(let string) where string.utf8.count > width:
      text += Value.string(String(string.prefix(width))).description + "…"
    case .array(let list) where !list.isEmpty:
      append(list.lazy.map { ("", $0) }, of: list.count, to: &text, width: width)
    case .object(let object) where !object.isEmpty:
      append(object.lazy.map { ("\($0) = ", $1) }, of: object.count, to: &text, width: width)
    default: text += value.description
    }
  }

  private static func append(
    _ members: some Sequence<(label: String, value: Value)>, of count: Int, to text: inout String,
    width: Int
  ) {
    text += "{ "
    for (index, (label, value)) in members.enumerated() {
      if index > 0 { text += ", " }
      guard text.utf8.count < width else {
        text += "… \(count - index) more }"
        return
      }
      text += label
      append(value, to: &text, width: width)
    }
    text += " }"
  }
}

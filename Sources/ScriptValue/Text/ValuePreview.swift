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
    case .string(let string):
      let (start, end) = cut(string, width)
      text += Value.string(start).description + end
    case .array(let list) where !list.isEmpty:
      append(list.lazy.map { (label: "", value: $0) }, of: list.count, to: &text, width: width)
    case .object(let object) where !object.isEmpty:
      let members = object.lazy.map { key, value in
        let (start, end) = cut(key, width)
        return (label: "\(start)\(end) = ", value: value)
      }
      append(members, of: object.count, to: &text, width: width)
    default: text += value.description
    }
  }

  /// The beginning of a text, and `…` if that is not all. It is measured in Unicode scalars, because one `Character` may
  /// have any length.
  private static func cut(_ text: String, _ width: Int) -> (start: String, end: String) {
    let start = text.unicodeScalars.prefix(width)
    return (String(start), start.endIndex < text.endIndex ? "…" : "")
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

import RunnerShared
import ScriptValue

/// The beginning of a value on one line. The cost depends on the width, not on the size of the
/// value.
enum ValuePreview {
  static func text(of value: Value, width: Int) -> String {
    var text = ""
    append(value, to: &text, width: width)
    return text
  }

  /// The size of a container: `3 elements`, `1 key`.
  static func count(of value: Value) -> String {
    switch value {
    case .array(let list): RunnerShared.count(list.count, "element")
    case .object(let object): RunnerShared.count(object.count, "key")
    default: ""
    }
  }

  private static func append(_ value: Value, to text: inout String, width: Int) {
    switch value {
    case .string(let string) where string.utf8.count > width:
      text += Value.string(String(string.prefix(width))).description + "…"
    case .array(let list) where !list.isEmpty:
      text += "{ "
      for (index, element) in list.enumerated() {
        if index > 0 { text += ", " }
        guard text.utf8.count < width else {
          text += "… \(list.count - index) more }"
          return
        }
        append(element, to: &text, width: width)
      }
      text += " }"
    case .object(let object) where !object.isEmpty:
      text += "{ "
      for (index, (key, value)) in object.enumerated() {
        if index > 0 { text += ", " }
        guard text.utf8.count < width else {
          text += "… \(object.count - index) more }"
          return
        }
        text += "\(key) = "
        append(value, to: &text, width: width)
      }
      text += " }"
    default: text += value.description
    }
  }
}

/// Writes values as Lua source text, with line breaks that make it easy to read. The text is also
/// stored in files.
package struct LuaLayout {
  /// The maximum length in bytes of a container on one line, without its label and indentation.
  private static let width = 80

  /// Whether keys are sorted by name. Otherwise they have the object's order.
  private let sortsKeys: Bool

  package init(sortsKeys: Bool = false) { self.sortsKeys = sortsKeys }

  /// Returns the text. The lines after the first are indented by `indent` levels. O(n).
  package func text(of value: Value, indent: Int = 0) -> String {
    var text = ""
    write(value, indent, to: &text)
    return text
  }

  private func write(_ value: Value, _ indent: Int, to text: inout String) {
    let children: [(label: String, value: Value)]
    switch value {
    case .array(let list): children = list.map { ("", $0) }
    case .object(let object): children = members(object)
    default:
      text += value.description
      return
    }
    if let line = line(children), line.utf8.count <= Self.width {
      text += line
      return
    }
    text += "{\n"
    for (label, value) in children {
      text += String(repeating: "  ", count: indent + 1) + label
      write(value, indent + 1, to: &text)
      text += ",\n"
    }
    text += String(repeating: "  ", count: indent) + "}"
  }

  private func members(_ object: Value.Object) -> [(label: String, value: Value)] {
    let members = sortsKeys ? object.sorted { $0.key < $1.key } : Array(object)
    return members.map { key, value in
      var key = key
      let label = key.withUTF8 { LuaSyntax.key(UnsafeRawBufferPointer($0)) }
      return (label + " = ", value)
    }
  }

  /// The container on one line, or nil if that is certainly too long.
  private func line(_ children: [(label: String, value: Value)]) -> String? {
    if children.isEmpty { return "{}" }
    guard children.count <= Self.width / 3 else { return nil }
    var line = ""
    for (label, value) in children {
      line += line.isEmpty ? "{ " : ", "
      switch value {
      case .array(let list):
        guard let inner = self.line(list.map { ("", $0) }) else { return nil }
        line += label + inner
      case .object(let object):
        guard let inner = self.line(members(object)) else { return nil }
        line += label + inner
      default: line += label + value.description
      }
      if line.utf8.count > Self.width { return nil }
    }
    return line + " }"
  }
}

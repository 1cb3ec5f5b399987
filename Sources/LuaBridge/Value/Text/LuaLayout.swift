/// Writes values as Lua source over as many lines as it takes to read well, to be kept in files as well.
package struct LuaLayout {
  /// What fits in so many characters stays on one line.
  private static let width = 80

  /// Whether keys are in name order and not in the object's.
  private let sortsKeys: Bool

  package init(sortsKeys: Bool = false) { self.sortsKeys = sortsKeys }

  /// The text; lines after the first are indented by `indent` levels. O(n).
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
      var label = ""
      var key = key
      key.withUTF8 { LuaSyntax.appendKey(UnsafeRawBufferPointer($0), to: &label) }
      return (label + " = ", value)
    }
  }

  /// The same on one line, nil where that is surely too long.
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

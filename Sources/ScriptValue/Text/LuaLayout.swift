/// Writes values as Lua source text, with line breaks that make it easy to read. The text is also
/// stored in files.
package struct LuaLayout {
  /// The maximum length in bytes of a container on one line, without its label and indentation.
  private static let width = 80

  /// Whether keys are sorted by name. Otherwise they have the object's order.
  private let sortsKeys: Bool
  /// The number of bytes after which no further members are written.
  private let most: Int

  package init(sortsKeys: Bool = false, most: Int = .max) {
    self.sortsKeys = sortsKeys
    self.most = most
  }

  /// Returns the text. The lines after the first are indented by `indent` levels. O(n).
  package func text(of value: Value, indent: Int = 0) -> String {
    var text = ""
    (sortsKeys ? value.withSortedKeys : value).withSlot { write($0, indent, to: &text) }
    return text
  }

  private func write(_ value: Slot, _ indent: Int, to text: inout String) {
    guard value.isContainer else { return LuaLiteral.append(value, to: &text) }
    var line = ""
    if LuaLiteral.append(value, to: &line, width: Self.width), line.utf8.count <= Self.width {
      text += line
      return
    }
    func add(_ label: String, _ member: Slot) {
      if text.utf8.count > most { return }
      text += String(repeating: "  ", count: indent + 1) + label
      write(member, indent + 1, to: &text)
      text += ",\n"
    }
    text += "{\n"
    if value.tag == .list {
      PersistentList(borrowing: value).visit { add("", $0) }
    } else {
      ObjectTree(borrowing: value).visit { add(LuaLiteral.key($0.stringBytes) + " = ", $1) }
    }
    text += String(repeating: "  ", count: indent) + "}"
  }
}

extension Value {
  fileprivate var withSortedKeys: Value {
    switch self {
    case .array(let list): .array(Value.List(list.map(\.withSortedKeys)))
    case .object(let object):
      .object(
        Value.Object(
          object.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.withSortedKeys) }))
    default: self
    }
  }
}

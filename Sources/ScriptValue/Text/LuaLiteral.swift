/// Writes values as Lua source text for people: `{ id = 1, title = "Milk", ["odd key"] = true }`.
package enum LuaLiteral {
  /// Appends a slot (+0) on one line. Null is `null`. Floats have their `.0`.
  package static func append(_ slot: Slot, to text: inout String) {
    _ = append(slot, to: &text, width: nil)
  }

  /// Appends a slot (+0) on one line. Stops and returns false if `text` is then longer than `width`
  /// characters.
  static func append(_ slot: Slot, to text: inout String, width: Int?) -> Bool {
    // A string of more than four bytes for each character is refused before it is written.
    let bytes = width.map { $0 * 4 } ?? .max
    switch slot.tag {
    case .absent: text += "nil"
    case .null: text += "null"
    case .boolean: text += slot.boolean ? "true" : "false"
    case .integer: text += String(slot.integer)
    case .float: text += String(slot.float)
    case .string:
      if slot.stringBytes.count > bytes { return false }
      appendQuoted(slot.stringBytes, to: &text)
    case .empty: text += "{}"
    case .list:
      if let width, ListNode.total(slot.address) > width { return false }
      var fits = true
      var separator = "{ "
      ListNode.visit(slot.address) { element in
        guard fits else { return }
        text += separator
        separator = ", "
        fits = append(element, to: &text, width: width)
      }
      if !fits { return false }
      text += " }"
    case .object, .dictionary:
      let object = ObjectTree(borrowing: slot)
      if let width, object.count > width { return false }
      var fits = true
      var separator = "{ "
      object.visit { key, value in
        guard fits, key.stringBytes.count <= bytes else {
          fits = false
          return
        }
        text += separator
        separator = ", "
        appendKey(key.stringBytes, to: &text)
        text += " = "
        fits = append(value, to: &text, width: width)
      }
      if !fits { return false }
      text += " }"
    }
    return width.map { text.count <= $0 } ?? true
  }

  /// A key as a table constructor contains it: `name` or `["odd key"]`.
  package static func key(_ key: UnsafeRawBufferPointer) -> String {
    var text = ""
    appendKey(key, to: &text)
    return text
  }

  /// The same for a text.
  package static func key(_ key: String) -> String { key.withUTF8Bytes { LuaLiteral.key($0) } }

  /// Appends a key as a table constructor contains it: `name` or `["odd key"]`.
  static func appendKey(_ key: UnsafeRawBufferPointer, to text: inout String) {
    if isName(key) {
      text += String(decoding: key, as: UTF8.self)
    } else {
      text += "["
      appendQuoted(key, to: &text)
      text += "]"
    }
  }

  /// Appends a string in double quotes with Lua's escapes. Characters that ``VisibleText`` hides
  /// are escaped too.
  package static func appendQuoted(_ bytes: UnsafeRawBufferPointer, to text: inout String) {
    text += "\""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if VisibleText.isHidden(scalar) {
          text += VisibleText.escape(of: scalar)
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }

  /// Whether the bytes are a Lua name and not a reserved word.
  package static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, !(0x30...0x39).contains(first) else { return false }
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: continue
      default: return false
      }
    }
    return !reserved.contains(String(decoding: bytes, as: UTF8.self))
  }

  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}

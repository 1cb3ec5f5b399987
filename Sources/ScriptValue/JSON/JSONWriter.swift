/// Writes values as JSON text (RFC 8259) directly from their nodes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private let isPretty: Bool

  init(_ options: JSONOptions) {
    isPretty = options.contains(.pretty)
  }

  /// Writes a part of JSON text unchanged.
  mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func write(string: String) {
    string.withUTF8Bytes { write(string: $0) }
  }

  /// Writes a value (+0). If pretty, its lines are indented by `indent` levels.
  mutating func write(_ value: Slot, indent: Int = 0) {
    switch value.tag {
    case .string: write(string: value.stringBytes)
    case .integer: bytes.append(contentsOf: String(value.integer).utf8)
    case .boolean: write(value.boolean ? "true" : "false")
    case .object, .dictionary: writeObject(value, indent: indent)
    case .list: writeList(value, indent: indent)
    case .float:
      // The shortest text that reads back as the same float, always with a point or an exponent.
      let number = value.float
      if number.isFinite {
        bytes.append(contentsOf: number.description.utf8)
      } else {
        write("null")
      }
    case .empty: write(value.emptyKind.isObject ? "{}" : "[]")
    case .null, .absent: write("null")
    }
  }

  private mutating func writeList(_ slot: Slot, indent: Int) {
    var isFirst = true
    PersistentList(borrowing: slot).visit { element in
      bytes.append(isFirst ? UInt8(ascii: "[") : UInt8(ascii: ","))
      breakLine(indent: indent + 1)
      isFirst = false
      write(element, indent: indent + 1)
    }
    breakLine(indent: indent)
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func writeObject(_ slot: Slot, indent: Int) {
    var isFirst = true
    ObjectTree(borrowing: slot).visit { key, value in
      bytes.append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
      breakLine(indent: indent + 1)
      isFirst = false
      write(string: key.stringBytes)
      bytes.append(UInt8(ascii: ":"))
      if isPretty { bytes.append(UInt8(ascii: " ")) }
      write(value, indent: indent + 1)
    }
    breakLine(indent: indent)
    bytes.append(UInt8(ascii: "}"))
  }

  /// If pretty, begins a line for an element, a member or a closing bracket.
  private mutating func breakLine(indent: Int) {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
  }

  /// Writes a string in quotes, with only the escapes that RFC 8259 requires.
  private mutating func write(string text: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var written = 0
    for (index, byte) in text.enumerated() {
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[written..<index]))
      written = index + 1
      switch byte {
      case UInt8(ascii: "\""): write("\\\"")
      case UInt8(ascii: "\\"): write("\\\\")
      case 0x0A: write("\\n")
      case 0x0D: write("\\r")
      case 0x09: write("\\t")
      case 0x08: write("\\b")
      case 0x0C: write("\\f")
      default:
        let digits = String(byte, radix: 16)
        write(digits.utf8.count == 1 ? "\\u000" : "\\u00")
        bytes.append(contentsOf: digits.utf8)
      }
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[written...]))
    bytes.append(UInt8(ascii: "\""))
  }
}

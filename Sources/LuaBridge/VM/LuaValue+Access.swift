import ScriptValue

/// Typed access, as in ``Value``.
extension LuaValue {
  public var isNil: Bool {
    if case .nil = self { true } else { false }
  }

  /// The boolean, if the value is one.
  public var bool: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  /// The number, if it is an integer, or a float with an integral value, that fits in an `Int`.
  public var int: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .float(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number, if the value is one. An integer beyond 2^53 is rounded.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .float(let number): number
    default: nil
    }
  }

  /// The text, if the value is a string in UTF-8. ``bytes`` has any string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// A string as people read it: what is not UTF-8 is replaced. Nil if the value is no string.
  package var legibleText: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The bytes of a string, UTF-8 or not; nil if the value is no string.
  public var bytes: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: nil
    }
  }
}

extension LuaValue: CustomStringConvertible {
  /// The value in Lua syntax if it has one, else the name of its type.
  public var description: String {
    if isNil { return "nil" }
    if case .bytes(let bytes) = self { return LuaValue.literal(bytes) }
    return Value(self).map(\.debugDescription) ?? typeName
  }

  /// A literal of Lua in ASCII: `"a\xff"`.
  private static func literal(_ bytes: [UInt8]) -> String {
    let parts = bytes.map { byte in
      let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
      let digits = String(byte, radix: 16)
      return isPlain
        ? String(UnicodeScalar(byte)) : "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
    return "\"\(parts.joined())\""
  }
}

import CLua
import ScriptValue

/// A Lua value that is passed into or out of a host function or a call.
///
/// Scalars and state are copies. Tables, functions and the rest are references, which retain their
/// VM.
public enum LuaValue {
  case `nil`
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  case string(String)
  /// A string whose bytes are not UTF-8.
  case bytes([UInt8])
  /// A value of state that is not a scalar, copied: the content of a draft or view,
  /// `scripted.null`, or a plain table where tables are passed as values.
  case value(Value)
  case table(LuaTable)
  case function(LuaFunction)
  /// A Swift object in a userdata.
  case object(AnyObject)
  /// A thread, or a userdata that the bridge does not know.
  case other(LuaReference)

  /// The name of the type, as Lua's `type` returns it: `nil`, `boolean`, `number`, `string`,
  /// `table`, `function` or `userdata`. It is `null` for `scripted.null`.
  public var typeName: String {
    switch self {
    case .nil: "nil"
    case .boolean: "boolean"
    case .integer, .float: "number"
    case .string, .bytes: "string"
    case .value(.null): "null"
    case .value(.array), .value(.object): "table"
    case .value(let scalar): LuaValue(scalar).typeName
    case .table: "table"
    case .function: "function"
    case .object, .other: "userdata"
    }
  }

  /// The string with these bytes: a text if they are UTF-8.
  init(bytes: UnsafeRawBufferPointer) {
    self = String(utf8: bytes).map(LuaValue.string) ?? .bytes(Array(bytes))
  }

  /// Converts state to a Lua scalar if there is one, so that `3` is always `.integer(3)`.
  public init(_ value: Value) {
    self =
      switch value {
      case .boolean(let flag): .boolean(flag)
      case .integer(let number): .integer(number)
      case .float(let number): .float(number)
      case .string(let text): .string(text)
      case .null, .array, .object: .value(value)
      }
  }
}

extension String {
  /// The string with these bytes; nil if they are not UTF-8. `String(validating:as:)` takes 750 instructions more for a
  /// short text, because the standard library does not specialize it for raw bytes.
  init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard bytes.isUTF8 else { return nil }
    self = String(decoding: bytes, as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8. O(n).
  var isUTF8: Bool { withMemoryRebound(to: CChar.self) { sl_is_utf8($0.baseAddress, $0.count) } }
}

extension Value {
  /// Converts to state. Nil for a value that is not state: nil, a table by reference, a function,
  /// an object, a number that is not finite, a string that is not UTF-8.
  public init?(_ lua: LuaValue) {
    switch lua {
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(number)
    case .float(let number) where number.isFinite: self = .float(number)
    case .string(let text): self = .string(text)
    case .value(let value): self = value
    default: return nil
    }
  }
}

extension LuaValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  public init(nilLiteral: ()) { self = .nil }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .float(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}

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

// References and Lua values as parameters and results of typed functions and calls. Swift asks for
// `Codable` there; but tables and functions are passed as they are, and can be part of no other
// value.

extension LuaValue: Codable, LuaPassed {
  /// Decodes a value of state. Only as a parameter or result itself can it be a table, function or
  /// object by reference.
  public init(from decoder: any Decoder) throws {
    self = LuaValue(try Value(from: decoder))
  }

  /// - Throws: `EncodingError.invalidValue` for anything that is no value of state.
  public func encode(to encoder: any Encoder) throws {
    guard let value = isNil ? .null : Value(self) else {
      let type = if case .bytes = self { "string that is not UTF-8" } else { typeName }
      throw LuaReference.unencodable(self, type, encoder.codingPath)
    }
    try value.encode(to: encoder)
  }

  static func passed(_ value: LuaValue) -> LuaValue? { value }
  static var luaName: String { "value" }
  var luaValue: LuaValue { self }
}

extension LuaReference {
  static func undecodable(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: path, debugDescription: "a reference cannot be part of another value"))
  }

  static func unencodable(
    _ value: Any, _ type: String, _ path: [any CodingKey]
  ) -> EncodingError {
    .invalidValue(
      value,
      .init(codingPath: path, debugDescription: "a \(type) cannot be part of another value"))
  }
}

extension LuaFunction: LuaPassed {
  static func passed(_ value: LuaValue) -> LuaFunction? {
    if case .function(let function) = value { function } else { nil }
  }
  static var luaName: String { "function" }
  var luaValue: LuaValue { .function(self) }
}

extension LuaTable: LuaPassed {
  static func passed(_ value: LuaValue) -> LuaTable? {
    if case .table(let table) = value { table } else { nil }
  }
  static var luaName: String { "table" }
  var luaValue: LuaValue { .table(self) }
}

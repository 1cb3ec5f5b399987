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
    self = String(validating: bytes, as: UTF8.self).map(LuaValue.string) ?? .bytes(Array(bytes))
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

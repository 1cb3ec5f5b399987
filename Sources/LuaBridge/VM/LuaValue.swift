/// A value as Lua has it, on its way into or out of a host function or a call.
///
/// Scalars and state are copies; tables, functions and the rest are references into their VM, which
/// they keep alive.
public enum LuaValue {
  case `nil`
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  case string(String)
  /// A table of state kind, by value: what a draft or a read-only value stood for, `scripted.null`, or
  /// a plain table where tables come as values.
  case value(Value)
  case table(LuaTable)
  case function(LuaFunction)
  /// A Swift object in a userdata.
  case object(AnyObject)
  /// A thread or a foreign userdata.
  case other(LuaReference)

  /// `nil`, `boolean`, `number`, `string`, `table`, `function`, `userdata`, as Lua's `type` says.
  public var typeName: String {
    switch self {
    case .nil: "nil"
    case .boolean: "boolean"
    case .integer, .float: "number"
    case .string: "string"
    case .value(.null): "null"
    case .value(let value): LuaValue(value).typeName(orTable: "table")
    case .table: "table"
    case .function: "function"
    case .object, .other: "userdata"
    }
  }

  private func typeName(orTable name: String) -> String {
    if case .value = self { return name }
    return typeName
  }

  /// State becomes the Lua scalar where there is one, so that `3` is `.integer(3)` either way.
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
  /// The state value, or nil for what is not state: nil, tables by reference, functions, objects.
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

/// The base of Swift objects that scripts see as effects.
// Unchecked, because a class that is not final cannot be checked: this one holds nothing, and whoever
// inherits from it answers for what it adds.
open class BoxedEffect: @unchecked Sendable {
  public init() {}
}

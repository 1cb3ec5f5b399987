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

  /// The text, if the value is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

extension LuaValue: CustomStringConvertible {
  /// The value in Lua syntax if it has one, else the name of its type.
  public var description: String {
    if isNil { return "nil" }
    return Value(self).map(\.debugDescription) ?? typeName
  }
}

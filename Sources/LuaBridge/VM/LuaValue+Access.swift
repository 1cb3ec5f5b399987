/// Typed access, as ``Value`` has it.
extension LuaValue {
  /// Whether it is nil.
  public var isNil: Bool {
    if case .nil = self { true } else { false }
  }

  /// The boolean, if it is one.
  public var bool: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  /// The number if it is whole and fits: an integer, or a float with an integer's value.
  public var int: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .float(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number, if it is one; an integer beyond 2^53 is rounded.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .float(let number): number
    default: nil
    }
  }

  /// The text, if it is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

extension LuaValue: CustomStringConvertible {
  /// In Lua syntax where it has one, else its type.
  public var description: String {
    if isNil { return "nil" }
    return Value(self).map(\.debugDescription) ?? typeName
  }
}

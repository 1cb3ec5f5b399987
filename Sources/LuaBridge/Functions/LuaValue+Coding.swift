import ScriptValue

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

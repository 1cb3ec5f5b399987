import ScriptValue

/// Several results of a typed function.
///
/// ```swift
/// let divide = try lua.function("divide") { (a: Int, b: Int) in
///   try LuaResults(a / b, a % b)
/// }
/// ```
public struct LuaResults: Encodable {
  /// The results in their order.
  public var values: [LuaValue]

  public init(_ values: [LuaValue]) { self.values = values }

  /// Encodes the results, as the only result of a typed function is encoded.
  public init<each R: Encodable>(_ results: repeat each R) throws {
    values = []
    for result in repeat each results { values.append(try LuaConversion.value(of: result)) }
  }

  /// Encodes the results as a list.
  public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

import ScriptValue

/// What a call of a typed function needs besides its body: how its arguments are taken, and the
/// messages about them.
struct TypedFunction: Sendable {
  private let name: String
  private let signature: Signature
  /// Whether the arguments can be read directly from the tape: all parameters are scalars, and none
  /// has a name.
  private let isDirect: Bool
  private let parameters: Int

  init<each A>(_ name: String, _ parameters: [String], _ types: repeat (each A).Type) {
    self.name = name
    signature = Signature(parameters, repeat each types)
    isDirect = signature.parameters.allSatisfy { !$0.takesTables } && parameters.isEmpty
    self.parameters = signature.parameters.count
  }

  /// Begins a call whose arguments are then read with ``HostCall/argument(_:)``.
  @inline(__always)
  func begin(_ call: inout HostCall) throws(ScriptError) {
    if isDirect && call.count <= parameters { return }
    call.replaceTape(by: try arranged(try call.values()))
  }

  /// The arguments in the order of the parameters, one for each.
  private func arranged(_ values: [LuaValue]) throws(ScriptError) -> [LuaValue] {
    // Only a function whose parameters have names can be called with a table of them.
    if values.count == 1, case .table(let table) = values[0], signature.hasNames,
      let named = try? table.value(named: name),
      let arguments = try signature.named([.state(named)], of: name)
    {
      return arguments.map { $0.map { LuaValue($0) } ?? .nil }
    }
    let given = values.lastIndex { !$0.isNil }.map { $0 + 1 } ?? 0
    try signature.checkCount(given, of: name)
    return (0..<parameters).map { $0 < given ? values[$0] : .nil }
  }

  /// The error that a call throws, in Lua's words if it is about an argument or the result.
  func described(_ error: any Error) -> any Error { signature.described(error, of: name) }
}

/// Calls whose arguments and results are Swift values, converted as those of
/// ``LuaVM/function(_:parameters:_:)`` are.
extension LuaFunction {
  /// Calls the function.
  ///
  /// ```swift
  /// let sum = try add.call(1, 2, as: Int.self)
  /// let (quotient, rest) = try divide.call(7, 2, as: (Int, Int).self)
  /// try log.call("done", as: Void.self)
  /// ```
  ///
  /// - Parameter type: the type of the result. An optional result may be missing.
  /// - Throws: what the function raises; and `bad result (integer expected, got string)` for a
  ///   result of another type.
  @discardableResult
  public func call<each A: Encodable, R: Decodable>(
    _ arguments: repeat each A, as type: R.Type
  ) throws(ScriptError) -> R {
    let results = try call(LuaConversion.values(passing: repeat each arguments))
    return try LuaConversion.value(results.first ?? .nil, as: type, from: "result")
  }

  /// Calls the function, and returns a tuple of its results. Results too many are dropped.
  @discardableResult
  public func call<each A: Encodable, First: Decodable, Second: Decodable, each R: Decodable>(
    _ arguments: repeat each A, as types: (First, Second, repeat each R).Type
  ) throws(ScriptError) -> (First, Second, repeat each R) {
    let results = try call(LuaConversion.values(passing: repeat each arguments))
    return try LuaConversion.values(
      results, as: First.self, Second.self, repeat (each R).self, from: "result")
  }

  /// Calls the function, and drops its results.
  public func call<each A: Encodable>(
    _ arguments: repeat each A, as nothing: Void.Type
  ) throws(ScriptError) {
    try call(LuaConversion.values(passing: repeat each arguments))
  }
}

extension LuaVM {
  /// Compiles and runs Lua text, and returns its first result as a Swift value.
  ///
  /// ```swift
  /// let sum = try lua.evaluate("return 1 + 1", as: Int.self)
  /// ```
  ///
  /// - Throws: what the script raises; and `bad result (integer expected, got string)` for a result
  ///   of another type.
  public func evaluate<R: Decodable>(
    _ source: String, name: String = "chunk", environment: LuaTable? = nil, as type: R.Type
  ) throws(ScriptError) -> R {
    try load(source, name: name, environment: environment).call(as: type)
  }

  /// Compiles and runs Lua text, and returns a tuple of its results. Results too many are dropped.
  public func evaluate<First: Decodable, Second: Decodable, each R: Decodable>(
    _ source: String, name: String = "chunk", environment: LuaTable? = nil,
    as types: (First, Second, repeat each R).Type
  ) throws(ScriptError) -> (First, Second, repeat each R) {
    try load(source, name: name, environment: environment).call(as: types)
  }
}

extension LuaValue {
  /// The value as a Swift type: a copy of a table by reference, and an optional for nil.
  ///
  /// - Throws: `bad value (integer expected, got string)`.
  public func decoded<T: Decodable>(as type: T.Type) throws(ScriptError) -> T {
    try LuaConversion.value(self, as: type, from: "value")
  }
}

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

/// An argument or a result of a function of the host: a value of state, or a string that is not UTF-8, which is
/// `Data` in Swift.
package enum HostValue: Sendable {
  case state(Value)
  case bytes([UInt8])

  /// Nil for a value that is neither.
  init?(_ lua: LuaValue) {
    if case .bytes(let bytes) = lua {
      self = .bytes(bytes)
    } else if let value = Value(lua) {
      self = .state(value)
    } else {
      return nil
    }
  }

  /// The value of state; nil for bytes.
  package var state: Value? {
    if case .state(let value) = self { value } else { nil }
  }

  /// The memory that it takes, in bytes.
  var size: Int {
    switch self {
    case .state(let value): value.size(upTo: .max)
    case .bytes(let bytes): bytes.count
    }
  }
}

extension LuaValue {
  package init(_ value: HostValue) {
    switch value {
    case .state(let value): self.init(value)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }
}

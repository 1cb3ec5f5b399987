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

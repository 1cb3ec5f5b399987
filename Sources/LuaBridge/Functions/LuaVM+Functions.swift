import ScriptValue

/// Swift closures as functions that scripts can call.
///
/// The parameters are `Decodable`, and the result is `Encodable`. Numbers, strings, booleans and any
/// `Codable` type are copies; a ``LuaTable``, ``LuaFunction``, ``LuaValue`` or ``LuaObject`` is
/// passed as it is. An `Optional` parameter may be left out, and a nil result is nil in Lua.
/// ``LuaResults`` are several results.
///
/// ```swift
/// let add = try lua.function("add") { (a: Int, b: Int) in a + b }
/// let each = try lua.function("each") { (lua: LuaVM, list: [String], body: LuaFunction) in
///   for item in list { try body.call(item, as: Void.self) }
/// }
/// try lua.setGlobal("add", to: add)
/// ```
///
/// The arguments are checked before the body runs:
///
///     bad argument #2 to 'add' (integer expected, got string)
///
/// An error that the body throws is an error in Lua at the line of the call, with
/// `String(describing:)` as its message; for a ``ScriptError`` with a ``ScriptError/value``, that
/// value is raised. If the script does not catch it, the call of the host throws a ``ScriptError``
/// whose ``ScriptError/cause`` is the error of the body.
///
/// A body that gets the VM as its first parameter need not capture it. The VM retains the body, so
/// neither is ever released if the body retains the VM or one of its references.
///
/// - Parameters of all: `name` is the function's name in messages. `parameters` are the names of
///   all parameters, or empty; with names the function can also be called with one table of named
///   arguments, as in `search { query = "milk", limit = 3 }`, and messages have the names.
extension LuaVM {
  /// A function that returns a result.
  public func function<each A: Decodable, R: Encodable>(
    _ name: String, parameters: [String] = [], _ body: @escaping (repeat each A) throws -> R
  ) throws(ScriptError) -> LuaFunction {
    let typed = TypedFunction(name, parameters, repeat (each A).self)
    return try makeFunction(
      name,
      body: HostFunction(typed) { call in
        try typed.begin(&call)
        let result = try body(repeat try call.argument((each A).self))
        return try call.finish(typed: result)
      })
  }

  /// A function without a result.
  public func function<each A: Decodable>(
    _ name: String, parameters: [String] = [], _ body: @escaping (repeat each A) throws -> Void
  ) throws(ScriptError) -> LuaFunction {
    let typed = TypedFunction(name, parameters, repeat (each A).self)
    return try makeFunction(
      name,
      body: HostFunction(typed) { call in
        try typed.begin(&call)
        try body(repeat try call.argument((each A).self))
        return call.finishTyped()
      })
  }

  /// A function that gets the VM, and returns a result.
  public func function<each A: Decodable, R: Encodable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping (LuaVM, repeat each A) throws -> R
  ) throws(ScriptError) -> LuaFunction {
    let typed = TypedFunction(name, parameters, repeat (each A).self)
    return try makeFunction(
      name,
      body: HostFunction(typed) { call in
        try typed.begin(&call)
        let lua = call.vm
        let result = try body(lua, repeat try call.argument((each A).self))
        return try call.finish(typed: result)
      })
  }

  /// A function that gets the VM, without a result.
  public func function<each A: Decodable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping (LuaVM, repeat each A) throws -> Void
  ) throws(ScriptError) -> LuaFunction {
    let typed = TypedFunction(name, parameters, repeat (each A).self)
    return try makeFunction(
      name,
      body: HostFunction(typed) { call in
        try typed.begin(&call)
        let lua = call.vm
        try body(lua, repeat try call.argument((each A).self))
        return call.finishTyped()
      })
  }
}

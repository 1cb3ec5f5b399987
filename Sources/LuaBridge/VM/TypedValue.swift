import ScriptValue

extension Value {
  /// The value that a person has typed, as JSON or as an expression of Lua; nil for `nil`.
  ///
  ///     {"title": "Milk", "tags": ["a", "b"]}      { title = "Milk", price = 3 * 1.2 }
  ///
  /// The expression is evaluated in a VM of its own, with ``LuaLimits/untrusted``. The only global there
  /// is `null`. Text that is valid JSON is read as JSON, so that `{}` is an object; in Lua it is an
  /// empty table, which is both an array and an object. O(length) for JSON; a VM takes some 0.1 ms.
  ///
  /// - Throws: ``ScriptError`` for text that is neither, and for what cannot be stored in state.
  package static func typed(_ text: String) throws(ScriptError) -> Value? {
    if let json = try? Value(json: text) { return .some(json) }
    let lua = try LuaVM(limits: .untrusted)
    let results = try lua.evaluate("return \(text)", name: "value", environment: lua.onlyNull())
    guard let result = results.first else { throw ScriptError("a value is missing") }
    guard results.count == 1 else { throw ScriptError("there is more than one value") }
    if case .nil = result { return .none }
    guard let value = Value(result) else {
      throw ScriptError("a \(result.typeName) such as this cannot be stored in state")
    }
    return .some(value)
  }
}

extension LuaVM {
  /// Globals of which `null` is the only one. A name that is none is text without quotes.
  fileprivate func onlyNull() throws(ScriptError) -> LuaTable {
    let globals = try makeTable()
    try globals.set("null", to: .value(.null))
    let setMetatable = try evaluate(
      """
      return function(globals)
        setmetatable(globals, {
          __index = function(_, name) error(name .. " is no value; text goes in quotes", 0) end,
        })
      end
      """, name: "=globals")
    if case .function(let function)? = setMetatable.first { try function.call([.table(globals)]) }
    return globals
  }
}

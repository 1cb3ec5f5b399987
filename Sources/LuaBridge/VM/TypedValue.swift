import ScriptValue

extension Value {
  /// The value that a person has typed, as JSON or as an expression of Lua; nil for `nil`.
  ///
  ///     {"title": "Milk", "tags": ["a", "b"]}      { title = "Milk", price = 3 * 1.2 }
  ///
  /// The expression is evaluated in a VM of its own, with ``LuaLimits/untrusted``. The only global there
  /// is `null`. Text that is valid JSON is read as JSON, so that `{}` is an object; in Lua it is an
  /// empty table, which is both an array and an object. O(length) for JSON; Lua needs a new
  /// VM for each text.
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
  /// Globals of which `null` is the only one. Another name raises: it was meant as text, which goes in quotes.
  fileprivate func onlyNull() throws(ScriptError) -> LuaTable {
    let globals = try makeTable()
    try globals.set("null", to: .value(.null))
    let refusing = try load(
      """
      setmetatable(..., {
        __index = function(_, name) error(name .. " is no value; text goes in quotes", 0) end,
      })
      """, name: "=globals")
    try refusing.call([.table(globals)])
    return globals
  }
}

import LuaBridge

extension LuaTable {
  /// Adds a Swift function. The VM retains `body`, so `body` must not retain the VM or its owner.
  ///
  /// - Parameter name: The name in messages.
  func define(
    _ key: String, as name: String, tablesAsValues: Bool = false, _ body: @escaping HostBody
  ) throws(ScriptError) {
    let function = try vm.makeFunction(name, tablesAsValues: tablesAsValues, body)
    try set(.string(key), to: .function(function))
  }

  /// The function in a field, which is no handler of actions; nil if there is none.
  func function(_ key: LuaValue) throws(ScriptError) -> LuaFunction? {
    guard case .function(let function) = try get(key) else { return nil }
    return function
  }

  /// The elements of the list in a field; empty if there is no list.
  func list(_ key: LuaValue) throws(ScriptError) -> [LuaValue] {
    guard case .table(let list) = try get(key) else { return [] }
    return try list.elements()
  }
}

extension LuaValue {
  /// The type for messages: `a number`, but `nil` without an article.
  var typeNameWithArticle: String { isNil ? "nil" : "a \(typeName)" }

  /// This value as a value of state, with a plain table copied; nil if state cannot hold it.
  ///
  /// - Parameter name: What a plain table is called in messages.
  /// - Throws: An error if a plain table contains something that is not a value of state.
  func stateValue(named name: String) throws(ScriptError) -> Value? {
    if case .table(let table) = self { return try table.value(named: name) }
    return Value(self)
  }

  /// This value as the payload of an action; nil for nil.
  func payload() throws(ScriptError) -> Value? {
    if isNil { return nil }
    if let value = Value(self) { return value }
    throw ScriptError("\(typeNameWithArticle) cannot be the payload of an action")
  }
}

extension [LuaValue] {
  /// The element at `index`, counted from 0; `.nil` if there is none.
  func at(_ index: Int) -> LuaValue { index < count ? self[index] : .nil }
}

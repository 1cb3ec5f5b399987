import LuaBridge

// The fields of the tables in which scripts describe reducers.
extension LuaTable {
  /// The reducer around which a script's operator stands.
  func base(_ origin: String) throws(ScriptError) -> ReducerSource {
    let base = try get("base")
    return base.isNil ? .empty(origin: origin) : .lua(base)
  }

  /// The function in a field; nil if there is none.
  func handler(_ key: LuaValue) throws(ScriptError) -> Handler? {
    guard case .function(let function) = try get(key) else { return nil }
    return Handler(function)
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

import CLua
import ScriptValue

/// A Lua table, by reference.
public final class LuaTable: LuaReference {
  /// The field `key`, as `table[key]` with metamethods. O(1).
  public func get(_ key: LuaValue) throws(ScriptError) -> LuaValue {
    let status = try vm.withTape([key]) { sl_get_field(vm.core, slot, $0, false) }
    return try vm.readResults(1, after: status)[0]
  }

  /// Sets `table[key]`, without metamethods. O(1), plus the copy of a `.value`.
  public func set(_ key: LuaValue, to value: LuaValue) throws(ScriptError) {
    try vm.check(
      vm.withTape([key, value]) { sl_set_field(vm.core, slot, $0, $0 + 1) })
  }

  /// A string field; nil if it is absent or not a string.
  public func string(_ key: String) throws(ScriptError) -> String? {
    guard case .string(let text) = try get(.string(key)) else { return nil }
    return text
  }

  /// All entries, in Lua's order, without metamethods. O(n).
  public func entries() throws(ScriptError) -> [(key: LuaValue, value: LuaValue)] {
    var count: Int32 = 0
    let status = sl_entries(vm.core, slot, &count)
    let flat = try vm.readResults(Int(count) * 2, after: status)
    return (0..<Int(count)).map { (flat[2 * $0], flat[2 * $0 + 1]) }
  }

  /// The elements at 1 … n, up to the first nil. O(n).
  public func elements() throws(ScriptError) -> [LuaValue] {
    var elements: [LuaValue] = []
    while true {
      let element = try get(.integer(Int64(elements.count + 1)))
      if case .nil = element { return elements }
      elements.append(element)
    }
  }

  /// A copy of the table as state. O(n).
  ///
  /// - Throws: if it contains a value that cannot be stored, with the path
  ///   (`name.list[3]: a function cannot be stored in state`).
  public func value(named name: String = "table") throws(ScriptError) -> Value {
    try vm.check(sl_to_tape(vm.core, slot, name)) { () throws(ScriptError) in
      var reader = TapeReader(vm: vm, items: vm.core.pointee.tapes.to_swift.items)
      return try reader.nextValue()
    }
  }
}

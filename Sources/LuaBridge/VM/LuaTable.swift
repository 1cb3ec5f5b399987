import CLua
import ScriptValue

/// A Lua table, by reference.
///
/// ```swift
/// let script = "return { width = 80, colors = { 'red', 'green' } }"
/// let table = try lua.evaluate(script, as: LuaTable.self)
/// try table["width"].int                       // 80
/// try table.get("width", as: Int.self)         // 80
/// try table.set("height", to: 24)
/// for color in try table.get("colors", as: LuaTable.self).elements() { … }
/// ```
public final class LuaTable: LuaReference {
  // MARK: Fields

  /// The field `key`, as `table[key]` with metamethods. O(1).
  public func get(_ key: LuaValue) throws(ScriptError) -> LuaValue {
    let status = try vm.withTape([key]) { sl_get_field(vm.core, slot, $0, false) }
    return try vm.readResults(after: status)[0]
  }

  /// Sets `table[key]`, without metamethods. O(1), plus the copy of a `.value`.
  public func set(_ key: LuaValue, to value: LuaValue) throws(ScriptError) {
    try vm.check(
      vm.withTape([key, value]) { sl_set_field(vm.core, slot, $0, $0?.advanced(by: 1)) })
  }

  /// The field `key`, as ``get(_:)``.
  public subscript(_ key: String) -> LuaValue {
    get throws(ScriptError) { try get(.string(key)) }
  }

  /// The field `index`, as ``get(_:)``. The first element of a list is at 1.
  public subscript(_ index: Int) -> LuaValue {
    get throws(ScriptError) { try get(.integer(Int64(index))) }
  }

  /// The field `key`, as ``get(_:)``.
  public subscript(_ key: LuaValue) -> LuaValue {
    get throws(ScriptError) { try get(key) }
  }

  /// The field `key` as a Swift type.
  ///
  /// - Throws: `bad field 'width' (integer expected, got string)`.
  public func get<T: Decodable>(_ key: LuaValue, as type: T.Type) throws(ScriptError) -> T {
    try LuaConversion.value(try get(key), as: type, from: "field \(LuaTable.name(of: key))")
  }

  /// Sets `table[key]` to a Swift value, without metamethods. A nil value removes the field.
  public func set<T: Encodable>(_ key: LuaValue, to value: T) throws(ScriptError) {
    try set(key, to: try LuaConversion.value(passing: value))
  }

  /// A string field; nil if it is absent or not a string.
  public func string(_ key: String) throws(ScriptError) -> String? { try self[key].string }

  private static func name(of key: LuaValue) -> String {
    key.string.map { "'\($0)'" } ?? "[\(key)]"
  }

  // MARK: Contents

  /// The number of elements as Lua's `#` counts them, without metamethods: those at 1 … n. O(log
  /// n).
  public var count: Int {
    get throws(ScriptError) {
      var count: Int64 = 0
      try vm.check(sl_raw_length(vm.core, slot, &count))
      return Int(count)
    }
  }

  /// All entries, in Lua's order, without metamethods. A copy: the table may change while it is
  /// iterated. O(n).
  public func entries() throws(ScriptError) -> [(key: LuaValue, value: LuaValue)] {
    let flat = try vm.readResults(after: sl_entries(vm.core, slot))
    return (0..<flat.count / 2).map { (flat[2 * $0], flat[2 * $0 + 1]) }
  }

  /// The elements at 1 … n, up to the first nil, with metamethods. A copy: the table may change
  /// while it is iterated. O(n).
  public func elements() throws(ScriptError) -> [LuaValue] {
    vm.forgetCause()
    return try vm.readResults(after: sl_elements(vm.core, slot))
  }

  /// The elements at 1 … n as a Swift type.
  ///
  /// - Throws: `bad element #2 (integer expected, got string)`.
  public func elements<T: Decodable>(of type: T.Type) throws(ScriptError) -> [T] {
    var elements: [T] = []
    for element in try self.elements() {
      let what = "element #\(elements.count + 1)"
      elements.append(try LuaConversion.value(element, as: type, from: what))
    }
    return elements
  }

  // MARK: As a value

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

  /// A copy of the table as a Swift type. O(n).
  public func decoded<T: Decodable>(as type: T.Type) throws(ScriptError) -> T {
    try LuaConversion.value(.table(self), as: type, from: "table")
  }
}

import LuaBridge

/// The initial states of the features in a domain, and the keys that a state may have beside them.
final class DefaultStates {
  private var tables: [LuaTable] = []
  private var values: [Value] = []
  private var optional: Set<[String]> = []

  /// Adds a key that is absent while it has no value. Keys in elements of lists are without ids.
  func add(optional key: [String]) { optional.insert(key) }

  func isOptional(_ key: [String]) -> Bool { optional.contains(key) }

  func add(_ table: LuaTable) { tables.append(table) }

  /// Whether an initial state has a value at the path. The states are read when this is first
  /// called; most are never needed.
  func have(_ path: [String]) -> Bool {
    values += tables.compactMap { try? $0.value(named: "state") }
    tables = []
    return values.contains { $0.exists(at: ValuePath(path.map { .key($0) })) }
  }
}

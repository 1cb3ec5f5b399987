import LuaBridge

/// The initial states of the features in a domain.
final class DefaultStates {
  private var tables: [LuaTable] = []
  private var values: [Value] = []

  func add(_ table: LuaTable) { tables.append(table) }

  /// Whether an initial state has a value at the path. The states are read when this is first
  /// called; most are never needed.
  func have(_ path: [String]) -> Bool {
    values += tables.compactMap { try? $0.value(named: "state") }
    tables = []
    return values.contains { $0.exists(at: ValuePath(path.map { .key($0) })) }
  }
}

import LuaBridge
import Synchronization

/// A database that ends with the process.
public final class MemoryDatabase: SharedDatabase {
  private struct Table {
    var content: SharedTable.Content
    var ids: Set<Value> = []
  }

  /// By the names of files and tables.
  private let files = Mutex<[String: [String: Table]]>([:])

  public init() {}

  /// Whether anything was ever stored.
  var isUsed: Bool { files.withLock { !$0.isEmpty } }

  public func read(_ tables: [SharedTable], in file: String) -> [SharedTable.Content] {
    files.withLock { files in
      tables.map { files[file]?[$0.name]?.content ?? SharedTable.Content() }
    }
  }

  public func write(
    to file: String, withstandingPowerFailure: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    let transaction = Transaction(files.withLock { $0[file] ?? [:] })
    try body(transaction)
    files.withLock { $0[file] = transaction.tables }
  }

  private final class Transaction: SharedTransaction {
    var tables: [String: Table]
    var isBehind: Bool { false }

    init(_ tables: [String: Table]) { self.tables = tables }

    func read(_ tables: [SharedTable]) -> [SharedTable.Content] {
      tables.map { self.tables[$0.name]?.content ?? SharedTable.Content() }
    }

    func make(_ change: SharedTable.Change) throws(SharedStorageError) {
      let name = change.table.name
      let old = tables[name] ?? Table(content: SharedTable.Content())
      if case .newTable(let other) = change.base { tables["\(name).\(other)"] = old }
      var ids = change.base == .table ? old.ids : []
      for id in change.rows.removed { ids.remove(id) }
      for row in change.rows.runs.lazy.flatMap(\.rows) where !ids.insert(row.id).inserted {
        throw .doubled(row.id)
      }
      tables[name] = Table(
        content: SharedTable.Content(rows: change.result, version: change.version), ids: ids)
    }
  }
}

extension SharedDatabase where Self == MemoryDatabase {
  /// A new database that ends with the host.
  public static var memory: MemoryDatabase { MemoryDatabase() }
}

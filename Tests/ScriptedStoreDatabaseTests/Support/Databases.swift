#if Database
import Foundation
import GRDB
import ScriptedStore
import ScriptedStoreDatabase
import Synchronization

/// A folder with scripts and one with databases, which other programs may change; both go with it.
final class Databases: Sendable {
  let scripts: String
  let stored: String
  private let statements = Mutex<[String]>([])

  /// - Parameter app: the script `app`. It has `shared` and `list` as locals.
  init(app: String) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("database-tests-\(UUID().uuidString)").path
    (scripts, stored) = ("\(folder)/scripts", "\(folder)/stored")
    for path in [scripts, stored] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try write(app: app)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: scripts)
    try? FileManager.default.removeItem(atPath: stored)
  }

  func write(app: String) throws {
    let locals = """
      local scripted = require "scripted"; local shared, list = scripted.shared, scripted.list; 
      """
    try Data((locals + app).utf8).write(to: URL(fileURLWithPath: "\(scripts)/app.lua"))
  }

  /// A host as another process would have it, too.
  ///
  /// - Parameter limit: of a file, in bytes.
  func host(
    limit: Int = 1 << 30, onWarning: @escaping @Sendable (RuntimeWarning) -> Void = { _ in }
  ) throws -> ScriptHost {
    var configuration = ScriptHost.Configuration(limits: .unlimited, onWarning: onWarning)
    configuration.shared = .memory
    configuration.database = try DatabaseStorage(stored, limit: limit) { [weak self] statement in
      self?.statements.withLock { $0.append(statement) }
    }
    return try ScriptHost(root: scripts, configuration: configuration)
  }

  // MARK: Another program

  /// Executes SQL, and returns the rows that the last statement has, as texts.
  @discardableResult
  func sql(_ sql: String, file: String = "app.db") throws -> [[String]] {
    var configuration = GRDB.Configuration()
    // The connection of a host that is gone may be closing, which locks the file for a moment.
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: "\(stored)/\(file)", configuration: configuration)
    defer { try? queue.close() }
    return try queue.inDatabase { db in
      var rows: [[String]] = []
      let statements = try db.allStatements(sql: sql)
      while let statement = try statements.next() {
        rows = try Row.fetchAll(statement).map { row in
          row.databaseValues.map { value in
            switch value.storage {
            case .null: "NULL"
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text): text
            case .blob: "a blob"
            }
          }
        }
      }
      return rows
    }
  }

  /// Calls `body` while another program is in a transaction that writes.
  func locked(_ body: () throws -> Void) throws {
    let queue = try DatabaseQueue(path: "\(stored)/app.db")
    try queue.inDatabase { db in
      try db.inTransaction(.immediate) {
        try body()
        return .rollback
      }
    }
  }

  /// The ids of a table, in the order of the rows.
  func ids(_ table: String = "todos") throws -> [String] {
    try sql("SELECT id FROM \"\(table)\" ORDER BY position, id").map { $0[0] }
  }

  /// The statements that were executed since the last call.
  func takeStatements() -> [String] {
    statements.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }

  /// Waits until the state of a store is as expected, which another thread makes it.
  static func wait(_ store: Store, until isReached: (Value) -> Bool) async {
    while !isReached(store.state) { await Task.yield() }
  }
}
#endif

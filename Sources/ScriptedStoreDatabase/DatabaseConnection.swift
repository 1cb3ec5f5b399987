#if Database
import Foundation
import GRDB
import ScriptedStore
import ScriptedStoreFiles
import Synchronization

/// The one connection of this process to a file.
///
/// 1. The file has a write-ahead log. What was committed outlives the process, because it is in the
///    log; it outlives a power failure if the log was flushed to the disk, as with the pragma
///    `synchronous = FULL`.
/// 2. `PRAGMA data_version` differs from `seen` if another connection has committed since this one
///    has read all tables that it knows. Own commits do not change it.
final class DatabaseConnection: Sendable {
  /// ``LibraryFiles/File/number``.
  let number: UInt64
  private let queue: DatabaseQueue
  private let state = Mutex(State())

  private struct State {
    /// The `data_version` when the tables were read last (2); nil before that.
    var seen: Int?
    /// The tables that were read, without those that the host has forgotten.
    var known: Set<SharedTable> = []
    /// The `rowid`s of rows that could not be read, by the names of their tables.
    var broken: [String: [Int64]] = [:]
    /// Whether the transaction moves such rows to another table.
    var setsAside = false
    var isSynchronous: Bool?
  }

  /// - Parameter isConstant: whether the file is only read, and as one that nobody changes. Then
  ///   SQLite makes no file beside it, and takes no lock.
  init(
    _ file: LibraryFiles.File, isConstant: Bool = false, limit: Int,
    trace: (@Sendable (String) -> Void)?
  ) throws(SharedStorageError) {
    var configuration = GRDB.Configuration()
    // Actions wait for another process's transaction, but not for long.
    configuration.busyMode = .timeout(1)
    configuration.foreignKeysEnabled = false
    configuration.readonly = isConstant
    if let trace {
      configuration.prepareDatabase { db in db.trace { trace($0.description) } }
    }
    number = file.number
    queue = try SharedStorageError.wrapping {
      let uri = URL(fileURLWithPath: file.path).absoluteString + "?immutable=1"
      let path = isConstant ? uri : file.path
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      if isConstant { return queue }
      try queue.writeWithoutTransaction { db in
        let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
          throw SharedStorageError(
            code: "failed", message: "its file system has no write-ahead log (\(mode ?? "none"))")
        }
        let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        try db.execute(sql: "PRAGMA max_page_count = \(max(1, limit / pageSize))")
      }
      return queue
    }
  }

  /// Sets whether commits outlive a power failure. Not in a transaction, where it has no effect.
  private func setSynchronous(_ isFull: Bool, _ db: GRDB.Database) throws {
    if state.withLock({ $0.isSynchronous }) == isFull { return }
    try db.execute(sql: "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    let level = try Int.fetchOne(db, sql: "PRAGMA synchronous")
    guard level == (isFull ? 2 : 1) else {
      throw SharedStorageError(
        code: "failed", message: "SQLite has set synchronous to \(level ?? -1)")
    }
    state.withLock { $0.isSynchronous = isFull }
  }

  private static func version(_ db: GRDB.Database) throws -> Int? {
    try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
  }

  /// Whether others have changed the file since the tables were read.
  var isBehind: Bool {
    queue.writeWithoutTransaction { db in
      // If this cannot be read, reading the tables tells why.
      (try? DatabaseConnection.version(db)) != state.withLock { $0.seen }
    }
  }

  func read(_ tables: [SharedTable]) throws(SharedStorageError) -> [SharedTable.Content] {
    try SharedStorageError.wrapping {
      try queue.writeWithoutTransaction { db in
        var contents: [SharedTable.Content] = []
        try db.inTransaction(.deferred) {
          contents = try read(tables, db)
          return .commit
        }
        return contents
      }
    }
  }

  /// Reads tables in a transaction.
  private func read(
    _ tables: [SharedTable], _ db: GRDB.Database
  ) throws -> [SharedTable.Content] {
    let version = try DatabaseConnection.version(db)
    let found = try tables.map { try DatabaseTable($0, db).read() }
    state.withLock { state in
      // A change of a table that is not read now is still to be seen.
      if state.seen == nil || state.known.isSubset(of: tables) { state.seen = version }
      state.known.formUnion(tables)
      for (table, rows) in zip(tables, found) { state.broken[table.name] = rows.broken }
    }
    return found.map(\.content)
  }

  /// The host does not use a table any more: what others change in it is nothing to be seen.
  func forget(_ table: SharedTable) {
    state.withLock { state in
      state.known.remove(table)
      state.broken[table.name] = nil
    }
  }

  func write(
    withstandingPowerFailure isFull: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    try SharedStorageError.wrapping {
      try queue.writeWithoutTransaction { db in
        try setSynchronous(isFull, db)
        // `inTransaction` would parse both statements each time.
        try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
          let version = try DatabaseConnection.version(db)
          let seen = state.withLock { state in
            state.setsAside = false
            return state.seen
          }
          try body(Transaction(connection: self, db: db, isBehind: version != seen))
          try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
          try? db.rollback()
          state.withLock { if $0.setsAside { $0.seen = nil } }
          throw error
        }
      }
    }
  }

  /// The rows to set aside now. If the transaction fails, the tables are read again, which finds
  /// them again.
  private func takeBroken(of table: SharedTable) -> [Int64] {
    state.withLock { state in
      guard let rows = state.broken.removeValue(forKey: table.name), !rows.isEmpty else {
        return []
      }
      state.setsAside = true
      return rows
    }
  }

  private struct Transaction: SharedTransaction {
    let connection: DatabaseConnection
    let db: GRDB.Database
    let isBehind: Bool

    func read(_ tables: [SharedTable]) throws(SharedStorageError) -> [SharedTable.Content] {
      try SharedStorageError.wrapping { try connection.read(tables, db) }
    }

    func make(_ change: SharedTable.Change) throws(SharedStorageError) {
      try SharedStorageError.wrapping {
        let table = DatabaseTable(change.table, db)
        if change.base == .table { try table.setAside(connection.takeBroken(of: change.table)) }
        try table.make(change)
      }
    }
  }

  /// Brings the log into the file, if no other process reads it.
  func checkpoint() {
    _ = try? queue.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
  }
}

extension SharedStorageError {
  /// Calls `body`, and makes its errors ones of a storage.
  static func wrapping<R>(_ body: () throws -> R) throws(SharedStorageError) -> R {
    do {
      return try body()
    } catch let error as SharedStorageError {
      throw error
    } catch let error as DatabaseError {
      throw SharedStorageError(error)
    } catch {
      throw SharedStorageError(code: "failed", message: "\(error)")
    }
  }

  private init(_ error: DatabaseError) {
    let code =
      switch error.resultCode {
      case .SQLITE_FULL: "full"
      case .SQLITE_BUSY, .SQLITE_LOCKED: "locked"
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: "denied"
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: "corrupt"
      case .SQLITE_TOOBIG: "tooLarge"
      default: "failed"
      }
    self.init(code: code, message: error.message ?? "SQLite error \(error.resultCode.rawValue)")
  }
}
#endif

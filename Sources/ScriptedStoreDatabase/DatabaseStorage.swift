#if Database
import ScriptedStore
import ScriptedStoreFiles
import Synchronization

/// Stores shared values of `database` keys as tables of SQLite files in one folder. No path leads
/// outside of it, and files are for their owner alone.
///
/// ```swift
/// var configuration = ScriptHost.Configuration()
/// configuration.database = try DatabaseStorage("/var/lib/app")
/// ```
///
/// A value is a table with the columns `id`, `position` and `json`, a row for each element of the
/// list. Other programs may read and change it; on Linux a change is seen at once, else with the
/// next change here. A file with more than `limit` bytes is not opened, and none grows beyond it.
public final class DatabaseStorage: SharedDatabase {
  private let files: LibraryFiles
  private let limit: Int
  private let trace: (@Sendable (String) -> Void)?
  /// By the files that were asked for; nil for one that was not there or could not be opened.
  private let connections = Mutex<[String: DatabaseConnection?]>([:])
  /// The files that could not be opened, as they were then. To try it is itself an event of their folder.
  private let unopened = Mutex<[String: LibraryFiles.File]>([:])

  /// - Parameters:
  ///   - path: the folder, which must exist.
  ///   - limit: the largest size in bytes of a file.
  /// - Throws: a `ScriptError` if the folder cannot be opened.
  public convenience init(_ path: String, limit: Int = 1 << 30) throws {
    try self.init(path, limit: limit, trace: nil)
  }

  /// - Parameter trace: gets each SQL statement before it is executed.
  package init(
    _ path: String, limit: Int = 1 << 30, trace: (@Sendable (String) -> Void)?
  ) throws {
    files = try LibraryFiles(path, limit: limit, named: "the folder of databases")
    self.limit = limit
    self.trace = trace
  }

  /// The connection to a file; nil if there is no file.
  private func connection(
    to file: String, making: Bool
  ) throws(SharedStorageError) -> DatabaseConnection? {
    try connections.withLock { (connections) throws(SharedStorageError) in
      if let known = connections[file], let known { return known }
      let found = try files.file(file, making: making)
      connections[file] = .some(nil)
      unopened.withLock { $0[file] = nil }
      guard let found else { return nil }
      do throws(SharedStorageError) {
        let new = try DatabaseConnection(found, limit: limit, trace: trace)
        connections[file] = new
        return new
      } catch {
        // A lock ends without a change of the file.
        if error.code != "locked" { unopened.withLock { $0[file] = found } }
        throw error
      }
    }
  }

  public func read(
    _ tables: [SharedTable], in file: String
  ) throws(SharedStorageError) -> [SharedTable.Content] {
    let found: DatabaseConnection?
    do throws(SharedStorageError) {
      found = try connection(to: file, making: false)
    } catch {
      guard error.code == "denied", let constant = try constant(file) else { throw error }
      return try constant.read(tables)
    }
    guard let found else { return tables.map { _ in SharedTable.Content() } }
    return try found.read(tables)
  }

  /// A connection for one reading of a file that cannot be opened otherwise, because SQLite may
  /// make no log beside it: in a folder, or on a disk, that may only be read. Nil if there is a
  /// log, whose changes such a connection would miss.
  private func constant(_ file: String) throws(SharedStorageError) -> DatabaseConnection? {
    guard try files.file("\(file)-wal", making: false) == nil,
      let found = try files.file(file, making: false)
    else { return nil }
    return try DatabaseConnection(found, isConstant: true, limit: limit, trace: trace)
  }

  public func write(
    to file: String, withstandingPowerFailure: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    guard let connection = try connection(to: file, making: true) else {
      throw SharedStorageError(code: "notFound", message: "another program has removed it just now")
    }
    try connection.write(withstandingPowerFailure: withstandingPowerFailure, body)
  }

  public func watch(_ handler: @escaping @Sendable (_ file: String) -> Void) {
    files.watch { [weak self] in self?.look(handler) }
  }

  /// Calls `handler` with the files that others have changed, removed or made. Commits of this
  /// process are changes of files as well.
  private func look(_ handler: (_ file: String) -> Void) {
    for (file, connection) in connections.withLock({ $0 }) {
      let found = try? files.file(file, making: false)
      let isOther: Bool =
        if let connection {
          found?.number != connection.number
        } else {
          found != unopened.withLock { $0[file] }
        }
      if isOther, connection != nil { connections.withLock { $0[file] = .some(nil) } }
      if isOther || connection?.isBehind == true { handler(file) }
    }
  }

  public func flush() {
    for connection in connections.withLock({ $0 }).values { connection?.checkpoint() }
  }
}

extension SharedDatabase where Self == DatabaseStorage {
  /// SQLite files in a folder, which must exist; see ``DatabaseStorage``.
  public static func folder(_ path: String) throws -> DatabaseStorage {
    try DatabaseStorage(path)
  }
}
#endif

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
  /// By the files that were asked for.
  private let known = Mutex<[String: Known]>([:])

  /// What is known of a file.
  private enum Known {
    case missing
    /// It could not be opened, as it was then. To try it is itself an event of its folder.
    case unopened(LibraryFiles.File)
    case open(DatabaseConnection)
  }

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
    try known.withLock { (known) throws(SharedStorageError) in
      if case .open(let connection) = known[file] { return connection }
      let found = try files.file(file, making: making)
      known[file] = .missing
      guard let found else { return nil }
      do throws(SharedStorageError) {
        let new = try DatabaseConnection(found, limit: limit, trace: trace)
        known[file] = .open(new)
        return new
      } catch {
        // A lock ends without a change of the file.
        if error.code != "locked" { known[file] = .unopened(found) }
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
    for (file, state) in known.withLock({ $0 }) {
      let found = try? files.file(file, making: false)
      switch state {
      case .missing: if found != nil { handler(file) }
      case .unopened(let former): if found != former { handler(file) }
      case .open(let connection):
        let isOther = found?.number != connection.number
        if isOther { known.withLock { if $0[file] != nil { $0[file] = .missing } } }
        if isOther || connection.isBehind { handler(file) }
      }
    }
  }

  public func flush() {
    for case .open(let connection) in known.withLock({ $0 }).values { connection.checkpoint() }
  }

  /// Closes a file with its last table, because a program may have a file for each document.
  public func forget(_ table: SharedTable, in file: String, isLast: Bool) {
    // SQLite closes the file when the connection is released, which is after the lock.
    let former = known.withLock { isLast ? $0.removeValue(forKey: file) : $0[file] }
    if case .open(let connection) = former { connection.forget(table) }
  }
}

extension SharedDatabase where Self == DatabaseStorage {
  /// SQLite files in a folder, which must exist; see ``DatabaseStorage``.
  public static func folder(_ path: String) throws -> DatabaseStorage {
    try DatabaseStorage(path)
  }
}
#endif

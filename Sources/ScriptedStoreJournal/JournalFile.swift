#if Journal
import Foundation
import GRDB
import GRDBSQLite
import Platform
import ScriptedStore

/// An SQLite file that is a journal, and the connections to it.
struct JournalFile: Sendable {
  /// The path as the host has given it, for messages.
  let name: String
  /// Without links.
  let path: String
  private let settings: JournalSettings

  /// The four letters `ssjl` in the header of the file, which tell a journal from other databases.
  private static let application = 0x7373_6A6C

  init(
    _ path: String, _ settings: JournalSettings = JournalSettings()
  ) throws(JournalError) {
    (name, self.settings) = (path, settings)
    if let status = Self.status(of: path) {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw JournalError(.notAJournal, "\(path) is no ordinary file; name a file for the journal")
      }
      self.path = realPath(path) ?? path
    } else {
      let url = URL(fileURLWithPath: path)
      guard let folder = realPath(url.deletingLastPathComponent().path) else {
        throw JournalError(
          .notWritten,
          "\(path) cannot be made: \(FileFault.last); make its folder first, or name another file")
      }
      self.path = "\(folder)/\(url.lastPathComponent)"
    }
  }

  var exists: Bool { number != nil }

  // MARK: The log

  /// Writes the bytes of the log again, and syncs the log and its folder. Two things make this necessary:
  ///
  /// - SQLite takes all commits in the log for durable. The process that has made the last one may have been killed before its
  ///   sync.
  /// - After a sync has failed, the system takes the pages that it could not write for written. The next sync succeeds, although
  ///   the disk does not have them. A checkpoint relies on the log until all pages of the file are on the disk.
  ///
  /// SQLite ignores a failed sync of the folder. Then a loss of power could bring back the log that had the name before.
  ///
  /// - Parameter db: a connection that is in no transaction. Its lock keeps other programs from writing the log meanwhile, and
  ///   from making it shorter.
  func renewLog(_ db: Database) throws {
    try db.inTransaction(.immediate) {
      try sync(log, O_RDWR, Self.writeAgain)
      try syncFolder()
      return .rollback
    }
  }

  /// Brings onto the disk that the log has become shorter. Without that, a loss of power brings back what was in it.
  func syncTruncatedLog() throws(JournalError) {
    try sync(log, O_RDONLY) { _ in true }
    try syncFolder()
  }

  var log: String { "\(path)-wal" }

  func syncFolder() throws(JournalError) {
    try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY) { _ in true }
  }

  /// Opens a file or a folder if it is there, lets `body` write it, and syncs it.
  ///
  /// - Parameter body: returns false, and sets `errno`, if it cannot.
  private func sync(
    _ path: String, _ access: Int32, _ body: (Int32) -> Bool
  ) throws(JournalError) {
    let descriptor = open(path, access | O_CLOEXEC)
    if descriptor < 0 && errno == ENOENT { return }
    // SQLite has no locks on these, which closing them would end.
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, body(descriptor), Self.sync(descriptor) == 0 else {
      throw JournalError(.notWritten, "\(name): \(path) cannot be synced: \(FileFault.last)")
    }
  }

  /// Writes the bytes of a file at the places where they are.
  private static func writeAgain(_ descriptor: Int32) -> Bool {
    var place: off_t = 0
    return withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { bytes in
      while true {
        let count = pread(descriptor, bytes.baseAddress, bytes.count, place)
        guard count > 0 else { return count == 0 }
        var done = 0
        while done < count {
          let some = pwrite(
            descriptor, bytes.baseAddress?.advanced(by: done), count - done, place + off_t(done))
          guard some > 0 else { return false }
          done += some
        }
        place += off_t(count)
      }
    }
  }

  private static func sync(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    // `fsync` of Apple's systems does not wait for the disk.
    if fcntl(descriptor, F_FULLFSYNC) != -1 { return 0 }
    #endif
    return fsync(descriptor)
  }

  // MARK: Connections

  /// Makes an empty file for its owner alone, unless there is a file. That one is not opened: closing it would end all locks
  /// that SQLite has on it in this process.
  ///
  /// - Throws: for a file that cannot have one owner, because of its name.
  func makeIfAbsent() throws(JournalError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 || errno == EEXIST else {
      throw JournalError(.notWritten, "\(name) cannot be made: \(FileFault.last)")
    }
    if descriptor >= 0 {
      close(descriptor)
      return
    }
    guard let status = Self.status(of: path) else {
      // SQLite would make the file that the link names, and its log there. The lock would be here.
      throw JournalError(
        .notWritten,
        "\(name) cannot be made: it is a link to a file that is not there; make that file, or name another"
      )
    }
    guard status.st_nlink <= 1 else {
      // The lock and SQLite's log are beside the name: two owners would write one file, and not know of each other.
      throw JournalError(
        .notWritten,
        """
        \(name) cannot be used: its file has \(status.st_nlink) names (hard links), and each could have an owner; remove the \
        others, or use a copy of it (`runner stores \(name) backup FILE`)
        """)
    }
  }

  /// The number of the file that has the path now; nil if none has.
  var number: ino_t? { Self.status(of: path)?.st_ino }

  /// A connection that has changed nothing yet: that the file is a journal is to be found out first.
  func connect(isReadOnly: Bool, isConstant: Bool = false) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(settings.busyTimeout)
    configuration.foreignKeysEnabled = false
    configuration.readonly = isReadOnly
    // GRDB ends the process if a transaction is open still; one that cannot be rolled back is dealt with here.
    configuration.allowsUnsafeTransactions = true
    configuration.label = "journal"
    let uri = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
    return try DatabaseQueue(path: isConstant ? uri : path, configuration: configuration)
  }

  /// A connection to a file that is a journal, or empty. Like each, it is closed with its last reference.
  func checkedConnection(
    isReadOnly: Bool, isConstant: Bool = false
  ) throws -> (connection: DatabaseQueue, isEmpty: Bool) {
    let connection = try connect(isReadOnly: isReadOnly, isConstant: isConstant)
    return (connection, try connection.writeWithoutTransaction { db in try check(db) })
  }

  /// Throws unless the file is a journal of this version, or empty.
  ///
  /// - Returns: whether it is empty.
  func check(_ db: Database) throws -> Bool {
    try checkSize(db)
    let application = try number(db, "PRAGMA application_id")
    if application == Self.application {
      guard try number(db, "SELECT count(*) FROM sqlite_master WHERE name = 'meta'") > 0 else {
        return true
      }
      let schema = try MetaTable(db: db).number(.schema)
      guard schema <= MetaTable.schema else {
        throw JournalError(
          .notAJournal,
          """
          \(name) was written by a newer program (version \(schema) of its tables; this one knows \(MetaTable.schema)); \
          use that program
          """)
      }
      try checkDefinition(db)
      return false
    }
    guard application == 0, try number(db, "SELECT count(*) FROM sqlite_master") == 0 else {
      throw JournalError(
        .notAJournal, "\(name) is a database of another program; name another file")
    }
    return true
  }

  /// Throws if the tables are others than those that this version makes.
  private func checkDefinition(_ db: Database) throws {
    var found: Set<String> = []
    try db.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL") {
      found.insert($0.text(0) ?? "")
    }
    guard found == Set(Self.definition) else {
      throw Damage(nil, "its tables are not as they were made")
    }
  }

  /// Throws if the last page is not whole and there is no log that may have it. SQLite would take zeros for the rest.
  private func checkSize(_ db: Database) throws {
    let size = Self.size(of: path)
    guard size > 0, Self.size(of: log) == 0 else { return }
    guard try number(db, "PRAGMA page_count") > 0 else { throw noDatabase }
    guard try size % number(db, "PRAGMA page_size") == 0 else {
      throw Damage(nil, "the end of the file is missing")
    }
  }

  private static func size(of path: String) -> Int {
    status(of: path).map { Int($0.st_size) } ?? 0
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private var noDatabase: JournalError {
    JournalError(
      .notAJournal,
      "\(name) is no journal, or its first bytes are damaged: it is no SQLite file; name another file, or restore a backup"
    )
  }

  private func number(_ db: Database, _ sql: String) throws -> Int {
    try db.row(sql) { Int($0.integer(0)) } ?? -1
  }

  private static let definition =
    MetaTable.definition + RecordTable.definition + StoreTable.definition

  /// Makes the tables of an empty file, before it has a write-ahead log: the header has the mark of a journal from the first
  /// commit on.
  func makeTables(_ db: Database) throws {
    try db.execute(sql: "PRAGMA application_id = \(Self.application)")
    try db.inTransaction(.exclusive) {
      for statement in Self.definition { try db.execute(sql: statement) }
      let meta = MetaTable(db: db)
      try meta.set(.schema, "\(MetaTable.schema)")
      try meta.set(.checkpoint, "\(Receipt.none)")
      try meta.set(.stores, "0")
      try meta.set(.changes, "0")
      return .commit
    }
  }

  /// Makes a connection the one that writes.
  func prepareToWrite(_ db: Database) throws {
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw JournalError(
        .notWritten,
        "\(name) cannot be used: its file system has no write-ahead log of SQLite (\(mode ?? "none")); put it on a local disk"
      )
    }
    // GRDB sets NORMAL when it opens a file.
    try set("synchronous", to: 2, db)
    #if canImport(Darwin)
    // `fsync` of Apple's systems does not wait for the disk.
    try set("fullfsync", to: 1, db)
    try set("checkpoint_fullfsync", to: 1, db)
    #endif
    // Damaged pages are found when they are read, not when a record in them is.
    try set("cell_size_check", to: 1, db)
    // 16 MiB. A checkpoint waits for the disk twice, so that with SQLite's 4 MiB they are felt under load.
    try set("wal_autocheckpoint", to: 4096, db)
    if let pages = settings.maximumPages {
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    if let bytes = settings.maximumLength {
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, bytes)
    }
  }

  private func set(_ pragma: String, to value: Int, _ db: Database) throws {
    try db.execute(sql: "PRAGMA \(pragma) = \(value)")
    let found = try number(db, "PRAGMA \(pragma)")
    guard found == value else {
      throw JournalError(
        .notWritten, "\(name) cannot be used: SQLite has set \(pragma) to \(found), not \(value)")
    }
  }

  // MARK: Errors

  /// Calls `body`, and makes its errors ones of this journal.
  func wrapping<R>(_ body: () throws -> R) throws(JournalError) -> R {
    do {
      return try body()
    } catch {
      throw journalError(error)
    }
  }

  func journalError(_ error: any Error) -> JournalError {
    switch error {
    case let error as JournalError: error
    case let error as Damage: damaged(error.message, error.store)
    case let error as DatabaseError: journalError(error)
    default: JournalError(.notWritten, "\(name): \(error)")
    }
  }

  private func damaged(_ message: String, _ store: String? = nil) -> JournalError {
    let place = store.map { "\(name): \($0)" } ?? name
    return JournalError(
      .damaged,
      "\(place) is damaged: \(message); restore a backup, or look with `runner stores \(name) verify`"
    )
  }

  private func journalError(_ error: DatabaseError) -> JournalError {
    let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_NOTADB: return noDatabase
    // The statements are right, so that it is the tables that are not.
    case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_MISMATCH, .SQLITE_FORMAT:
      return damaged(message)
    case .SQLITE_CONSTRAINT:
      return JournalError(
        .damaged,
        "\(name) is damaged: another program has written into it while it was open (\(message)); end that, and restore a backup"
      )
    case .SQLITE_FULL:
      return JournalError(.notWritten, "\(name) was not written: the disk is full; make room on it")
    case .SQLITE_IOERR:
      return JournalError(
        .notWritten,
        """
        \(name): the disk has failed (\(message), SQLite's code \(error.extendedResultCode.rawValue)); look into the \
        system's log
        """
      )
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return JournalError(
        .notWritten,
        "\(name) was not written: another program holds a transaction open in it; end that")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN:
      return JournalError(
        .notWritten,
        "\(name) cannot be opened or written (\(message)); look at the permissions of the file and of its folder"
      )
    default: return JournalError(.notWritten, "\(name) was not written: \(message)")
    }
  }
}

/// What is wrong with the content of a journal. Becomes a ``JournalError`` with the name of the file.
struct Damage: Error {
  /// The store that cannot be used, as `room/r17`; nil if it is not known.
  let store: String?
  let message: String

  init(_ store: String?, _ message: String) { (self.store, self.message) = (store, message) }

  static func missing(_ store: String, _ number: Int) -> Damage {
    Damage(store, "record \(number) is missing")
  }
}
#endif

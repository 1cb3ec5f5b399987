#if Journal
import Foundation
import GRDB
import Platform
import ScriptedStore
import Synchronization

/// Reads the file of a ``SQLiteJournal``, also while its owner writes it.
package final class SQLiteJournalReader: JournalReading {
  private let file: JournalFile
  private let connection: DatabaseQueue
  /// The index that was read last, and SQLite's number of the version of the file that it is of.
  private let lastIndex = Mutex<(version: Int64, index: JournalIndex)?>(nil)

  /// - Throws: ``JournalError`` if there is no file, or one that is no journal.
  package init(_ path: String) throws(JournalError) {
    let file = try JournalFile(path)
    self.file = file
    guard file.exists else {
      throw JournalError(.notAJournal, "there is no file \(path); name the file of a journal")
    }
    connection = try file.wrapping {
      do {
        return try Self.connect(file, isConstant: false)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
      {
        // SQLite may make no log beside it. If there is none, nobody writes either.
        guard access(file.log, F_OK) != 0 else { throw error }
        return try Self.connect(file, isConstant: true)
      }
    }
  }

  private static func connect(_ file: JournalFile, isConstant: Bool) throws -> DatabaseQueue {
    let (connection, isEmpty) = try file.checkedConnection(isReadOnly: true, isConstant: isConstant)
    guard !isEmpty else {
      throw JournalError(
        .notAJournal, "\(file.name) is empty: no program has used it as its journal yet")
    }
    return connection
  }

  /// Reads in one transaction, and so at one moment.
  private func read<R>(_ body: (JournalTables) throws -> R) throws(JournalError) -> R {
    try file.wrapping {
      try connection.writeWithoutTransaction { db in
        try JournalTables.reading(db, body)
      }
    }
  }

  /// The index, which is read again only if the journal has changed: it may be long, and a tool may ask for each store.
  private func index(_ tables: JournalTables) throws -> JournalIndex {
    let version = try tables.db.row("PRAGMA data_version") { $0.integer(0) } ?? 0
    if let last = lastIndex.withLock({ $0 }), last.version == version { return last.index }
    let index = try JournalIndex(tables.db, after: tables.checkpoint())
    lastIndex.withLock { $0 = (version, index) }
    return index
  }

  package func stores(of feature: String?) throws(JournalError) -> [DurableStoreInfo] {
    try read { tables in try tables.infos(of: feature, index(tables)) }
  }

  package func stored(_ store: StoreName) throws(JournalError) -> StoredStore? {
    try read { tables in try tables.stored(store, index(tables).ends[store]) }
  }

  package func read(
    _ store: StoreName, _ body: (JournalLine) -> Bool
  ) throws(JournalError) -> Bool {
    try read { tables in try tables.read(store, index(tables).ends[store], body) }
  }

  package func history(of store: StoreName) throws(JournalError) -> StoredHistory? {
    try read { tables in try tables.history(store, index(tables).ends[store]) }
  }

  package func verify() throws(JournalError) -> JournalVerification {
    try read { tables in
      var verifier = JournalVerifier(tables)
      return verifier.verify()
    }
  }

  /// Writes a file beside `path` first, so that a copy that is not whole never has its name.
  package func backup(to path: String) throws(JournalError) {
    // Also a link to nothing, which the copy must not replace.
    guard faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
      throw JournalError(.notWritten, "\(path) exists; name a file that does not")
    }
    let partial = "\(path).partial"
    guard realPath(partial) != file.path else {
      throw JournalError(
        .notWritten,
        "\(path) cannot be written, because \(partial) is the journal; name another file")
    }
    // A backup that was killed has left it. If it is a link, what it leads to stays.
    unlink(partial)
    let draft = try JournalFile(partial)
    try draft.makeIfAbsent()
    do {
      try draft.wrapping {
        let copy = try draft.connect(isReadOnly: false)
        try copy.writeWithoutTransaction { db in
          // The copy is on the disk when the backup is done.
          try db.execute(sql: "PRAGMA synchronous = FULL")
          try connection.writeWithoutTransaction { source in try source.backup(to: db) }
        }
        try copy.close()
      }
      // A link does not replace a file that was made meanwhile; some file systems have none.
      guard link(draft.path, path) == 0 || (errno != EEXIST && rename(draft.path, path) == 0)
      else {
        throw JournalError(.notWritten, "\(path) was not written: \(FileFault.last)")
      }
      unlink(draft.path)
      do throws(JournalError) {
        try draft.syncFolder()
      } catch {
        // It may be gone after a loss of power, and another backup needs the name.
        unlink(path)
        throw error
      }
    } catch {
      unlink(draft.path)
      throw draft.journalError(error)
    }
  }
}
#endif

#if Journal
import GRDB

/// What has become of a transaction.
enum CommitOutcome {
  case done
  /// It was rolled back, and nothing in the log can bring it back.
  case notDone(any Error)
  case unclear(any Error)

  /// Without the last frame of its transaction, which has the mark of a commit, a log has nothing of it. If SQLite finds the
  /// disk full while it writes the log, that frame is not there. After other errors it may be, and be taken for committed
  /// when the log is next read from the disk.
  init(_ db: Database, faults: JournalSettings.Faults, _ body: () throws -> Void) {
    do {
      // `inTransaction` would parse both statements each time.
      try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
      try body()
    } catch {
      self = Self.rollBack(db) ? .notDone(error) : .unclear(error)
      return
    }
    do {
      try faults.beforeCommit()
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      try faults.afterCommit()
      self = .done
    } catch {
      let isFull = (error as? DatabaseError)?.resultCode == .SQLITE_FULL
      self = Self.rollBack(db) && isFull ? .notDone(error) : .unclear(error)
    }
  }

  /// Returns whether no transaction is open.
  private static func rollBack(_ db: Database) -> Bool {
    try? db.rollback()
    return !db.isInsideTransaction
  }
}
#endif

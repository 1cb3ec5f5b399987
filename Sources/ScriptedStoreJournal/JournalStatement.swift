#if Journal
import GRDB
import GRDBSQLite
import ScriptedStore

/// A prepared statement, by SQLite's own functions. GRDB's arguments and rows would take most of the time of a commit, and a
/// column of a damaged file that has another type than expected would end the process there. Here it is read as SQLite converts
/// it.
struct JournalStatement {
  private let statement: Statement
  private let db: Database

  /// Prepares `sql`, or takes the statement that was prepared for it before, and gives it its arguments.
  init<each A: JournalArgument>(
    _ db: Database, _ sql: String, _ arguments: repeat each A
  ) throws {
    (self.db, statement) = (db, try db.cachedStatement(sql: sql))
    sqlite3_reset(statement.sqliteStatement)
    var index: Int32 = 0
    for argument in repeat each arguments {
      index += 1
      // SQLite would take NULL for an argument that was not bound.
      let code = argument.bind(index, of: statement.sqliteStatement)
      guard code == SQLITE_OK else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
    }
  }

  /// Goes to the next row. Returns false behind the last one; the statement can then be executed again.
  func step() throws -> Bool {
    switch sqlite3_step(statement.sqliteStatement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(statement.sqliteStatement)
      return false
    default:
      let error = DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
        message: db.lastErrorMessage)
      sqlite3_reset(statement.sqliteStatement)
      throw error
    }
  }

  /// Ends a statement whose other rows are of no interest.
  func end() { sqlite3_reset(statement.sqliteStatement) }

  // MARK: Columns of the row, from 0

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(statement.sqliteStatement, column)
  }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func double(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(statement.sqliteStatement, column)
  }

  /// The text of a column; nil for NULL. Bytes that are no UTF-8 become U+FFFD, so that no hash of them fits.
  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement.sqliteStatement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement.sqliteStatement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The hash in a column; nil for all that is not 32 bytes.
  func digest(_ column: Int32) -> SHA256.Digest? {
    guard let bytes = sqlite3_column_blob(statement.sqliteStatement, column) else { return nil }
    return SHA256.Digest(
      UnsafeRawBufferPointer(
        start: bytes, count: Int(sqlite3_column_bytes(statement.sqliteStatement, column))))
  }
}

extension Database {
  /// Executes a statement without rows.
  func run<each A: JournalArgument>(_ sql: String, _ arguments: repeat each A) throws {
    let statement = try JournalStatement(self, sql, repeat each arguments)
    while try statement.step() {}
  }

  func rows<each A: JournalArgument>(
    _ sql: String, _ arguments: repeat each A, body: (JournalStatement) throws -> Void
  ) throws {
    let select = try JournalStatement(self, sql, repeat each arguments)
    defer { select.end() }
    while try select.step() { try body(select) }
  }

  /// What is read at the first row; nil if there is none.
  func row<each A: JournalArgument, R>(
    _ sql: String, _ arguments: repeat each A, read: (JournalStatement) throws -> R?
  ) throws -> R? {
    let select = try JournalStatement(self, sql, repeat each arguments)
    defer { select.end() }
    return try select.step() ? try read(select) : nil
  }
}

protocol JournalArgument {
  /// - Parameter index: from 1.
  /// - Returns: a result code of SQLite.
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32
}

extension Int64: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Double: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }
}

extension String: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      sqlite3_bind_text64(
        statement, index, bytes.baseAddress, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
    }
  }
}

extension SHA256.Digest: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    withBytes { bytes in
      sqlite3_bind_blob64(
        statement, index, bytes.baseAddress, UInt64(bytes.count), copied)
    }
  }
}

extension Optional: JournalArgument where Wrapped: JournalArgument {
  func bind(_ index: Int32, of statement: SQLiteStatement) -> Int32 {
    if let self { self.bind(index, of: statement) } else { sqlite3_bind_null(statement, index) }
  }
}

/// SQLITE_TRANSIENT, a macro that Swift does not import.
// Proof: SQLite defines it as the pointer -1, compares it, and never calls it.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
#endif

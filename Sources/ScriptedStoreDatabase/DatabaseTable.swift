#if Database
import Foundation
import GRDB
import ScriptedStore

/// A table of a file: `id`, `position` (the order of the rows, a float) and `json` (the row).
///
/// The version of its shape is in the table `$version` of the file, unless it is 1. No key can have
/// that name.
struct DatabaseTable {
  let table: SharedTable
  let db: GRDB.Database
  /// The name for SQL. Names of keys and of what is set aside contain no quotes.
  let name: String

  init(_ table: SharedTable, _ db: GRDB.Database) {
    self.table = table
    self.db = db
    name = "\"\(table.name)\""
  }

  private func exists(_ name: String) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql:
          "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE)"
      ),
      arguments: [name]) ?? false
  }

  // MARK: Reading

  /// What the table has, and the `rowid`s of rows that are no values.
  func read() throws -> (content: SharedTable.Content, broken: [Int64]) {
    guard try exists(table.name) else { return (SharedTable.Content(), []) }
    var content = SharedTable.Content(rows: Value.List(), version: try version())
    var (values, broken): ([Value], [Int64]) = ([], [])
    // Rows with one position are in the order of their ids.
    let rows = try Row.fetchCursor(
      db, sql: "SELECT id, json, rowid FROM \(name) ORDER BY position, id")
    while let row = try rows.next() {
      do throws(BrokenRow) {
        values.append(try value(of: row))
      } catch {
        broken.append(row[2])
        content.failure =
          content.failure ?? "the row with the id \(row[0] ?? "NULL"): \(error.reason)"
      }
    }
    if broken.count > 1, let first = content.failure {
      content.failure = "\(first); \(broken.count) rows cannot be read"
    }
    content.rows = Value.List(values)
    return (content, broken)
  }

  private struct BrokenRow: Error {
    let reason: String
  }

  private func value(of row: Row) throws(BrokenRow) -> Value {
    let value: Value
    do {
      value = try row.withUnsafeData(atIndex: 1) { try $0.map { try Value(json: $0) } ?? .null }
    } catch let error as JSONError {
      throw BrokenRow(reason: "line \(error.line), column \(error.column): \(error.message)")
    } catch {
      throw BrokenRow(reason: "it is no JSON")
    }
    let id: DatabaseValue = row[0]
    guard let own = value.object?[table.id]?.databaseValue, !own.isNull, own == id else {
      throw BrokenRow(reason: "its JSON is no object that has the id as its '\(table.id)'")
    }
    return value
  }

  private func version() throws -> Int {
    guard try exists("$version") else { return 1 }
    return try Int.fetchOne(
      db, sql: "SELECT version FROM \"$version\" WHERE name = ?", arguments: [table.name]) ?? 1
  }

  // MARK: Writing

  func make(_ change: SharedTable.Change) throws {
    switch change.base {
    case .table: break
    case .nothing: try create(change.version)
    case .newTable(let other):
      try db.execute(sql: "ALTER TABLE \(name) RENAME TO \"\(try freeName(other))\"")
      try create(change.version)
    }
    for id in change.rows.removed {
      try execute("DELETE FROM \(name) WHERE id = ?", [id.databaseValue])
    }
    for row in change.rows.updated {
      try execute(
        "UPDATE \(name) SET json = ? WHERE id = ?", [row.value.json(), row.id.databaseValue])
    }
    for run in change.rows.runs { try insert(run) }
  }

  private func execute(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  private func create(_ version: Int) throws {
    try db.execute(
      sql: """
        CREATE TABLE \(name) (id ANY PRIMARY KEY NOT NULL, position REAL NOT NULL, json TEXT NOT NULL) STRICT
        """)
    if version > 1 {
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS "$version" (name TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL) STRICT
          """)
      try execute(
        "INSERT OR REPLACE INTO \"$version\" (name, version) VALUES (?, ?)", [table.name, version])
    } else if try exists("$version") {
      try execute("DELETE FROM \"$version\" WHERE name = ?", [table.name])
    }
  }

  /// Moves rows to a table of their own.
  func setAside(_ rows: [Int64]) throws {
    guard !rows.isEmpty else { return }
    let other = "\"\(try freeName("broken"))\""
    try db.execute(sql: "CREATE TABLE \(other) AS SELECT * FROM \(name) WHERE 0")
    for row in rows {
      try execute("INSERT INTO \(other) SELECT * FROM \(name) WHERE rowid = ?", [row])
      try execute("DELETE FROM \(name) WHERE rowid = ?", [row])
    }
  }

  /// `todos.v1`; if there is such a table, `todos.v1-2`, and so on.
  private func freeName(_ suffix: String) throws -> String {
    var name = "\(table.name).\(suffix)"
    var number = 1
    while try exists(name) {
      number += 1
      name = "\(table.name).\(suffix)-\(number)"
    }
    return name
  }

  // MARK: Positions

  private func insert(_ run: RowChanges.Run) throws {
    let (first, step) = try positions(of: run)
    for (index, row) in run.rows.enumerated() {
      do {
        try execute(
          "INSERT INTO \(name) (id, position, json) VALUES (?, ?, ?)",
          [row.id.databaseValue, first + Double(index) * step, row.value.json()])
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw SharedStorageError.doubled(row.id)
      }
    }
  }

  /// Where the rows of a run go. Renumbers all rows if there is no room left between its
  /// neighbours: O(rows).
  private func positions(of run: RowChanges.Run) throws -> (first: Double, step: Double) {
    if let found = try freePositions(of: run) { return found }
    try db.execute(
      sql: """
        UPDATE \(name) SET position = numbered.number
        FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS number FROM \(name)) AS numbered
        WHERE \(name).id = numbered.id
        """)
    guard let found = try freePositions(of: run) else {
      throw SharedStorageError(
        code: "failed", message: "there is no room for a row in '\(table.name)'")
    }
    return found
  }

  private func freePositions(of run: RowChanges.Run) throws -> (first: Double, step: Double)? {
    let count = Double(run.rows.count)
    let low = try run.previous.map(position)
    let high = try run.next.map(position)
    var (first, step) = (1.0, 1.0)
    if let low, let high {
      step = (high - low) / (count + 1)
      first = low + step
    } else if let low {
      first = low + 1
    } else if let high {
      first = high - count
    }
    let last = first + (count - 1) * step
    // In a narrow gap, floats that differ are rounded to one.
    guard first > low ?? -.infinity, last < high ?? .infinity,
      count == 1 || first + step > first && last - step < last
    else { return nil }
    return (first, step)
  }

  private func position(of id: Value) throws -> Double {
    let found = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT position FROM \(name) WHERE id = ?"),
      arguments: [id.databaseValue])
    guard let position: DatabaseValue = found?[0], case .double(let number) = position.storage
    else {
      throw SharedStorageError(
        code: "invalid", message: "the row with the id \(id) has no position in '\(table.name)'")
    }
    return number
  }
}

extension Value {
  /// An id as SQLite has it.
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .integer(let number): number.databaseValue
    case .float(let number): number.databaseValue
    case .string(let text): text.databaseValue
    default: .null
    }
  }
}
#endif

#if Journal
import GRDB
import ScriptedStore

/// What a journal says of itself, a row for each key.
struct MetaTable {
  enum Key: String, CaseIterable {
    /// The version of the tables.
    case schema
    /// The receipt of a record up to which the rows of all stores are current. A start reads the records behind it.
    case checkpoint
    /// How many stores there are.
    case stores
    /// Counts the transactions that have appended no record, so that it can be found out whether one was done.
    case changes
  }

  static let schema: Int64 = 1

  static let definition =
    "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT"

  let db: Database

  func text(_ key: Key) throws -> String? {
    let select = try JournalStatement(db, "SELECT value FROM meta WHERE key = ?")
    defer { select.end() }
    select.bind(1, key.rawValue)
    return try select.step() ? select.text(0) : nil
  }

  func number(_ key: Key) throws -> Int64 {
    guard let number = try text(key).flatMap({ Int64($0) }), number >= 0 else {
      throw Damage(nil, "the row '\(key.rawValue)' of its table meta has no number")
    }
    return number
  }

  func set(_ key: Key, _ value: String) throws {
    let write = try JournalStatement(
      db,
      "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    write.bind(1, key.rawValue)
    write.bind(2, value)
    try write.run()
  }

  func add(_ count: Int, to key: Key) throws {
    if count != 0 { try set(key, "\(number(key) + Int64(count))") }
  }
}
#endif

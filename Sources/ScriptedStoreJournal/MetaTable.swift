#if Journal
import GRDB
import ScriptedStore

/// What a journal says of itself, a row for each key.
struct MetaTable {
  enum Key: String, CaseIterable {
    case schema
    /// The receipt of a record up to which the rows of all stores, but damaged ones, are current. A start reads the records behind it.
    case checkpoint
    case stores
    /// Counts the transactions that have appended no record, so that it can be found out whether one was done.
    case changes
  }

  static let schema: Int64 = 1

  static let definition = [
    "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, seal BLOB NOT NULL) STRICT"
  ]

  let db: Database

  /// The value of a key; nil if there is none.
  ///
  /// - Throws: ``Damage`` if it is not as it was written.
  func text(_ key: Key) throws -> String? {
    try db.row("SELECT value, seal FROM meta WHERE key = ?", key.rawValue) { row in
      guard let value = row.text(0) else { return nil }
      guard row.digest(1) == Self.seal(key, value) else {
        throw Damage(nil, "the row '\(key.rawValue)' of its table meta is not as it was written")
      }
      return value
    }
  }

  private static func seal(_ key: Key, _ value: String) -> SHA256.Digest {
    SHA256.digest(of: "\(key.rawValue)\n\(value)")
  }

  func number(_ key: Key) throws -> Int64 {
    guard let number = try text(key).flatMap({ Int64($0) }), number >= 0 else {
      throw Damage(nil, "the row '\(key.rawValue)' of its table meta has no number")
    }
    return number
  }

  func set(_ key: Key, _ value: String) throws {
    try db.run(
      """
      INSERT INTO meta (key, value, seal) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, seal = excluded.seal
      """, key.rawValue, value, Self.seal(key, value))
  }

  func add(_ count: Int, to key: Key) throws {
    try set(key, "\(number(key) + Int64(count))")
  }
}
#endif

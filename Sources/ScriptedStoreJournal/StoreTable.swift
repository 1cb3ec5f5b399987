#if Journal
import GRDB
import ScriptedStore

/// A row of `store`, written at a snapshot, and when the records that a start would have to read become many.
struct StoreRow {
  let name: StoreName
  var snapshot: JournalSnapshot
  /// The number, the seq and the hash of the store's last record when the row was written. Without a record they are the
  /// number of the snapshot, 0 and nil.
  var last: Int
  var seq: Int64
  var hash: SHA256.Digest?
  /// The seq of the journal's last record, whosever it is, when the row was written. The store's records up to there are known
  /// to the row.
  var upTo: Int64
  /// The `wall` of the last record.
  var changed: Double?
  /// The seq of the record that has the snapshot before the first record that the journal has; nil after records were dropped.
  var base: Int64?
  /// The bytes of the lines that the journal has of the store up to `upTo`.
  var bytes: Int
}

extension StoreRow {
  /// A hash of all that is needed to go on from the row. `base` and `bytes`, which are not, change when records are dropped.
  var seal: SHA256.Digest {
    var seal = SHA256()
    seal.update("\(name)\n\(snapshot.number)\n\(last)\n\(seq)\n\(upTo)\n")
    seal.update(hash ?? .zero)
    for number in [snapshot.wake, changed] {
      // SQLite has one zero.
      seal.update(number.map { "\($0 + 0)\n" } ?? "-\n")
    }
    seal.update(snapshot.line)
    return seal.finished()
  }

  var receipt: Receipt { hash.map { Receipt(seq: seq, $0) } ?? .none }
}

/// The table of stores.
struct StoreTable {
  let db: Database

  static let definition = [
    """
    CREATE TABLE store (
      feature TEXT NOT NULL, key TEXT NOT NULL, n INTEGER NOT NULL, last INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB,
      upto INTEGER NOT NULL, changed REAL, wake REAL, base INTEGER, bytes INTEGER NOT NULL, size INTEGER NOT NULL,
      seal BLOB NOT NULL, snapshot TEXT NOT NULL, PRIMARY KEY (feature, key)) STRICT
    """,
    "CREATE INDEX store_wake ON store (wake) WHERE wake IS NOT NULL",
  ]

  /// The row of a store; nil if there is none.
  ///
  /// - Throws: ``Damage`` if it is not as it was written.
  func row(_ name: StoreName) throws -> StoreRow? {
    let select = try JournalStatement(
      db,
      """
      SELECT n, last, seq, hash, upto, changed, wake, base, bytes, seal, snapshot FROM store
      WHERE feature = ? AND key = ?
      """)
    defer { select.end() }
    select.bind(1, name.feature)
    select.bind(2, name.key)
    guard try select.step() else { return nil }
    let row = StoreRow(
      name: name,
      snapshot: JournalSnapshot(
        number: Int(select.integer(0)), line: select.text(10) ?? "", wake: select.double(6)),
      last: Int(select.integer(1)), seq: select.integer(2), hash: select.digest(3),
      upTo: select.integer(4), changed: select.double(5), base: select.optionalInteger(7),
      bytes: Int(select.integer(8)))
    guard row.seal == select.digest(9) else {
      throw Damage("\(name)", "its snapshot is not as it was written: its hash differs")
    }
    return row
  }

  /// The row of a store; nil if there is none, or a damaged one.
  func undamagedRow(_ name: StoreName) throws -> StoreRow? {
    do {
      return try row(name)
    } catch is Damage {
      return nil
    }
  }

  func write(_ row: StoreRow) throws {
    let write = try JournalStatement(
      db,
      """
      INSERT INTO store (feature, key, n, last, seq, hash, upto, changed, wake, base, bytes, size, seal, snapshot)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET n = excluded.n, last = excluded.last, seq = excluded.seq, hash = excluded.hash,
        upto = excluded.upto, changed = excluded.changed, wake = excluded.wake, base = excluded.base, bytes = excluded.bytes,
        size = excluded.size, seal = excluded.seal, snapshot = excluded.snapshot
      """)
    write.bind(1, row.name.feature)
    write.bind(2, row.name.key)
    write.bind(3, Int64(row.snapshot.number))
    write.bind(4, Int64(row.last))
    write.bind(5, row.seq)
    write.bind(6, row.hash)
    write.bind(7, row.upTo)
    write.bind(8, row.changed)
    write.bind(9, row.snapshot.wake)
    write.bind(10, row.base)
    write.bind(11, Int64(row.bytes))
    write.bind(12, Int64(row.snapshot.line.utf8.count))
    write.bind(13, row.seal)
    write.bind(14, row.snapshot.line)
    try write.run()
  }

  func remove(_ name: StoreName) throws {
    let delete = try JournalStatement(db, "DELETE FROM store WHERE feature = ? AND key = ?")
    delete.bind(1, name.feature)
    delete.bind(2, name.key)
    try delete.run()
  }

  /// Where the records of a store end.
  typealias End = (seq: Int64, number: Int, upTo: Int64)

  /// Where the records of a store end, as its row says. Reads neither the snapshot nor the seal.
  func end(of name: StoreName) throws -> End? {
    let select = try JournalStatement(
      db, "SELECT seq, last, upto FROM store WHERE feature = ? AND key = ?")
    defer { select.end() }
    select.bind(1, name.feature)
    select.bind(2, name.key)
    return try select.step() ? (select.integer(0), Int(select.integer(1)), select.integer(2)) : nil
  }

  /// The number of a store's snapshot, and what it takes. Reads neither the snapshot nor the seal, so that the next snapshot
  /// replaces a damaged one.
  func account(of name: StoreName) throws -> (snapshot: Int, base: Int64?, bytes: Int)? {
    let select = try JournalStatement(
      db, "SELECT n, base, bytes FROM store WHERE feature = ? AND key = ?")
    defer { select.end() }
    select.bind(1, name.feature)
    select.bind(2, name.key)
    guard try select.step() else { return nil }
    return (Int(select.integer(0)), select.optionalInteger(1), Int(select.integer(2)))
  }

  /// Whether the key of the table finds each row, and no other, and there are as many rows as `count` says. Otherwise a store
  /// that is not found may be one that is there.
  func isWhole(_ count: Int64) throws -> Bool {
    let select = try JournalStatement(
      db,
      """
      SELECT count(*), sum(EXISTS (
        SELECT 1 FROM store AS found INDEXED BY sqlite_autoindex_store_1
        WHERE found.feature = row.feature AND found.key = row.key AND found.rowid = row.rowid))
      FROM store AS row NOT INDEXED
      """)
    defer { select.end() }
    return try select.step() && select.integer(0) == count && select.integer(1) == count
  }
}
#endif

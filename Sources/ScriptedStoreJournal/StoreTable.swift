#if Journal
import GRDB
import ScriptedStore

/// A row of `store`. It is written with each snapshot, and when a start would have to read many records after it.
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
    var text = Array("\(name)\n\(snapshot.number)\n\(last)\n\(seq)\n\(upTo)\n".utf8)
    (hash ?? .zero).withBytes { text += $0 }
    for number in [snapshot.wake, changed] {
      // SQLite has one zero.
      text += (number.map { "\($0 + 0)\n" } ?? "-\n").utf8
    }
    return SHA256.digest(of: text + snapshot.line.utf8)
  }

  var receipt: Receipt { hash.map { Receipt(seq: seq, $0) } ?? .none }
}

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
    try db.row(
      """
      SELECT n, last, seq, hash, upto, changed, wake, base, bytes, seal, snapshot FROM store
      WHERE feature = ? AND key = ?
      """, name.feature, name.key
    ) { select in
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
    let (snapshot, size) = (row.snapshot, row.snapshot.line.utf8.count)
    try db.run(
      """
      INSERT INTO store (feature, key, n, last, seq, hash, upto, changed, wake, base, bytes, size, seal, snapshot)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET n = excluded.n, last = excluded.last, seq = excluded.seq, hash = excluded.hash,
        upto = excluded.upto, changed = excluded.changed, wake = excluded.wake, base = excluded.base, bytes = excluded.bytes,
        size = excluded.size, seal = excluded.seal, snapshot = excluded.snapshot
      """, row.name.feature, row.name.key, snapshot.number, row.last, row.seq, row.hash, row.upTo,
      row.changed, snapshot.wake, row.base, row.bytes, size, row.seal, snapshot.line)
  }

  func remove(_ name: StoreName) throws {
    try db.run("DELETE FROM store WHERE feature = ? AND key = ?", name.feature, name.key)
  }

  typealias End = (seq: Int64, number: Int, upTo: Int64)

  /// Where the records of a store end, as its row says. Reads neither the snapshot nor the seal.
  func end(of name: StoreName) throws -> End? {
    try db.row(
      "SELECT seq, last, upto FROM store WHERE feature = ? AND key = ?", name.feature, name.key
    ) { ($0.integer(0), Int($0.integer(1)), $0.integer(2)) }
  }

  /// The number of a store's snapshot, and what it takes. Reads neither the snapshot nor the seal, so that the next snapshot
  /// replaces a damaged one.
  func sizes(of name: StoreName) throws -> (snapshot: Int, base: Int64?, bytes: Int)? {
    try db.row(
      "SELECT n, base, bytes FROM store WHERE feature = ? AND key = ?", name.feature, name.key
    ) { (Int($0.integer(0)), $0.optionalInteger(1), Int($0.integer(2))) }
  }

  /// Whether the key of the table finds each row, and no other, and there are as many rows as `count` says. Otherwise a store
  /// that is not found may be one that is there.
  func isWhole(_ count: Int64) throws -> Bool {
    try db.row(
      """
      SELECT count(*), sum(EXISTS (
        SELECT 1 FROM store AS found INDEXED BY sqlite_autoindex_store_1
        WHERE found.feature = row.feature AND found.key = row.key AND found.rowid = row.rowid))
      FROM store AS row NOT INDEXED
      """
    ) { $0.integer(0) == count && $0.integer(1) == count } == true
  }
}
#endif

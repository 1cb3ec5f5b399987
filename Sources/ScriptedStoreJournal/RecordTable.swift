#if Journal
import GRDB
import ScriptValue
import ScriptedStore

/// A row of `record`. A dropped one has its number and hashes alone, so that the chain can be checked still.
struct RecordRow {
  var seq: Int64
  /// As `room/r17`; nil if the record was dropped.
  var store: String?
  var number: Int
  /// The seq of the store's record before.
  var previous: Int64?
  /// Nil if the column has no hash.
  var hash: SHA256.Digest?
  var line: String?
  /// The ``RecordTable/digest(of:_:previous:_:)`` of what was dropped; nil after compacting.
  var digest: SHA256.Digest?
  /// The hash of the row before, whosever it is; nil if there is none.
  var hashBefore: SHA256.Digest?

  /// Whether the hash is that of the chain. The record behind a gap cannot be checked.
  var fits: Bool {
    guard let before = seq == 1 ? RecordTable.start : hashBefore else { return false }
    guard let digest = store == nil && line == nil ? digest : content else { return false }
    return RecordTable.hash(digest, after: before) == hash
  }

  /// What the row has for a reader of the journal.
  var read: JournalRecord {
    JournalRecord(number: number, line: line ?? "", receipt: Receipt(seq: seq, hash ?? .zero))
  }

  /// The digest of what the row has; nil if it was dropped.
  var content: SHA256.Digest? {
    guard let store, let line else { return nil }
    return RecordTable.digest(of: store, number, previous: previous, line)
  }
}

/// The table of records. It is appended to, and has no index but its key: a store's records are found from its last one
/// backwards.
struct RecordTable {
  let db: Database

  static let definition = [
    """
    CREATE TABLE record (
      seq INTEGER PRIMARY KEY, store TEXT, n INTEGER, previous INTEGER, hash BLOB NOT NULL, line TEXT, digest BLOB) STRICT
    """
  ]

  // MARK: The chain

  /// What the first record is hashed after: 32 zeros.
  static let start = SHA256.Digest.zero

  /// The hash of a record: SHA-256 of the 32 bytes of the hash before and the 32 bytes of its digest. `docs/journal.md` says
  /// so too.
  static func hash(_ digest: SHA256.Digest, after before: SHA256.Digest) -> SHA256.Digest {
    SHA256.digest(of: before.withBytes { Array($0) } + digest.withBytes { Array($0) })
  }

  /// SHA-256 of the store's name, the number and the seq of the store's record before, or 0, in decimal digits, and the line,
  /// with line breaks between them. It stays when these are dropped.
  static func digest(
    of store: String, _ number: Int, previous: Int64?, _ line: String
  ) -> SHA256.Digest {
    SHA256.digest(of: "\(store)\n\(number)\n\(previous ?? 0)\n\(line)")
  }

  // MARK: Rows

  func append(
    _ seq: Int64, store: String, number: Int, previous: Int64?, hash: SHA256.Digest, line: String
  ) throws {
    try db.run(
      "INSERT INTO record (seq, store, n, previous, hash, line) VALUES (?, ?, ?, ?, ?, ?)",
      seq, store, number, previous, hash, line)
  }

  /// The number of the last record, and its hash. A journal without records gives ``start``.
  func last() throws -> (seq: Int64, hash: SHA256.Digest?) {
    try db.row("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1") {
      ($0.integer(0), $0.digest(1))
    } ?? (0, Self.start)
  }

  func hash(of seq: Int64) throws -> SHA256.Digest? {
    try db.row("SELECT hash FROM record WHERE seq = ?", seq) { $0.digest(0) }
  }

  func row(_ seq: Int64) throws -> RecordRow? {
    try db.row(
      """
      SELECT r.store, r.n, r.previous, r.hash, r.line, r.digest, b.hash FROM record AS r
      LEFT JOIN record AS b ON b.seq = r.seq - 1 WHERE r.seq = ?
      """, seq
    ) { row in
      RecordRow(
        seq: seq, store: row.text(0), number: Int(row.integer(1)),
        previous: row.optionalInteger(2), hash: row.digest(3), line: row.text(4),
        digest: row.digest(5), hashBefore: row.digest(6))
    }
  }

  /// Where a record is, and how large, without its line.
  struct Link {
    let seq: Int64
    let number: Int
    let previous: Int64?
    let bytes: Int
  }

  /// The record of a store with this seq; nil if it was dropped, or is another store's.
  func link(_ seq: Int64, of store: String) throws -> Link? {
    try db.row(
      "SELECT n, previous, length(CAST(line AS BLOB)) FROM record WHERE seq = ? AND store = ?",
      seq, store
    ) { row in
      Link(
        seq: seq, number: Int(row.integer(0)), previous: row.optionalInteger(1),
        bytes: Int(row.integer(2)))
    }
  }

  /// The records of a store from the one with this seq and number backwards, until one is missing.
  ///
  /// - Returns: also the seq of the record before them, whether or not it is there; nil if there was none.
  func links(
    of store: String, from seq: Int64, number: Int, atMost count: Int = .max
  ) throws -> (found: [Link], next: Int64?) {
    var links: [Link] = []
    var next = seq > 0 ? seq : nil
    while links.count < count, let seq = next, let link = try link(seq, of: store),
      link.number == number &- links.count
    {
      links.append(link)
      next = link.previous
    }
    return (links, next)
  }

  /// A record with its line, whose hash is checked.
  func record(_ seq: Int64, of store: String, number: Int) throws -> RecordRow {
    guard let row = try row(seq), row.store == store, row.number == number else {
      throw Damage.missing(store, number)
    }
    guard row.fits else {
      // Compacting leaves gaps only in front of dropped records.
      throw seq != 1 && row.hashBefore == nil
        ? Damage(store, "the record before record \(number) in the journal is missing")
        : Damage(store, "record \(number) is not as it was written: its hash differs")
    }
    return row
  }

  /// Takes store and line away from records. A damaged one leaves no digest, which would not be that of its hash.
  func drop(_ seqs: some Sequence<Int64>) throws {
    for seq in seqs {
      guard let row = try row(seq), row.store != nil else { continue }
      try db.run(
        """
        UPDATE record SET store = NULL, n = NULL, previous = NULL, line = NULL, digest = ?2
        WHERE seq = ?1
        """, seq, row.fits ? row.content : nil)
    }
  }

  /// Drops all records of a store. Reads the whole table.
  func drop(allOf store: String) throws {
    try db.run(
      "UPDATE record SET store = NULL, n = NULL, previous = NULL, line = NULL WHERE store = ?",
      store)
  }

  /// The seconds since 1970 that a line has as its `wall`; nil if it has none.
  static func time(of line: String) -> Double? {
    (try? Value(wrappedJSON: Array(line.utf8)))?["wall"].double
  }

  func time(of seq: Int64) throws -> Double? {
    guard seq > 0 else { return nil }
    return try db.row("SELECT line FROM record WHERE seq = ?", seq) {
      $0.text(0).flatMap(Self.time)
    }
  }
}
#endif

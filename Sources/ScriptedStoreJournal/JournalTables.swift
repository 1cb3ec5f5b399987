#if Journal
import GRDB
import ScriptedStore

/// The tables of a journal, in a transaction.
struct JournalTables {
  let db: Database

  var meta: MetaTable { MetaTable(db: db) }
  var records: RecordTable { RecordTable(db: db) }
  var stores: StoreTable { StoreTable(db: db) }

  /// Reads in one transaction, and so what was there at one moment.
  static func reading<R>(_ db: Database, _ body: (JournalTables) throws -> R) throws -> R {
    // `inTransaction` would parse both statements each time.
    try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
    defer { try? db.cachedStatement(sql: "COMMIT TRANSACTION").execute() }
    return try body(JournalTables(db: db))
  }

  // MARK: What a start reads

  /// The seq behind which the records are read at a start. 0 if the row of the checkpoint, or its record, is damaged: then all
  /// are read.
  func checkpoint() throws -> Int64 {
    guard let receipt = try? meta.text(.checkpoint).flatMap({ Receipt($0) }), receipt.seq > 0 else {
      return 0
    }
    let last = try records.last()
    guard receipt.seq <= last.seq else {
      throw Damage(
        nil,
        "its last record is number \(last.seq), and it has had one with the number \(receipt.seq)")
    }
    return try records.hash(of: receipt.seq) == receipt.digest ? receipt.seq : 0
  }

  // MARK: One store

  /// What the journal has of a store; nil if there is nothing.
  ///
  /// - Parameter end: where its records end, if its row is behind.
  func stored(_ name: StoreName, _ end: JournalIndex.End?) throws -> StoredStore? {
    guard let row = try stores.row(name) else { return nil }
    let records = try lines(of: row, end, after: row.snapshot.number)
    return StoredStore(
      snapshot: row.snapshot, records: records, receipt: records.last?.receipt ?? row.receipt)
  }

  private func last(_ row: StoreRow, _ end: JournalIndex.End?) -> (seq: Int64, number: Int) {
    if let end, end.number > row.last { return (end.seq, end.number) }
    return (row.seq, row.last)
  }

  /// The records of a store with higher numbers than `before`. They are found from the last one backwards.
  private func lines(
    of row: StoreRow, _ end: JournalIndex.End?, after before: Int
  ) throws -> [JournalRecord] {
    let store = "\(row.name)"
    let last = last(row, end)
    var found: [JournalRecord] = []
    var next: Int64? = last.seq
    for number in stride(from: last.number, to: before, by: -1) {
      guard let seq = next else { throw Damage.missing(store, number) }
      let record = try records.record(seq, of: store, number: number)
      found.append(record.read)
      next = record.previous
    }
    found.reverse()
    return found
  }

  /// Reads the oldest snapshot that the journal has of a store, and the records after it. Returns whether there is the store.
  func read(
    _ name: StoreName, _ end: JournalIndex.End?, _ body: (JournalLine) -> Bool
  ) throws -> Bool {
    guard let row = try stores.row(name) else { return false }
    let text = "\(name)"
    let (seq, number) = last(row, end)
    let snapshot = try firstSnapshot(of: text, row)
    guard body(.snapshot(snapshot)) else { return true }
    // Numbers and seqs of 8 bytes each; the lines are read one by one.
    let count = number &- snapshot.number
    let links = try records.links(of: text, from: seq, number: number, atMost: count).found
    guard links.count >= count else { throw Damage.missing(text, number - links.count) }
    for link in links.reversed() {
      let record = try records.record(link.seq, of: text, number: link.number)
      guard body(.record(record.read)) else { break }
    }
    return true
  }

  private func firstSnapshot(of store: String, _ row: StoreRow) throws -> JournalSnapshot {
    guard let base = row.base else { return row.snapshot }
    guard let record = try records.row(base), record.store == store, record.fits else {
      throw Damage(store, "its first snapshot is not as it was written")
    }
    return JournalSnapshot(number: record.number, line: record.line ?? "", wake: nil)
  }

  /// All that ``read(_:_:_:)`` gives, and the latest snapshot. Has all in memory.
  func history(_ name: StoreName, _ end: JournalIndex.End?) throws -> StoredHistory? {
    guard let row = try stores.row(name) else { return nil }
    let first = try firstSnapshot(of: "\(name)", row)
    return StoredHistory(
      first: first, latest: row.snapshot, records: try lines(of: row, end, after: first.number))
  }

  // MARK: All stores

  /// The stores of a feature, or all, behind a name in the order of their names.
  func infos(
    of feature: String?, after name: StoreName? = nil, atMost count: Int = .max,
    _ index: JournalIndex
  ) throws -> [DurableStoreInfo] {
    let select = try JournalStatement(
      db,
      """
      SELECT feature, key, n, last, changed, bytes + size FROM store
      WHERE (?1 IS NULL OR feature = ?1) AND (feature, key) > (?2, ?3) ORDER BY feature, key
      """, feature, name?.feature ?? feature ?? "", name?.key ?? "")
    defer { select.end() }
    var infos: [DurableStoreInfo] = []
    while infos.count < count, try select.step() {
      // A damaged name is found by `verify`.
      guard
        let name = try? StoreName(feature: select.text(0) ?? "", key: select.text(1) ?? "")
      else { continue }
      let end = index.ends[name]
      let last = end?.number ?? Int(select.integer(3))
      infos.append(
        DurableStoreInfo(
          name: name, records: last, recordsBehind: last &- Int(select.integer(2)),
          bytes: Int(select.integer(5)) &+ (end?.bytes ?? 0),
          changed: try end.flatMap { try records.time(of: $0.seq) } ?? select.double(4)))
    }
    return infos
  }

  /// Stores whose rows a condition selects.
  func names<each A: JournalArgument>(
    where condition: String, _ arguments: repeat each A
  ) throws -> [StoreName] {
    var names: [StoreName] = []
    let sql = "SELECT feature, key FROM store WHERE \(condition)"
    try db.rows(sql, repeat each arguments) { row in
      if let name = try? StoreName(feature: row.text(0) ?? "", key: row.text(1) ?? "") {
        names.append(name)
      }
    }
    return names
  }

  // MARK: Dropping records

  /// Drops the records of a store with numbers up to `number`, and its first snapshot. Their hashes stay.
  ///
  /// - Returns: the bytes of their lines.
  func drop(_ end: JournalIndex.End, base: Int64?, upTo number: Int) throws -> Int {
    var dropped = try records.links(of: end.text, from: end.seq, number: end.number).found
      .filter { $0.number <= number }
    if let base, let link = try records.link(base, of: end.text) { dropped.append(link) }
    try records.drop(dropped.lazy.map(\.seq))
    return dropped.reduce(0) { $0 &+ $1.bytes }
  }

  /// Drops all records of a store. If the chain of its records is damaged, each record of the journal is looked at.
  func dropAll(of end: JournalIndex.End, base: Int64?) throws {
    let (links, next) = try records.links(of: end.text, from: end.seq, number: end.number)
    let rest = try next.flatMap { try records.row($0) }
    try records.drop(links.lazy.map(\.seq))
    if let base { try records.drop(CollectionOfOne(base)) }
    if rest?.store != nil { try records.drop(allOf: end.text) }
  }

  /// Drops all records that the snapshots have. Of dropped rows, only those stay by which the hash of the next record is checked.
  func dropCovered() throws {
    for statement in [
      """
      UPDATE record SET store = NULL, n = NULL, previous = NULL, line = NULL
      WHERE store IS NOT NULL AND n <= (
        SELECT store.n FROM store WHERE feature = substr(record.store, 1, instr(record.store, '/') - 1)
          AND key = substr(record.store, instr(record.store, '/') + 1))
      """,
      // A dropped row is needed in front of a record, and as the end of the chain.
      """
      DELETE FROM record WHERE line IS NULL AND seq < (SELECT max(seq) FROM record)
        AND NOT EXISTS (SELECT 1 FROM record AS next WHERE next.seq = record.seq + 1 AND next.line IS NOT NULL)
      """,
      // Behind a gap it checks nothing.
      "UPDATE record SET digest = NULL WHERE digest IS NOT NULL",
      "UPDATE store SET base = NULL, bytes = 0 WHERE base IS NOT NULL OR bytes <> 0",
      """
      UPDATE store SET bytes = kept.bytes FROM (
        SELECT store AS name, sum(length(CAST(line AS BLOB))) AS bytes FROM record WHERE store IS NOT NULL GROUP BY store
      ) AS kept WHERE feature = substr(kept.name, 1, instr(kept.name, '/') - 1)
        AND key = substr(kept.name, instr(kept.name, '/') + 1)
      """,
    ] { try db.execute(sql: statement) }
  }
}
#endif

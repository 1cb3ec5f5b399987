#if Journal
import GRDB
import ScriptValue
import ScriptedStore

/// Looks at all of a journal, and goes on behind each fault. Has the row of each store in memory, without its snapshot.
struct JournalVerifier {
  private let tables: JournalTables
  private var result = JournalVerification()
  private var stores: [String: Store] = [:]
  private var faulty: Set<String> = []
  /// The stores by the records that have their first snapshots.
  private var bases: [Int64: String] = [:]

  private struct Store {
    var row: StoreRow
    var first: Int?
    var last: RecordTable.Link?
    /// The number of the snapshot in front of the records, if the row says that there is one.
    var base: Int?
    /// The bytes of the lines that the row knows.
    var bytes = 0
  }

  init(_ tables: JournalTables) { self.tables = tables }

  /// The faults, 1,000 at most.
  mutating func verify() -> JournalVerification {
    attempt("the file cannot be checked") { try $0.checkFile() }
    attempt("the list of stores cannot be read") { try $0.readStores() }
    attempt("the records cannot be read") { try $0.readRecords() }
    for (name, store) in stores.sorted(by: { $0.key < $1.key }) { check(name, store) }
    attempt("the table meta cannot be read") { try $0.checkMeta() }
    return result
  }

  private mutating func attempt(
    _ failure: String, _ body: (inout JournalVerifier) throws -> Void
  ) {
    do {
      try body(&self)
    } catch let error as Damage {
      report(error.store, error.message)
    } catch {
      let message = (error as? DatabaseError)?.message ?? "\(error)"
      report(nil, "\(failure): \(message)")
    }
  }

  private mutating func report(_ store: String?, _ message: String) {
    if let store { faulty.insert(store) }
    guard result.faults.count < 1000 else { return }
    result.faults.append(JournalFault(store: store, message: message))
  }

  // MARK: The parts

  /// SQLite's own check: the pages, and that the keys find their rows.
  private mutating func checkFile() throws {
    try tables.db.rows("PRAGMA integrity_check(100)") {
      let text = $0.text(0) ?? ""
      if text != "ok" { report(nil, "the file: \(text.replacing("\n", with: "; "))") }
    }
  }

  private mutating func readStores() throws {
    try tables.db.rows("SELECT feature, key, size FROM store NOT INDEXED") { select in
      result.stores += 1
      let text = "\(select.text(0) ?? "")/\(select.text(1) ?? "")"
      do {
        let name = try StoreName(text)
        guard let row = try tables.stores.row(name) else {
          return report(text, "the key of the table does not find it")
        }
        guard (try? Value(wrappedJSON: Array(row.snapshot.line.utf8)))?["recording"].int != nil
        else {
          return report(text, "its snapshot is no header of a recording")
        }
        if Int(select.integer(2)) != row.snapshot.line.utf8.count {
          report(text, "the size of its snapshot is wrong")
        }
        var store = Store(row: row)
        store.row.snapshot = JournalSnapshot(number: row.snapshot.number, line: "", wake: nil)
        stores[text] = store
        if let base = row.base { bases[base] = text }
      } catch let error as Damage {
        report(text, error.message)
      } catch let error as JournalError {
        report(text, error.message)
      }
    }
  }

  private mutating func readRecords() throws {
    var before: (seq: Int64, hash: SHA256.Digest?) = (0, RecordTable.start)
    try tables.db.rows(
      "SELECT seq, store, n, previous, hash, line, digest FROM record ORDER BY seq"
    ) { select in
      let row = RecordRow(
        seq: select.integer(0), store: select.text(1), number: Int(select.integer(2)),
        previous: select.optionalInteger(3), hash: select.digest(4), line: select.text(5),
        digest: select.digest(6), hashBefore: before.hash)
      check(row, isNext: before.seq == row.seq &- 1, hasNumber: !select.isNull(2))
      before = (row.seq, row.hash)
    }
  }

  private mutating func check(_ row: RecordRow, isNext: Bool, hasNumber: Bool) {
    guard row.hash != nil else {
      return report(row.store, "record \(row.seq) of the journal has no hash")
    }
    guard let name = row.store, let line = row.line else {
      return checkDropped(row, isNext: isNext, hasNumber: hasNumber)
    }
    // A first snapshot is kept as a record, and is none.
    if bases[row.seq] != name { result.records += 1 }
    if !isNext {
      report(
        name,
        "record \(row.number): the record before it in the journal, number \(row.seq &- 1), is missing"
      )
    } else if !row.fits {
      report(name, "record \(row.number) is not as it was written: its hash differs")
    } else if (try? Value(wrappedJSON: Array(line.utf8)))?.object == nil {
      report(name, "record \(row.number) is no object of JSON")
    }
    guard var store = stores[name] else {
      // A store with a fault of its own has no entry.
      if !faulty.contains(name) { report(name, "it has records, and is in no list") }
      return
    }
    if row.seq <= store.row.upTo { store.bytes += line.utf8.count }
    if bases[row.seq] == name {
      store.base = row.number
    } else {
      let link = RecordTable.Link(
        seq: row.seq, number: row.number, previous: row.previous, bytes: line.utf8.count)
      if let last = store.last, link.number != last.number &+ 1 || link.previous != last.seq {
        report(name, "record \(link.number) does not follow record \(last.number)")
      }
      store.first = store.first ?? link.number
      store.last = link
    }
    stores[name] = store
  }

  private mutating func checkDropped(_ row: RecordRow, isNext: Bool, hasNumber: Bool) {
    if row.store != nil || row.line != nil || row.previous != nil || hasNumber {
      report(row.store, "record \(row.seq) of the journal is neither whole nor dropped")
    } else if !isNext, row.digest != nil {
      report(nil, "record \(row.seq &- 1) of the journal is missing")
    } else if row.digest != nil, !row.fits {
      report(
        nil, "record \(row.seq) of the journal, which was dropped, has another hash than it had")
    }
  }

  private mutating func check(_ name: String, _ store: Store) {
    let row = store.row
    if row.base != nil, store.base == nil { report(name, "its first snapshot is missing") }
    if let first = store.first, first > (store.base ?? row.snapshot.number) &+ 1 {
      report(name, "the records before record \(first) are missing")
    }
    let last = store.last?.number ?? row.snapshot.number
    if last < row.last { report(name, "the records \(last &+ 1) to \(row.last) are missing") }
    // What is missing has bytes, too.
    if !faulty.contains(name), store.bytes != row.bytes {
      report(name, "it has lines of \(store.bytes) bytes, and the row says \(row.bytes)")
    }
  }

  private mutating func checkMeta() throws {
    let meta = tables.meta
    for key in MetaTable.Key.allCases { _ = try meta.text(key) }
    let count = try meta.number(.stores)
    if count != result.stores {
      report(nil, "there are \(result.stores) stores, and there were \(count)")
    }
    guard let receipt = try meta.text(.checkpoint).flatMap({ Receipt($0) }) else {
      throw Damage(nil, "the row 'checkpoint' of its table meta has no receipt")
    }
    if receipt.seq > 0, try tables.records.hash(of: receipt.seq) != receipt.digest {
      report(nil, "the record of the checkpoint, number \(receipt.seq), is not as it was")
    }
  }
}
#endif

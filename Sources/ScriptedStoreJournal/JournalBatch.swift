#if Journal
import DequeModule
import ScriptedStore

/// The last record of a journal, and the number of its changes without records. Tells whether a transaction was done.
struct ChainEnd: Hashable, Sendable {
  var seq: Int64
  var hash: SHA256.Digest
  var changes: Int64
}

/// One transaction: what it writes, and what becomes of the index when it is done.
struct JournalBatch {
  private let settings: JournalSettings
  private let isListWhole: Bool
  /// Where the records of a store end, before the batch.
  private let known: (StoreName) -> JournalIndex.End?
  private(set) var end: ChainEnd
  private(set) var checkpoint: Int64
  /// The stores whose rows get behind with this batch.
  private(set) var added: [JournalIndex.Behind] = []
  /// The number of stores at the front of the queue of those with old rows that this batch has dealt with.
  private(set) var taken = 0
  private(set) var receipts: [DrainReceipts] = []
  /// The entries of the index that this batch changes; nil for a store whose row is current now.
  private var changed: [StoreName: JournalIndex.End?] = [:]

  init(
    _ settings: JournalSettings, end: ChainEnd, checkpoint: Int64, isListWhole: Bool,
    known: @escaping (StoreName) -> JournalIndex.End?
  ) {
    (self.settings, self.end, self.checkpoint) = (settings, end, checkpoint)
    (self.isListWhole, self.known) = (isListWhole, known)
  }

  func changeIndex(_ index: inout JournalIndex) {
    for (name, end) in changed { index.ends[name] = end }
  }

  /// The store's entry in the index as of now; nil if its row is current.
  private func entry(_ name: StoreName) -> JournalIndex.End? {
    if let changed = changed[name] { return changed }
    return known(name)
  }

  /// Where the records of a store end now; nil if there is no such store.
  private func position(
    of name: StoreName, _ tables: JournalTables
  ) throws -> JournalIndex.End? {
    if let entry = entry(name) { return entry }
    return try tables.stores.end(of: name).map {
      JournalIndex.End(text: "\(name)", seq: $0.seq, number: $0.number, bytes: 0, first: .max)
    }
  }

  // MARK: Drains

  mutating func append(_ drain: JournalDrain, _ tables: JournalTables) throws {
    let name = drain.store
    var last: JournalIndex.End
    var base: Int64?
    if let known = try position(of: name, tables) {
      last = known
    } else {
      (last, base) = try begin(drain, tables)
    }
    let appends = !drain.records.isEmpty
    if appends, last.first == .max {
      last.first = end.seq + 1
      added.append(JournalIndex.Behind(name: name, first: last.first))
    }
    var request: Receipt?
    for record in drain.records {
      guard record.number == last.number &+ 1 else {
        throw Damage(last.text, "record \(record.number) cannot follow record \(last.number)")
      }
      try append(
        record.number, record.line, last.text, previous: last.seq == 0 ? nil : last.seq, tables)
      last.extend(to: end.seq, record.number, bytes: record.line.utf8.count)
      if record.number == drain.request { request = Receipt(seq: end.seq, end.hash) }
    }
    let old = appends ? nil : try hashAndTime(of: last, of: name, tables)
    let hash = appends ? end.hash : old?.hash
    let receipt = hash.map { Receipt(seq: last.seq, $0) } ?? .none
    receipts.append(DrainReceipts(request: request, last: receipt))
    if let snapshot = drain.snapshot {
      let time: Double? = drain.records.last.map { RecordTable.time(of: $0.line) } ?? old?.time
      try save(snapshot, of: name, last, hash, time: time, newBase: base, tables)
      changed.updateValue(nil, forKey: name)
    } else if appends {
      changed[name] = last
    }
  }

  /// The hash and the time of a store's last record.
  private func hashAndTime(
    of last: JournalIndex.End, of name: StoreName, _ tables: JournalTables
  ) throws -> (hash: SHA256.Digest?, time: Double?) {
    let hash = try tables.records.hash(of: last.seq)
    let time = try tables.records.time(of: last.seq)
    guard hash == nil || time == nil, last.seq > 0, last.first == .max else { return (hash, time) }
    // The record was dropped. The row of the store has its hash and its time.
    let row = try tables.stores.undamagedRow(name)
    return (hash ?? row?.hash, time ?? row?.changed)
  }

  private mutating func append(
    _ number: Int, _ line: String, _ store: String, previous: Int64?, _ tables: JournalTables
  ) throws {
    end.hash = RecordTable.hash(
      RecordTable.digest(of: store, number, previous: previous, line), after: end.hash)
    end.seq += 1
    try tables.records.append(
      end.seq, store: store, number: number, previous: previous, hash: end.hash, line: line)
  }

  /// Begins a store: its snapshot is a record as well, so that the history stays whole when the row of the store gets a later
  /// one.
  private mutating func begin(
    _ drain: JournalDrain, _ tables: JournalTables
  ) throws -> (JournalIndex.End, base: Int64) {
    let text = "\(drain.store)"
    guard let snapshot = drain.snapshot else {
      throw JournalError(.closed, "\(text) was removed")
    }
    guard isListWhole else {
      throw Damage(text, "the list of stores is not whole, so this one may be there")
    }
    try append(snapshot.number, snapshot.line, text, previous: nil, tables)
    try tables.meta.add(1, to: .stores)
    let last = JournalIndex.End(
      text: text, seq: 0, number: snapshot.number, bytes: snapshot.line.utf8.count, first: .max)
    return (last, end.seq)
  }

  /// Writes the row of a store.
  ///
  /// - Parameters:
  ///   - last: the store's last record; its `bytes` are those that the row does not know.
  ///   - newBase: the seq of the snapshot as a record, for a store that has just begun.
  private mutating func save(
    _ snapshot: JournalSnapshot, of name: StoreName, _ last: JournalIndex.End,
    _ hash: SHA256.Digest?, time: Double?, newBase: Int64?, _ tables: JournalTables
  ) throws {
    var bytes = last.bytes
    var base = newBase
    if newBase == nil, let old = try tables.stores.sizes(of: name) {
      guard old.snapshot <= snapshot.number, snapshot.number <= last.number else {
        throw Damage(
          last.text,
          "a snapshot after record \(snapshot.number) is not one between \(old.snapshot) and \(last.number)"
        )
      }
      bytes &+= old.bytes
      base = old.base
      // Records without the snapshot before them are of no use.
      if !settings.keepsRecords || base == nil {
        bytes &-= try tables.drop(last, base: base, upTo: snapshot.number)
        base = nil
        if settings.keepsRecords {
          try append(snapshot.number, snapshot.line, last.text, previous: nil, tables)
          base = end.seq
          bytes &+= snapshot.line.utf8.count
        }
      }
    }
    try tables.stores.write(
      StoreRow(
        name: name, snapshot: snapshot, last: last.number, seq: last.seq, hash: hash,
        upTo: end.seq, changed: time, base: base, bytes: bytes))
  }

  // MARK: Removing

  mutating func remove(_ name: StoreName, _ tables: JournalTables) throws {
    guard let last = try position(of: name, tables) else { return }
    let base = try tables.stores.sizes(of: name)?.base
    try tables.dropAll(of: last, base: base)
    // A start may have begun behind the last records of a damaged row, so that nothing leads to them.
    if try tables.stores.undamagedRow(name) == nil { try tables.records.drop(allOf: last.text) }
    try tables.stores.remove(name)
    try tables.meta.add(-1, to: .stores)
    changed.updateValue(nil, forKey: name)
  }

  mutating func countChange(_ tables: JournalTables) throws {
    end.changes += 1
    try tables.meta.set(.changes, "\(end.changes)")
  }

  // MARK: The next start

  /// Brings the rows of some stores up to date whose records are the oldest that a start would read, and sets the checkpoint.
  ///
  /// - Parameter behind: the stores whose rows were behind before the batch, by their first record behind.
  mutating func relieveStart(
    _ tables: JournalTables, _ behind: borrowing Deque<JournalIndex.Behind>
  ) throws {
    var left = 64 + receipts.count
    while taken < behind.count, left > 0 {
      let oldest = behind[taken]
      // The store may have got a row since, and be behind again.
      if entry(oldest.name)?.first == oldest.first {
        guard end.seq - oldest.first > settings.recordsBehind else { break }
        try bringUpToDate(oldest.name, tables)
        left -= 1
      }
      taken += 1
    }
    let oldest = taken < behind.count ? behind[taken] : added.first
    let next = oldest.map { $0.first - 1 } ?? end.seq
    if next - checkpoint > settings.recordsBehind / 4 { try setCheckpoint(next, tables) }
  }

  /// Writes the row of a store with its old snapshot. A damaged row stays, because nothing can go on from it.
  mutating func bringUpToDate(_ name: StoreName, _ tables: JournalTables) throws {
    guard let last = entry(name), var row = try tables.stores.undamagedRow(name) else { return }
    (row.last, row.seq, row.upTo) = (last.number, last.seq, end.seq)
    row.hash = try tables.records.hash(of: last.seq)
    row.changed = try tables.records.time(of: last.seq)
    row.bytes &+= last.bytes
    try tables.stores.write(row)
    changed.updateValue(nil, forKey: name)
  }

  mutating func setCheckpoint(_ seq: Int64, _ tables: JournalTables) throws {
    guard seq > 0, let hash = try tables.records.hash(of: seq) else { return }
    try tables.meta.set(.checkpoint, "\(Receipt(seq: seq, hash))")
    checkpoint = seq
  }
}
#endif

#if Journal
import DequeModule
import Foundation
import GRDB
import Platform
import ScriptedStore
import Synchronization

extension Journal {
  /// A journal in an SQLite file, which is made for its owner alone if it is not there. One process at a time can have it.
  ///
  /// ```swift
  /// var configuration = ScriptHost.Configuration()
  /// configuration.journal = .sqlite("rooms.db")
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file, on a local disk. SQLite has two files beside it (`-wal` and `-shm`), and the lock is a third
  ///     (`-lock`).
  ///   - keepsRecords: whether records stay when a snapshot has them. Without them there is no history of a store before its
  ///     snapshot.
  public static func sqlite(_ path: String, keepsRecords: Bool = true) -> Journal {
    Journal { SQLiteJournal(path, JournalSettings(keepsRecords: keepsRecords)) }
  }
}

/// Durable stores in an SQLite file. `docs/journal.md` describes its tables.
///
/// 1. A commit appends rows to `record`. Rows of `store` are written at snapshots, and some of the oldest that are behind when
///    a start would have to read more than `JournalSettings.recordsBehind` records.
/// 2. The row of a store knows its records up to the column `upto`. Behind the checkpoint in `meta`, `index` knows where the
///    records of a store end whose row does not; a store whose row is current takes no memory.
/// 3. `index` changes after a transaction is done, and only then. If it is not known whether one is done, all is read anew from
///    the file, behind a checkpoint of the log that truncates it.
/// 4. One connection writes. Another one reads, which does not wait for the disk as a commit does.
package final class SQLiteJournal: JournalStorage {
  private let name: String
  private let settings: JournalSettings
  private let writer = Mutex(Writer())
  /// What is known of the stores (3), and the connection that reads.
  private let shared = Mutex(Shared())

  package init(_ path: String, _ settings: JournalSettings = JournalSettings()) {
    (name, self.settings) = (path, settings)
  }

  private struct Shared {
    var index = JournalIndex()
    var file: JournalFile?
    var reader: DatabaseQueue?
    /// Whether a store that is not found is not there.
    var isListWhole = true
    /// The stores whose last records may or may not be there.
    var unknown: Set<StoreName> = []
  }

  // MARK: The owner

  package func open() throws(JournalError) {
    let file = try JournalFile(name, settings)
    try writer.withLock { (writer) throws(JournalError) in
      try file.makeIfAbsent()
      // Another program's file gets no lock beside it.
      let (connection, isEmpty) = try file.wrapping {
        try file.checkedConnection(isReadOnly: false)
      }
      writer.lock = try JournalLock(file.path, name)
      (writer.file, writer.number) = (file, file.number)
      do throws(JournalError) {
        try connect(&writer, connection, makesTables: isEmpty)
      } catch {
        writer = Writer()
        throw error
      }
    }
  }

  /// Opens the connections, and reads what is there.
  ///
  /// - Parameter first: a connection that is open already, and becomes the one that writes.
  private func connect(
    _ writer: inout Writer, _ first: DatabaseQueue? = nil, makesTables: Bool = false
  ) throws(JournalError) {
    let file = try ownFile(writer)
    let (connection, reader, loaded) = try file.wrapping {
      var (connection, reader) = (first, DatabaseQueue?.none)
      do {
        let readsOnly = try file.connect(isReadOnly: true)
        reader = readsOnly
        let writes = try first ?? file.connect(isReadOnly: false)
        connection = writes
        let loaded = try writes.writeWithoutTransaction { db in
          if try makesTables && file.check(db) { try file.makeTables(db) }
          try file.prepareToWrite(db)
          // SQLite makes the log, if there is none, with the transaction of this.
          try file.renewLog(db)
          return try Loaded(db)
        }
        return (writes, readsOnly, loaded)
      } catch {
        // SQLite would bring the log into the file when the last connection is closed, and must not before the log is renewed.
        // The one that reads does not.
        try? connection?.close()
        try? reader?.close()
        throw error
      }
    }
    writer.connection = connection
    writer.end = loaded.end
    writer.checkpoint = loaded.checkpoint
    writer.behind = Deque(
      loaded.index.ends.map { JournalIndex.Behind(name: $0.key, first: $0.value.first) }
        .sorted { $0.first < $1.first })
    shared.withLock { shared in
      shared.index = loaded.index
      shared.isListWhole = loaded.isListWhole
      (shared.file, shared.reader) = (file, reader)
      shared.unknown = []
    }
  }

  /// What a start reads.
  private struct Loaded {
    let end: ChainEnd
    let checkpoint: Int64
    let index: JournalIndex
    let isListWhole: Bool

    init(_ db: Database) throws {
      let tables = JournalTables(db: db)
      let last = try tables.records.last()
      guard let hash = last.hash, (0..<Int64.max / 2).contains(last.seq) else {
        throw Damage(nil, "its last record has no hash, or a number that none can have")
      }
      end = ChainEnd(seq: last.seq, hash: hash, changes: try tables.meta.number(.changes))
      checkpoint = try tables.checkpoint()
      index = try JournalIndex(db, after: checkpoint)
      isListWhole = try tables.stores.isWhole(tables.meta.number(.stores))
    }
  }

  private struct Writer {
    var file: JournalFile?
    /// The number that the file had when it was opened.
    var number: ino_t?
    var lock: JournalLock?
    var connection: DatabaseQueue?
    var end = ChainEnd(seq: 0, hash: RecordTable.start, changes: 0)
    /// The seq behind which a start reads records.
    var checkpoint: Int64 = 0
    /// The stores whose rows are behind, by the first record that their rows do not know. A store that got a current row in
    /// between still has its place here.
    var behind = Deque<JournalIndex.Behind>()
    var pending: Pending?
  }

  /// A transaction of which it is not known whether it was done.
  private struct Pending {
    let before: ChainEnd
    let after: ChainEnd
    let receipts: [DrainReceipts]
    let stores: [StoreName]
    let error: JournalError
  }

  package func close() {
    writer.withLock { writer in
      if let connection = writer.connection, writer.pending == nil {
        var batch = newBatch(writer)
        let names = shared.withLock { Array($0.index.ends.keys) }
        try? connection.writeWithoutTransaction { db in
          let tables = JournalTables(db: db)
          try db.inTransaction(.immediate) {
            for name in names { try batch.bringUpToDate(name, tables) }
            try batch.setCheckpoint(writer.end.seq, tables)
            return .commit
          }
          _ = try db.checkpoint(.truncate)
        }
      }
      disconnect(&writer)
      writer = Writer()
    }
  }

  private func disconnect(_ writer: inout Writer) {
    try? shared.withLock { $0.reader.take() }?.close()
    try? writer.connection?.close()
    writer.connection = nil
  }

  private var closed: JournalError { JournalError(.closed, "\(name) is not open") }

  /// The file, if it has its path still. Nobody would find what is written to a file that was removed or replaced meanwhile.
  private func ownFile(_ writer: borrowing Writer) throws(JournalError) -> JournalFile {
    guard let file = writer.file else { throw closed }
    guard file.number == writer.number else {
      throw JournalError(
        .notWritten,
        """
        \(name) was not written: the file was removed, or replaced by another one, while it was open; end the program, and \
        start it again with the file or a backup in its place
        """)
    }
    return file
  }

  // MARK: Commits

  package func commit(_ drains: [JournalDrain]) throws(JournalError) -> [DrainReceipts] {
    if drains.isEmpty { return [] }
    return try writer.withLock { (writer) throws(JournalError) in
      try transact(&writer, drains.map(\.store)) { batch, tables, behind in
        for drain in drains { try batch.append(drain, tables) }
        if drains.allSatisfy({ $0.records.isEmpty }) { try batch.countChange(tables) }
        try batch.relieveStart(tables, behind)
      }
    }
  }

  package func remove(_ store: StoreName) throws(JournalError) {
    try writer.withLock { (writer) throws(JournalError) in
      _ = try transact(&writer, [store]) { batch, tables, _ in
        try batch.remove(store, tables)
        try batch.countChange(tables)
      }
    }
  }

  package func compact() throws(JournalError) {
    try writer.withLock { (writer) throws(JournalError) in
      let names = shared.withLock { Array($0.index.ends.keys) }
      _ = try transact(&writer, []) { batch, tables, _ in
        for name in names { try batch.bringUpToDate(name, tables) }
        try tables.dropCovered()
        try batch.setCheckpoint(batch.end.seq, tables)
        try batch.countChange(tables)
      }
      guard let file = writer.file, let connection = writer.connection else { throw closed }
      try file.wrapping {
        try connection.writeWithoutTransaction { db in
          try db.execute(sql: "VACUUM")
          _ = try db.checkpoint(.truncate)
        }
      }
    }
  }

  private func newBatch(_ writer: borrowing Writer) -> JournalBatch {
    JournalBatch(
      settings, end: writer.end, checkpoint: writer.checkpoint,
      isListWhole: shared.withLock(\.isListWhole)
    ) { name in self.shared.withLock { $0.index.ends[name] } }
  }

  /// Makes a transaction, and finds out whether it was done if that is not clear.
  ///
  /// - Parameter stores: the stores that it is about.
  /// - Returns: the receipts of the batch.
  private func transact(
    _ writer: inout Writer, _ stores: [StoreName],
    _ body: (inout JournalBatch, JournalTables, borrowing Deque<JournalIndex.Behind>) throws -> Void
  ) throws(JournalError) -> [DrainReceipts] {
    if let pending = writer.pending { throw pending.error }
    let file = try ownFile(writer)
    guard let connection = writer.connection else { throw closed }
    var batch = newBatch(writer)
    // Taken out for the time, because a second reference would make the next change of it a copy.
    var behind = Deque<JournalIndex.Behind>()
    swap(&behind, &writer.behind)
    let outcome = connection.writeWithoutTransaction { db in
      CommitOutcome(db, faults: settings.faults) { try body(&batch, JournalTables(db: db), behind) }
    }
    swap(&behind, &writer.behind)
    switch outcome {
    case .done:
      writer.end = batch.end
      writer.checkpoint = batch.checkpoint
      writer.behind.removeFirst(batch.taken)
      writer.behind.append(contentsOf: batch.added)
      shared.withLock { batch.changeIndex(&$0.index) }
      return batch.receipts
    case .notDone(let error): throw file.journalError(error)
    case .unclear(let error):
      let reason = file.journalError(error)
      writer.pending = Pending(
        before: writer.end, after: batch.end, receipts: batch.receipts, stores: stores,
        error: JournalError(
          .unknown,
          "\(reason.message). It is not known whether the last changes are in \(name), so it takes no others until it is"
        ))
      shared.withLock { $0.unknown = Set(stores) }
      guard let receipts = try resolve(&writer) else { throw reason }
      return receipts
    }
  }

  // MARK: Not known

  package func settle() throws(JournalError) -> [DrainReceipts]? {
    let start = ContinuousClock.now
    while true {
      do throws(JournalError) {
        let receipts = try writer.withLock { (writer) throws(JournalError) in try resolve(&writer) }
        // A removal has none. The commit that has met it was not tried.
        return receipts?.isEmpty == true ? nil : receipts
      } catch {
        guard error.code == .unknown, ContinuousClock.now - start < settings.patience / 2 else {
          throw error
        }
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// Finds out whether the pending transaction was done: its receipts, or nil if it was not. Both connections are closed first,
  /// so that the log is read from the disk and not from the shared memory, which knows the commits that SQLite has reported.
  /// Then a checkpoint writes each page anew, because pages that `fsync` could not write count as written for the system.
  private func resolve(_ writer: inout Writer) throws(JournalError) -> [DrainReceipts]? {
    guard let pending = writer.pending else { return nil }
    guard let file = writer.file else { throw closed }
    disconnect(&writer)
    do {
      try settings.faults.reopening()
      try connect(&writer)
      try file.wrapping {
        try writer.connection?.writeWithoutTransaction { db in
          // Throws if another program reads old pages.
          _ = try db.checkpoint(.truncate)
          // A commit that counts as not done from now on must not come back with the log.
          try file.syncTruncatedLog()
        }
      }
    } catch {
      disconnect(&writer)
      // What is known can be read meanwhile.
      let reader = try? ownFile(writer).connect(isReadOnly: true)
      shared.withLock { ($0.reader, $0.unknown) = (reader, Set(pending.stores)) }
      throw pending.error
    }
    writer.pending = nil
    if writer.end == pending.after { return pending.receipts }
    guard writer.end == pending.before else {
      throw JournalError(
        .damaged,
        "\(name) is damaged: another program has written it; restore a backup, or end that program")
    }
    return nil
  }

  // MARK: Reading

  /// Reads in a transaction.
  ///
  /// - Parameter known: takes what is needed of the index before the transaction begins, so that this sees all records that
  ///   the index knows.
  private func read<Known, R>(
    _ known: (borrowing Shared) throws(JournalError) -> Known,
    _ body: (JournalTables, Known) throws -> R
  ) throws(JournalError) -> R {
    let (reader, file, known) = try shared.withLock { (shared) throws(JournalError) in
      (shared.reader, shared.file, try known(shared))
    }
    guard let reader, let file else { throw writer.withLock { $0.pending?.error } ?? closed }
    return try file.wrapping {
      try reader.writeWithoutTransaction { db in
        try JournalTables.reading(db) { try body($0, known) }
      }
    }
  }

  package func stored(_ store: StoreName) throws(JournalError) -> StoredStore? {
    try read { (shared) throws(JournalError) in
      if shared.unknown.contains(store) {
        throw JournalError(
          .unknown, "it is not known which is the last record of \(store) in \(name)")
      }
      return (end: shared.index.ends[store], isListWhole: shared.isListWhole)
    } _: { tables, known in
      let found = try tables.stored(store, known.end)
      guard found != nil || known.isListWhole else {
        throw Damage("\(store)", "the list of stores is not whole, so this one may be there")
      }
      return found
    }
  }

  package func has(_ receipt: Receipt) throws(JournalError) -> Bool {
    if receipt == .none { return true }
    return try read { _ in
    } _: { tables, _ in
      if let hash = try tables.records.hash(of: receipt.seq) { return hash == receipt.digest }
      // Compacting leaves gaps.
      return try receipt.seq > 0 && receipt.seq < tables.records.last().seq
    }
  }

  package func waking(before time: Double) throws(JournalError) -> [StoreName] {
    try read { _ in
    } _: { tables, _ in
      try tables.names(where: "wake < ? ORDER BY wake", time)
    }
  }

  package func behind() throws(JournalError) -> [StoreName] {
    try read {
      Array($0.index.ends.keys)
    } _: { tables, ends in
      Set(try tables.names(where: "last > n")).union(ends).sorted()
    }
  }

  package func stores(
    of feature: String?, after name: StoreName?, atMost count: Int
  ) throws(JournalError) -> [DurableStoreInfo] {
    try read {
      $0.index
    } _: { tables, index in
      try tables.infos(of: feature, after: name, atMost: count, index)
    }
  }
}

/// What became of a transaction.
private enum CommitOutcome {
  case done
  /// It was rolled back, and nothing in the log can bring it back.
  case notDone(any Error)
  case unclear(any Error)

  /// The last frame of a transaction in the log carries the mark that it is committed. If SQLite finds the disk full while it
  /// writes the log, that frame is missing, and the transaction does not count. After other errors the frame may be in the log,
  /// and SQLite may take the transaction for committed when it reads the log from the disk again.
  init(_ db: Database, faults: JournalSettings.Faults, _ body: () throws -> Void) {
    do {
      // `inTransaction` would parse both statements each time.
      try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
      try body()
    } catch {
      self = Self.rollBack(db) ? .notDone(error) : .unclear(error)
      return
    }
    do {
      try faults.beforeCommit()
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      try faults.afterCommit()
      self = .done
    } catch {
      let isFull = (error as? DatabaseError)?.resultCode == .SQLITE_FULL
      self = Self.rollBack(db) && isFull ? .notDone(error) : .unclear(error)
    }
  }

  /// Returns whether no transaction is open.
  private static func rollBack(_ db: Database) -> Bool {
    try? db.rollback()
    return !db.isInsideTransaction
  }
}

/// What a journal keeps and how much it reads at its start, with the faults that tests put into it.
package struct JournalSettings: Sendable {
  package var keepsRecords = true
  /// How many records a start reads at most, roughly: 0.1 s.
  package var recordsBehind: Int64 = 100_000
  /// The number of pages that the file has at most; nil for no limit.
  package var maximumPages: Int?
  /// The number of bytes that a text has at most; nil for SQLite's 1,000,000,000.
  package var maximumLength: Int32?
  /// How long other programs' transactions are waited for, in seconds.
  package var busyTimeout = 5.0
  /// How long ``SQLiteJournal/settle()`` tries.
  package var patience: Duration = .seconds(10)
  package var faults = Faults()

  package init(keepsRecords: Bool = true) { self.keepsRecords = keepsRecords }

  /// Errors of the disk, for tests. Each function is called where its error would arise.
  package struct Faults: Sendable {
    package var beforeCommit: @Sendable () throws -> Void = {}
    package var afterCommit: @Sendable () throws -> Void = {}
    package var reopening: @Sendable () throws -> Void = {}
  }
}
#endif

/// Where durable stores are: ``HostConfiguration/journal``. `ScriptedStoreJournal` makes one of an SQLite file.
///
/// Says where they are, and opens nothing: each host opens the journal that it is made with, and has it alone.
public struct Journal: Sendable {
  package let makeStorage: @Sendable () -> any JournalStorage
  /// The pause between two commits of a lazy journal; nil for a journal that is not lazy.
  let pause: Duration?

  package init(_ makeStorage: @escaping @Sendable () -> any JournalStorage) {
    self.init(makeStorage, pause: nil)
  }

  private init(_ makeStorage: @escaping @Sendable () -> any JournalStorage, pause: Duration?) {
    (self.makeStorage, self.pause) = (makeStorage, pause)
  }

  /// The same journal for an app on a device, which writes some seconds of changes at once, and holds nothing back: sends return,
  /// and states are seen, before they are on the disk.
  ///
  /// ```swift
  /// configuration.journal = .sqlite("app.db").lazy(1)
  /// ```
  ///
  /// When the process ends without `ScriptHost.close()`, each store loses its actions of the last seconds. A send returns the
  /// receipt of an earlier record, so that no receipt tells whether a journal has these actions.
  ///
  /// - Parameter seconds: the longest time until a change is written, from 0 to 3,600. A number outside of that is the nearest
  ///   one, and one that is not a number is 0.
  public func lazy(_ seconds: Double) -> Journal {
    Journal(makeStorage, pause: .seconds(seconds > 0 ? min(seconds, 3600) : 0))
  }
}

/// A record of a durable store: one line of a recording.
package struct JournalRecord: Sendable, Hashable {
  /// Counts the records of the store from 1.
  package let number: Int
  /// JSON without a line break; see ``RecordingEvent``.
  package let line: String
  /// That of the record in its journal; nil before it is there.
  package let receipt: Receipt?

  package init(number: Int, line: String, receipt: Receipt? = nil) {
    (self.number, self.line, self.receipt) = (number, line, receipt)
  }
}

/// The state of a durable store after a record, with its hidden parts.
package struct JournalSnapshot: Sendable, Hashable {
  /// The number of the last record that the state contains; 0 for the state that the store began with.
  package let number: Int
  /// The header of a recording that goes on from here. JSON without a line break.
  package let line: String
  /// When the store has to be active by itself, in seconds since 1970; nil for never.
  package let wake: Double?

  package init(number: Int, line: String, wake: Double?) {
    (self.number, self.line, self.wake) = (number, line, wake)
  }
}

/// What one store has to have committed at once. The records of a drain are never split.
package struct JournalDrain: Sendable {
  package let store: StoreName
  /// Consecutive numbers, in order. They may be empty if there is a snapshot.
  package var records: [JournalRecord]
  /// The first drain of a store has one with the number before its first record.
  package var snapshot: JournalSnapshot?
  /// The number of the record of a request's action; nil if the drain has none.
  package var request: Int?

  package init(
    store: StoreName, records: [JournalRecord], snapshot: JournalSnapshot? = nil
  ) {
    (self.store, self.records, self.snapshot) = (store, records, snapshot)
  }

  /// The bytes of its records.
  var bytes: Int { records.reduce(0) { $0 + $1.line.utf8.count } }
}

/// The receipts of a drain that is on the disk.
package struct DrainReceipts: Sendable, Hashable {
  /// That of the record with the number ``JournalDrain/request``.
  package let request: Receipt?
  /// That of the store's last record, also for a drain without records.
  package let last: Receipt

  package init(request: Receipt? = nil, last: Receipt) {
    (self.request, self.last) = (request, last)
  }
}

/// A durable store as its journal has it.
package struct StoredStore: Sendable, Hashable {
  package let snapshot: JournalSnapshot
  /// The records after the snapshot.
  package let records: [JournalRecord]
  /// The receipt of the store's last record; ``Receipt/none`` if it has none.
  package let receipt: Receipt

  package init(snapshot: JournalSnapshot, records: [JournalRecord], receipt: Receipt) {
    (self.snapshot, self.records, self.receipt) = (snapshot, records, receipt)
  }
}

/// A database of durable stores. All functions block the calling thread, and any thread may call them.
package protocol JournalStorage: AnyObject, Sendable {
  /// Opens the journal as its one owner; called once. Reads what the last owner has left.
  func open() throws(JournalError)

  /// Commits drains of any number of stores in one transaction, in their order. When this returns they are on the disk.
  /// Only the committer calls this, one call at a time.
  ///
  /// - Returns: the receipts of each drain.
  /// - Throws: an error after which none of the drains is in the journal, and the next commit may be tried; or the code
  ///   ``JournalError/Code/unknown``, if that could not be found out. Then all further commits throw that, until
  ///   ``settle()`` has found it out.
  func commit(_ drains: [JournalDrain]) throws(JournalError) -> [DrainReceipts]

  /// Finds out whether the last commit, of which this was unknown, was done. Blocks for 10 seconds at most.
  ///
  /// - Returns: the receipts of the drains if it was; nil if it was not, and never will be. Nil also if the last commit was not
  ///   tried, because it was a removal of which this was unknown.
  func settle() throws(JournalError) -> [DrainReceipts]?

  /// What the journal has of a store; nil if it has nothing. Records that are not as they were written, and a missing
  /// one, throw ``JournalError/Code/damaged`` with the store's name.
  func stored(_ store: StoreName) throws(JournalError) -> StoredStore?

  /// Whether the journal has this record.
  func has(_ receipt: Receipt) throws(JournalError) -> Bool

  /// The stores that have to be active by themselves before a time, in seconds since 1970, as their snapshots say.
  func waking(before time: Double) throws(JournalError) -> [StoreName]

  /// The stores with records after their snapshots, in the order of their names. Only these records tell whether they have to be
  /// active by themselves.
  func behind() throws(JournalError) -> [StoreName]

  /// The first stores of a feature behind a name in the order of names, as many as `count` at most; of all features for nil.
  func stores(
    of feature: String?, after name: StoreName?, atMost count: Int
  ) throws(JournalError) -> [DurableStoreInfo]

  /// Removes a store with all its records. The chain of hashes still holds for the others. If it throws the code
  /// ``JournalError/Code/unknown``, commits do so, too, until ``settle()`` has found out what became of the removal.
  func remove(_ store: StoreName) throws(JournalError)

  /// Drops the records before the snapshots, and gives their room back to the disk.
  func compact() throws(JournalError)

  /// Brings all into the file, and ends the ownership. May be called again. What needs the file throws
  /// ``JournalError/Code/closed`` afterwards.
  func close()
}

/// What a journal knows of a durable store without making it active.
public struct DurableStoreInfo: Sendable, Hashable {
  public let name: StoreName
  /// The number of the store's last record.
  public let records: Int
  /// The records after its snapshot, which are applied when it is next active.
  public let recordsBehind: Int
  /// The bytes of its snapshot and of the records that the journal has.
  public let bytes: Int
  /// The time of its last record in seconds since 1970; nil if it has none.
  public let changed: Double?

  package init(
    name: StoreName, records: Int, recordsBehind: Int, bytes: Int, changed: Double?
  ) {
    (self.name, self.records, self.recordsBehind) = (name, records, recordsBehind)
    (self.bytes, self.changed) = (bytes, changed)
  }
}

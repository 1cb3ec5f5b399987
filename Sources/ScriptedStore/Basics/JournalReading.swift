/// A journal as tools see it: beside its owner, or without one. It changes nothing. All functions block the calling thread, and
/// any thread may call them.
package protocol JournalReading: AnyObject, Sendable {
  /// The stores of a feature in the order of their names; of all features for nil.
  func stores(of feature: String?) throws(JournalError) -> [DurableStoreInfo]

  /// What the journal has of a store; nil if it has nothing.
  func stored(_ store: StoreName) throws(JournalError) -> StoredStore?

  /// Reads the oldest snapshot that the journal has of a store, and then the records after it. Has one line in memory at a time.
  ///
  /// - Parameter body: returns whether to go on.
  /// - Returns: whether the journal has the store.
  func read(_ store: StoreName, _ body: (JournalLine) -> Bool) throws(JournalError) -> Bool

  /// All that ``read(_:_:)`` gives, and the latest snapshot, as they are at one moment; nil if the journal does not have the
  /// store.
  func history(of store: StoreName) throws(JournalError) -> StoredHistory?

  /// Looks at all that the journal has.
  func verify() throws(JournalError) -> JournalVerification

  /// Copies the journal as it is at one moment. The file must not exist.
  func backup(to path: String) throws(JournalError)
}

/// A line of the history of a durable store.
package enum JournalLine: Sendable {
  case snapshot(JournalSnapshot)
  case record(JournalRecord)
}

/// The whole history of a durable store as far as its journal has it.
package struct StoredHistory: Sendable {
  package let first: JournalSnapshot
  package let latest: JournalSnapshot
  package let records: [JournalRecord]

  package init(first: JournalSnapshot, latest: JournalSnapshot, records: [JournalRecord]) {
    (self.first, self.latest, self.records) = (first, latest, records)
  }
}

/// What looking at a whole journal has found.
package struct JournalVerification: Sendable {
  package var stores = 0
  package var records = 0
  package var faults: [JournalFault] = []

  package init() {}
}

/// One thing in a journal that is not as it was written.
package struct JournalFault: Sendable, Hashable, CustomStringConvertible {
  /// The store that has it, as `room/r17`; nil for the file.
  package let store: String?
  /// A clause without a full stop.
  package let message: String

  package init(store: String?, message: String) { (self.store, self.message) = (store, message) }

  package var description: String { store.map { "\($0): \(message)" } ?? message }
}

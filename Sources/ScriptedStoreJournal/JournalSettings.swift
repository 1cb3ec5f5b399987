#if Journal
/// How a journal is kept, and what tests make of it.
package struct JournalSettings: Sendable {
  package var keepsRecords = true
  /// How many records a start reads at most, roughly: 0.1 s.
  package var recordsBehind: Int64 = 100_000
  /// The number of pages that the file has at most; nil for no limit.
  package var maximumPages: Int?
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

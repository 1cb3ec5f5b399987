#if Journal
import Foundation
import GRDB
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// Commits of which the disk says that they have failed.
@Suite struct JournalFaultTests {
  private let journals: Journals
  private let disk = Disk()

  init() throws { journals = try Journals() }

  /// A disk that fails as it is told to.
  private final class Disk: Sendable {
    private let errors = Mutex<[Place: ResultCode]>([:])

    enum Place: Hashable { case beforeCommit, afterCommit, reopening }

    func fails(_ place: Place, _ error: ResultCode?) { errors.withLock { $0[place] = error } }

    private func check(_ place: Place) throws {
      if let code = errors.withLock({ $0[place] }) { throw DatabaseError(resultCode: code) }
    }

    var settings: JournalSettings {
      var settings = JournalSettings()
      settings.faults.beforeCommit = { try self.check(.beforeCommit) }
      settings.faults.afterCommit = { try self.check(.afterCommit) }
      settings.faults.reopening = { try self.check(.reopening) }
      settings.patience = .milliseconds(300)
      settings.busyTimeout = 0.1
      return settings
    }
  }

  @Test func aFullDiskRefusesACommitAndNoOther() throws {
    var settings = JournalSettings()
    settings.maximumPages = 16
    let journal = try journals.open(settings: settings)
    try journal.begin("one", "two")
    _ = try journal.commit([Drain.records("one", 1...3)])
    let large = JournalRecord(
      number: 4, line: "{\"text\":\"\(String(repeating: "x", count: 1 << 16))\"}")
    #expect(
      message {
        _ = try journal.commit([
          Drain.records("two", 1...1), JournalDrain(store: Drain.name("one"), records: [large]),
        ])
      } == "\(journals.path()) was not written: the disk is full; make room on it")
    #expect(try journal.numbers("one") == [1, 2, 3])
    #expect(try journal.numbers("two") == [])
    _ = try journal.commit([Drain.records("one", 4...4), Drain.records("two", 1...1)])
    #expect(try journal.numbers("one") == [1, 2, 3, 4])
    #expect(try journals.reader().faults() == [])
  }

  /// SQLite would take NULL for the text, which is a record that was dropped.
  @Test func aTextThatSQLiteDoesNotTakeRefusesItsCommit() throws {
    var settings = JournalSettings()
    settings.maximumLength = 10_000
    let journal = try journals.open(settings: settings)
    try journal.begin("one")
    let text = String(repeating: "x", count: 20_000)
    let record = JournalRecord(number: 1, line: "{\"text\":\"\(text)\"}")
    let drain = JournalDrain(store: Drain.name("one"), records: [record])
    #expect(
      message { _ = try journal.commit([drain]) }
        == "\(journals.path()) was not written: string or blob too big")
    let snapshot = JournalSnapshot(number: 0, line: "{\"text\":\"\(text)\"}", wake: nil)
    #expect(code { _ = try journal.commit([Drain.snapshot("two", snapshot)]) } == .notWritten)
    _ = try journal.commit([Drain.records("one", 1...1)])
    #expect(try journal.numbers("one") == [1])
    #expect(try journal.stored(Drain.name("two")) == nil)
    #expect(try journals.reader().faults() == [])
  }

  @Test func aCommitThatTheDiskHasInSpiteOfAnErrorIsDone() throws {
    let journal = try journals.open(settings: disk.settings)
    try journal.begin("one")
    disk.fails(.afterCommit, .SQLITE_IOERR_FSYNC)
    let receipt = try journal.commit([Drain.records("one", 1...2)])[0].last
    disk.fails(.afterCommit, nil)
    #expect(receipt.seq == 3)
    #expect(try journal.numbers("one") == [1, 2])
    #expect(try journal.commit([Drain.records("one", 3...3)]).map(\.last.seq) == [4])
    // Changes that append no record are known by their number.
    disk.fails(.afterCommit, .SQLITE_IOERR_FSYNC)
    #expect(try journal.commit([Drain.snapshot("one", Drain.snapshot(2))]).map(\.last.seq) == [4])
    #expect(try journal.numbers("one") == [3])
    try journal.remove(Drain.name("one"))
    #expect(try journal.stored(Drain.name("one")) == nil)
  }

  @Test func aCommitThatTheDiskDoesNotHaveThrowsItsReason() throws {
    let journal = try journals.open(settings: disk.settings)
    try journal.begin("one", "two")
    _ = try journal.commit([Drain.records("two", 1...1)])
    for (error, text) in [
      (ResultCode.SQLITE_IOERR_FSYNC, "the disk has failed"), (.SQLITE_FULL, "the disk is full"),
    ] {
      disk.fails(.beforeCommit, error)
      #expect(message { _ = try journal.commit([Drain.records("one", 1...1)]) }.contains(text))
      #expect(code { _ = try journal.commit([Drain.records("one", 1...1)]) } == .notWritten)
      #expect(code { try journal.remove(Drain.name("two")) } == .notWritten)
      disk.fails(.beforeCommit, nil)
      #expect(try journal.numbers("one") == [])
      #expect(try journal.numbers("two") == [1])
    }
    #expect(try journal.commit([Drain.records("one", 1...1)]).map(\.last.seq) == [4])
  }

  @Test(arguments: [true, false])
  func nothingIsTakenUntilItIsKnownWhatACommitHasDone(isDone: Bool) throws {
    let journal = try journals.open(settings: disk.settings)
    try journal.begin("one", "two")
    _ = try journal.commit([Drain.records("two", 1...1)])
    disk.fails(isDone ? .afterCommit : .beforeCommit, .SQLITE_IOERR_FSYNC)
    disk.fails(.reopening, .SQLITE_IOERR)
    #expect(code { _ = try journal.commit([Drain.records("one", 1...1)]) } == .unknown)
    #expect(
      message { _ = try journal.commit([Drain.records("two", 2...2)]) }
        .contains("It is not known whether the last changes are in"))
    #expect(code { _ = try journal.settle() } == .unknown)
    #expect(code { _ = try journal.stored(Drain.name("one")) } == .unknown)
    // The journal is read-only, and not closed.
    #expect(try journal.numbers("two") == [1])
    disk.fails(.reopening, nil)
    disk.fails(isDone ? .afterCommit : .beforeCommit, nil)
    #expect(try journal.settle()?.map(\.last.seq) == (isDone ? [4] : nil))
    #expect(try journal.numbers("one") == (isDone ? [1] : []))
    let next = isDone ? 2 : 1
    #expect(
      try journal.commit([Drain.records("one", next...next)]).map(\.last.seq) == [Int64(3 + next)])
    #expect(try journals.reader().faults() == [])
  }

  /// A removal has no receipts that a commit could take for its own.
  @Test(arguments: [true, false])
  func aRemovalOfWhichNobodyKnowsHasNoReceipts(isDone: Bool) throws {
    let journal = try journals.open(settings: disk.settings)
    try journal.begin("one", "two")
    disk.fails(isDone ? .afterCommit : .beforeCommit, .SQLITE_IOERR_FSYNC)
    disk.fails(.reopening, .SQLITE_IOERR)
    #expect(code { try journal.remove(Drain.name("one")) } == .unknown)
    disk.fails(.reopening, nil)
    disk.fails(isDone ? .afterCommit : .beforeCommit, nil)
    #expect(code { _ = try journal.commit([Drain.records("two", 1...1)]) } == .unknown)
    #expect(try journal.settle() == nil)
    #expect(try (journal.stored(Drain.name("one")) == nil) == isDone)
    #expect(try journal.commit([Drain.records("two", 1...1)]).count == 1)
    #expect(try journal.numbers("two") == [1])
    #expect(try journals.reader().faults() == [])
  }

  enum Use: CaseIterable { case send, remove, other }

  /// What became of a removal is found out by whatever comes next.
  @Test(.timeLimit(.minutes(1)), arguments: Use.allCases, [true, false])
  func aRemovalOfWhichNobodyKnowsHarmsNoStore(use: Use, isDone: Bool) async throws {
    let rooms = try Rooms()
    let host = try rooms.host(SQLiteJournal(rooms.journal, disk.settings))
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    disk.fails(isDone ? .afterCommit : .beforeCommit, .SQLITE_IOERR_FSYNC)
    disk.fails(.reopening, .SQLITE_IOERR)
    let error = await #expect(throws: JournalError.self) { try await room.remove() }
    #expect(error?.code == .unknown)
    disk.fails(.reopening, nil)
    disk.fails(isDone ? .afterCommit : .beforeCommit, nil)
    var left: Value = isDone ? 0 : 1
    switch use {
    case .send:
      try await room.send("count")
      left = isDone ? 1 : 2
    case .remove:
      try await room.remove()
      left = 0
    case .other: try await other.send("count")
    }
    #expect(try await room.open().state["count"] == left)
    #expect(try await other.open().state["count"] == (use == .other ? 2 : 1))
    await host.close()
  }

  /// A reader's transaction keeps the log from being truncated.
  @Test func aReaderDelaysTheAnswer() throws {
    let journal = try journals.open(settings: disk.settings)
    try journal.begin("one")
    let reader = try DatabaseQueue(path: journals.path())
    try reader.inDatabase { db in
      try db.inTransaction(.deferred) {
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM record")
        disk.fails(.afterCommit, .SQLITE_IOERR_FSYNC)
        #expect(code { _ = try journal.commit([Drain.records("one", 1...1)]) } == .unknown)
        return .commit
      }
    }
    #expect(try journal.settle()?.map(\.last.seq) == [2])
  }
}
#endif

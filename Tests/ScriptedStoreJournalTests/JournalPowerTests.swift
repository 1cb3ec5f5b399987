#if Journal && os(Linux)
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with a journal whose disk loses its power under load, at each point between a write and the answer.
@Suite(.timeLimit(.minutes(30)), .blocking, .enabled(if: FaultyDisk.library != nil, "needs clang"))
struct JournalPowerTests {
  /// How often the power goes; `SOAK_KILLS` in the environment sets another number.
  private static let cuts =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) } ?? 50

  private let rooms: Rooms
  private let disk: FaultyDisk

  init() throws {
    rooms = try Rooms(ListLoad.room)
    disk = try FaultyDisk(rooms)
  }

  /// With failures, what a disk loses is more: the system takes what `fsync` could not write for written.
  @Test(arguments: [nil, 40])
  func whatWasAcknowledgedOutlivesALossOfPower(failures: Int?) async throws {
    let load = ListLoad()
    load.mayFail = failures != nil
    var ends: [String] = []
    for number in 0..<(failures == nil ? Self.cuts : Self.cuts / 2) {
      // Few operations reach the start, and many a load. In between a process is killed, whose unsynced bytes the next one
      // finds.
      let operations = Int(exp(Double.random(in: 0...log(1_500))))
      let end: FaultyDisk.End = number % 4 == 3 ? .killed : .some
      let seed = UInt64.random(in: 0...UInt64.max)
      ends.append("\(end) after \(operations) with seed \(seed)")
      load.run(
        try OwnerProcess(
          rooms,
          environment: disk.environment(end, after: operations, seed: seed, failures: failures)),
        number)
      try #require(load.unexpected == [], "\(ends.suffix(10))")
    }
    load.mayFail = false
    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    #expect(load.acknowledged > Self.cuts / 2)
    #expect(load.pending.isEmpty)
    let faults = try await rooms.faults(of: load)
    #expect(faults == [], "\(ends)")
  }

  /// The process before was killed between a write and its sync. A reader has found what it wrote, and keeps SQLite from bringing
  /// the log into the file.
  @Test func whatANewOwnerFindsIsOnTheDiskBeforeItIsAcknowledged() async throws {
    let load = ListLoad(clients: 1)
    var process = try OwnerProcess(rooms, environment: disk.environment())
    load.begin(process, 0)
    load.go(on: process, 0) { _ in load.acknowledged == 3 }
    try disk.set(.syncEnds, true)
    load.go(on: process, 0)
    load.end(process)
    try disk.set(.syncEnds, false)
    var reader: SQLiteJournalReader? = try SQLiteJournalReader(rooms.journal)
    _ = try reader?.stores(of: nil)
    process = try OwnerProcess(rooms, environment: disk.environment(.all))
    // What had no answer is there, and so it is acknowledged. The power goes before the next item is on the disk.
    let before = load.acknowledged
    load.resend(to: process)
    #expect(load.acknowledged == before + 1)
    try disk.set(.syncEnds, true)
    load.run(process, 0)
    try disk.set(.syncEnds, false)
    reader = nil
    try await judge(load)
  }

  /// Settles what had no answer, and looks at what is there.
  private func judge(_ load: ListLoad) async throws {
    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    #expect(load.pending.isEmpty)
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }

  // MARK: After an fsync that has failed

  /// A process whose disk fails to sync the first commit of a store, which changes pages that are not in the log yet: nothing
  /// is in the log but a commit that has only a record.
  ///
  /// - Parameter times: how many syncs fail; nil for all, of which the second has failed when this returns. The first is that of the
  ///   commit, the second that of the log at the end of the connection.
  private func failing(
    _ load: ListLoad, _ environment: [String: String], times: Int? = nil
  ) throws -> OwnerProcess {
    let process = try OwnerProcess(rooms, environment: environment)
    load.add(to: "r0.0", process)
    load.awaitAnswers(of: process)
    try disk.set(.syncFails, true, times: times)
    load.add(to: "new", process)
    guard times == nil else { return process }
    disk.waitUntilMet(.syncFails)
    try disk.set(.syncFails, true)
    disk.waitUntilMet(.syncFails)
    return process
  }

  /// A journal with some stores, of which nothing is in the log.
  private func begun(_ load: ListLoad) throws {
    let process = try OwnerProcess(rooms, environment: disk.environment())
    load.begin(process, 0)
    load.go(on: process, 0) { _ in load.acknowledged == 20 }
    load.finish(process)
  }

  /// The system takes the pages of the log for written that it could not write. The power goes in the midst of the checkpoint that
  /// brings them into the file. A third sync that fails is that of the mend.
  @Test(arguments: 1...3, 2...3)
  func aCheckpointAfterAFailedSyncReliesOnWhatIsOnTheDisk(
    writes: Int, failures: Int
  ) async throws {
    let load = ListLoad()
    try begun(load)
    let process = try failing(load, disk.environment(.log, writes: writes), times: failures)
    // The process ends by itself, and the test fails, if there are not so many.
    process.closeInput()
    load.drain(process)
    #expect(load.pending.count == 1)
    try await judge(load)
  }

  /// The same, and the process ends before it has found out what became of its commit.
  @Test(arguments: 1...3)
  func aCheckpointOfANewOwnerReliesOnWhatIsOnTheDisk(writes: Int) async throws {
    let load = ListLoad()
    load.mayFail = true
    try begun(load)
    var process = try failing(load, disk.environment(.killed))
    try disk.set(.syncEnds, true)
    load.drain(process)
    try disk.set(.syncEnds, false)
    try disk.set(.syncFails, false)
    // Its checkpoint is that of its end, at the latest.
    process = try OwnerProcess(rooms, environment: disk.environment(.log, writes: writes))
    process.closeInput()
    load.drain(process)
    load.mayFail = false
    #expect(load.pending.count == 1)
    try await judge(load)
  }

  /// While another program has the file open, SQLite knows nothing of a commit that was not synced, and the journal says that it
  /// was not done. The power goes then, and the log must not be what it was before.
  @Test func aCommitThatCountsAsNotDoneDoesNotComeBackWithTheLog() async throws {
    let load = ListLoad(clients: 1)
    load.mayFail = true
    try begun(load)
    var reader: SQLiteJournalReader? = try SQLiteJournalReader(rooms.journal)
    _ = try reader?.stores(of: nil)
    let process = try failing(load, disk.environment(.all))
    try disk.set(.syncFails, false)
    load.awaitAnswers(of: process)
    #expect(load.refusals.count == 1)
    try disk.set(.syncEnds, true)
    load.add(to: "new", process)
    load.drain(process)
    try disk.set(.syncEnds, false)
    reader = nil
    load.mayFail = false
    try await judge(load)
  }
}
#endif

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
    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }
}
#endif

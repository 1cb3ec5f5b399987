#if Journal && os(Linux)
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with a journal on a disk that lies, fails, waits or is full.
@Suite(.timeLimit(.minutes(5)), .enabled(if: FaultyDisk.library != nil, "needs clang"))
struct JournalDiskTests {
  private let rooms: Rooms
  private let disk: FaultyDisk

  init() throws {
    rooms = try Rooms(ListLoad.room)
    disk = try FaultyDisk(rooms)
  }

  /// A process that has acknowledged some items.
  private func begun(
    _ load: ListLoad, _ environment: [String: String]
  ) throws -> OwnerProcess {
    let process = try OwnerProcess(rooms, environment: environment)
    load.begin(process, 0)
    go(load, process, 50)
    return process
  }

  /// Lets so many more items be acknowledged.
  private func go(_ load: ListLoad, _ process: OwnerProcess, _ count: Int) {
    let enough = load.acknowledged + count
    load.go(on: process, 0) { _ in load.acknowledged >= enough }
  }

  // MARK: A disk that fails

  /// Each fourth `fsync` fails, so that stores come back from the journal all the time. Some records were written in spite of it.
  @Test func aSendThatFailsWasNotDoneAndOneThatDoesNotWas() async throws {
    let load = ListLoad()
    load.mayFail = true
    try disk.set(.steady, true)
    let process = try begun(load, disk.environment(seed: .random(in: 0...UInt64.max), failures: 4))
    try disk.set(.steady, false)
    go(load, process, 300)
    try disk.set(.steady, true)
    load.finish(process)
    #expect(!load.refusals.isEmpty)
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }
}
#endif

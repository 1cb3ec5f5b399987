#if Journal && os(Linux)
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with a journal on a disk that lies, fails, waits or is full.
@Suite(.timeLimit(.minutes(5)), .blocking, .enabled(if: FaultyDisk.library != nil, "needs clang"))
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

  /// Begins a fault, and waits until the process has met it. What the clients have sent may be on the disk by then, so that there
  /// is one item more.
  private func meet(
    _ fault: FaultyDisk.Fault, _ load: ListLoad, _ process: OwnerProcess
  ) throws {
    try disk.set(fault, true)
    load.add(to: "r0.0", process)
    disk.waitUntilMet(fault)
  }

  // MARK: A disk that lies

  /// The checker and the disk are tested, not the journal: nothing helps against a disk that lies.
  @Test(arguments: [true, false])
  func whatADiskThatLiesLosesIsFound(lies: Bool) async throws {
    let load = ListLoad()
    load.finish(try begun(load, disk.environment()))
    load.run(
      try OwnerProcess(rooms, environment: disk.environment(.all, after: 400, lies: lies)), 0)
    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults.contains { $0.hasSuffix("was acknowledged, and is not there") } == lies)
    if !lies { #expect(faults == []) }
  }

  // MARK: A disk that fails

  /// Each fourth `fsync` fails, so that stores come back from the journal all the time. Some records of a failed `fsync` are on
  /// the disk nevertheless.
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

  /// A fault that is over before the journal gives up: what it was about is found out, and all go on. Afterwards the power
  /// goes, by which a disk loses more that was told to sync and has failed.
  @Test(arguments: [FaultyDisk.Fault.writeFails, .syncFails])
  func aDiskThatFailsForAMomentLosesNothing(_ fault: FaultyDisk.Fault) async throws {
    let load = ListLoad()
    load.mayFail = true
    let process = try begun(load, disk.environment(.some, seed: .random(in: 0...UInt64.max)))
    for _ in 0..<3 {
      try meet(fault, load, process)
      try disk.set(fault, false)
      go(load, process, 100)
    }
    try await losePower(load, process)
  }

  /// A fault that lasts: sends fail, and say why. When it is over, the stores go on. It takes ten seconds, for which the journal
  /// tries to find out what became of a commit, so that only `make soak` has it; a full disk says it at once.
  @Test(arguments: Self.faultsThatLast)
  func sendsFailAsLongAsTheDiskDoes(_ fault: FaultyDisk.Fault) async throws {
    let load = ListLoad()
    load.mayFail = true
    let process = try begun(load, disk.environment(.some, seed: .random(in: 0...UInt64.max)))
    for _ in 0..<2 {
      let enough = load.refusals.count + 20
      try disk.set(fault, true)
      load.go(on: process, 0) { _ in load.refusals.count >= enough }
      try disk.set(fault, false)
      go(load, process, 100)
    }
    let reason = fault == .full ? "the disk is full; make room on it" : "the disk has failed"
    #expect(load.refusals.contains { $0.contains(reason) })
    try await losePower(load, process)
  }

  private static let faultsThatLast: [FaultyDisk.Fault] =
    ProcessInfo.processInfo.environment["SOAK_KILLS"] == nil
    ? [.full] : [.full, .writeFails, .syncFails]

  /// Lets the power go before the next `fsync`, and judges what is there.
  private func losePower(_ load: ListLoad, _ process: OwnerProcess) async throws {
    try disk.set(.syncEnds, true)
    load.go(on: process, 0)
    load.end(process)
    try disk.set(.syncEnds, false)
    load.mayFail = false
    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }

  @Test func aStoreReducesWhileTheDiskIsSlowAndSendsWait() async throws {
    let load = ListLoad()
    let process = try begun(load, disk.environment())
    try meet(.syncWaits, load, process)
    for _ in 0..<20 { load.add(to: "slow", process) }
    process.say("refused slow")
    load.go(on: process, 0) { line in
      guard case .refused(let text) = line else { return false }
      if text.contains("there are 20 items") { return true }
      process.say("refused slow")
      return false
    }
    #expect(load.pending.filter { $0.store == "slow" }.count == 20)
    try disk.set(.syncWaits, false)
    load.finish(process)
    #expect(load.pending.isEmpty)
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }
}
#endif

#if Journal && os(Linux)
import Foundation
import Testing

/// Alarms of a process whose wall clock is set, while it runs and while it does not.
@Suite(.timeLimit(.minutes(2)), .blocking, .enabled(if: FaultyDisk.library != nil, "needs clang"))
struct JournalClockTests {
  private static let hour = 3600

  private let rooms: Rooms
  private let disk: FaultyDisk
  private let load = ListLoad(clients: 0)

  init() throws {
    rooms = try Rooms(ListLoad.room)
    disk = try FaultyDisk(rooms)
  }

  /// A process that is killed in the end, or ends in order.
  private func owner(
    clock seconds: Int, isKilled: Bool = true, _ body: (OwnerProcess) throws -> Void
  ) throws {
    try disk.setClock(seconds)
    let process = try OwnerProcess(rooms, environment: disk.environment())
    load.begin(process, 0)
    try body(process)
    if isKilled {
      process.kill()
      load.drain(process)
    } else {
      load.finish(process)
    }
  }

  /// Sets an alarm that adds the only item of its store.
  private func setAlarm(_ store: String, _ seconds: Double, _ process: OwnerProcess) {
    load.setAlarm(in: store, after: seconds, process)
    load.go(on: process, 0) { $0 == .answer }
  }

  private func hasRung(_ store: String, _ process: OwnerProcess) -> Bool {
    !load.list(store, process).isEmpty
  }

  private func waitUntilRung(_ store: String, _ process: OwnerProcess) {
    while !hasRung(store, process) {
      // A test that was ended is cancelled, and must not go on for ever.
      if Task.isCancelled || !load.unexpected.isEmpty { return }
      usleep(2000)
    }
  }

  /// Nothing rings a second time, by whichever clock.
  private func judge() async throws {
    for clock in [-Self.hour, Self.hour, 0] {
      try owner(clock: clock, isKilled: clock != 0) { process in
        for store in load.stores { _ = load.list(store, process) }
      }
    }
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }

  @Test(arguments: [hour, -hour], [true, false])
  func aClockThatIsSetWhileAStoreIsActiveConcernsNoAlarmOfIt(
    seconds: Int, isKilled: Bool
  ) async throws {
    try owner(clock: 0, isKilled: isKilled) { process in
      setAlarm("soon", 0.3, process)
      setAlarm("later", 1800, process)
      try disk.setClock(seconds)
      setAlarm("now", 0.1, process)
      waitUntilRung("soon", process)
      waitUntilRung("now", process)
      #expect(!hasRung("later", process))
    }
    // The next process has only the wall clock.
    try owner(clock: 0) { #expect(!hasRung("later", $0)) }
    try owner(clock: Self.hour) { waitUntilRung("later", $0) }
    try await judge()
  }

  @Test(arguments: [true, false])
  func anAlarmRingsAtOnceIfTheClockWasSetForwardMeanwhile(isKilled: Bool) async throws {
    try owner(clock: 0, isKilled: isKilled) { setAlarm("later", 1800, $0) }
    try owner(clock: Self.hour, isKilled: isKilled) { #expect(hasRung("later", $0)) }
    try await judge()
  }

  @Test(arguments: [true, false])
  func anAlarmWaitsForItsTimeIfTheClockWasSetBackMeanwhile(isKilled: Bool) async throws {
    try owner(clock: 0, isKilled: isKilled) { setAlarm("later", 1800, $0) }
    try owner(clock: -Self.hour, isKilled: isKilled) { #expect(!hasRung("later", $0)) }
    try owner(clock: 0, isKilled: isKilled) { #expect(!hasRung("later", $0)) }
    try owner(clock: Self.hour) { #expect(hasRung("later", $0)) }
    try await judge()
  }
}
#endif

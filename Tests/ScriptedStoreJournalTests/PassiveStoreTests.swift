#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// Durable stores leave memory when nobody uses them, and come back when somebody does.
@Suite(.timeLimit(.minutes(2)))
struct PassiveStoreTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  @Test func aStoreThatNobodyUsesLeavesMemory() async throws {
    let host = try rooms.host { $0.idleTime = .milliseconds(50) }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    await until {
      let info = try? await host.infos().first
      return info?.recordsBehind == 0
    }
    #expect(try await room.open().state["count"] == 1)
    try await room.send("count")
    #expect(try await room.open().state["count"] == 2)
    await host.close()
  }

  /// An effect ends after the record of what it has sent last, so that no record says so.
  @Test func aStoreWhoseEffectHasEndedLeavesMemory() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage) { $0.idleTime = .zero }
    let room = host.durable("room", key: "r")
    try await room.send("start")
    let readings = storage.readings
    // A store that is in memory is not read.
    try await until {
      _ = try await room.open()
      return storage.readings > readings
    }
    #expect(try await room.open().state["done"] == 1)
    await host.close()
  }

  /// No place of the store handles `recovered`, so that no record says that the effect is lost.
  @Test func aStoreThatHasLostAnEffectLeavesMemory() async throws {
    let first = HeldJournal(rooms.journal)
    let lost = try rooms.host(first)
    try await lost.durable("room", key: "r").send("wait")
    first.close()
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage) { $0.idleTime = .zero }
    let room = host.durable("room", key: "r")
    _ = try await room.open()
    let readings = storage.readings
    // The host may read the store once more, because it had an effect in flight.
    try await until {
      _ = try await room.open()
      return storage.readings > readings + 2
    }
    await host.close()
    withExtendedLifetime(lost) {}
  }

  /// A snapshot says when its store is to wake.
  @Test func aStoreWhoseSnapshotIsOnItsWayWaitsForIt() async throws {
    try rooms.write(
      """
      return scripted.feature {
        state = { n = 0 },
        on = {
          set = function() return effect.alarm("a", 1000, "ring") end,
          ring = function(state) state.n = 1 end,
        },
      }
      """)
    let (failures, looks) = (Calls(), Calls())
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      guard drains.contains(where: \.records.isEmpty), failures.all.isEmpty else {
        return try storage.commit(drains)
      }
      failures.add("snapshot")
      // Some looks pass, at each of which the store could leave.
      while looks.all.count < 3 { usleep(500) }
      throw JournalError(.notWritten, "rooms.db: the disk is full")
    }
    let host = try rooms.host(storage) { $0.idleTime = .milliseconds(40) }
    try await host.durable("room", key: "r").send("set")
    await until { !failures.all.isEmpty }
    // A store without records leaves without a snapshot, at a look that has asked the other one too.
    let empty = host.durable("room", key: "empty")
    for _ in 1...3 {
      let readings = storage.readings
      try await until {
        _ = try await empty.open()
        // Only then it is idle for long enough.
        try await Task.sleep(for: .milliseconds(100))
        return storage.readings > readings + 1
      }
      looks.add("look")
    }
    try await until {
      try storage.waking(before: .greatestFiniteMagnitude).contains { $0.key == "r" }
    }
    await host.close()
  }

  @Test func aStoreThatIsHeldStaysActive() async throws {
    let host = try rooms.host { $0.idleTime = .milliseconds(20) }
    let room = host.durable("room", key: "r")
    let store = try await room.open()
    for count in 1...20 {
      store.send("count")
      try await Task.sleep(for: .milliseconds(10))
      try await room.send("count")
      #expect(store.state["count"] == .integer(Int64(2 * count)))
    }
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 40)
    await again.close()
  }

  @Test func aStoreThatIsRemovedBeginsAnew() async throws {
    let host = try rooms.host()
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    let held = try await room.open()
    try await room.remove()
    #expect(try await host.infos().map(\.name.key) == ["other"])
    held.send("count")
    await held.untilDurable()
    #expect(held.state["count"] == 1)
    #expect(try await room.open().state["count"] == 0)
    try await room.send("count")
    #expect(try await room.open().state["count"] == 1)
    try await other.send("count")
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    #expect(try await again.durable("room", key: "other").open().state["count"] == 2)
    await again.close()
  }

  /// Nothing is written any more, which is found out by the first action.
  @Test func aStoreThatIsHeldWhenItsHostIsClosedMakesNobodyWait() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let held = try await room.open()
    await host.close()
    for _ in 1...2 {
      held.send("count")
      await held.untilDurable()
    }
    #expect(held.state["count"] == 1)
  }

  /// There may be very many of them.
  @Test func aHostThatIsReleasedWhileItLooksForInterruptedStoresGivesTheJournalFree() async throws {
    let first = HeldJournal(rooms.journal)
    let ended = try rooms.host(first)
    for key in ["a", "b"] { try await ended.durable("room", key: key).send("count") }
    first.close()
    let storage = HeldJournal(rooms.journal)
    storage.holdsReadings = true
    var host: ScriptHost? = try rooms.host(storage)
    await until { storage.readings == 1 }
    host = nil
    storage.holdsReadings = false
    await until { (try? rooms.host()) != nil }
    #expect(storage.readings == 1)
    withExtendedLifetime((host, ended)) {}
  }

  @Test(arguments: [true, false])
  func whoUsesAStoreThatIsBeingRemovedGetsANewOne(isActive: Bool) async throws {
    do {
      let host = try rooms.host()
      for _ in 0..<5 { try await host.durable("room", key: "r").send("count") }
      await host.close()
    }
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    if isActive { try await room.send("count") }
    storage.holdsRemovals = true
    async let removed: Void = room.remove()
    await until { storage.removals == 1 }
    async let sent = room.send("count", nil, request: "late")
    async let opened = room.open()
    // Uses that do not wait would be done by then.
    for key in 0..<20 { try await host.durable("room", key: "r\(key)").send("count") }
    storage.holdsRemovals = false
    try await removed
    let receipt = try await sent
    #expect(try await opened.state["count"].int ?? 9 <= 1)
    #expect(try await room.send("count", nil, request: "late") == receipt)
    #expect(try await room.open().state["count"] == 1)
    #expect(try await host.infos().first { $0.name.key == "r" }?.records == 1)
    await host.close()
  }

  @Test func aStoreThatIsUsedWhileItIsLeavingStaysTheOnlyOne() async throws {
    let snapshots = Atomic<Int>(0)
    let isHeld = Atomic<Bool>(true)
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      if drains.allSatisfy(\.records.isEmpty) {
        snapshots.add(1, ordering: .relaxed)
        while isHeld.load(ordering: .acquiring) { usleep(500) }
      }
      return try storage.commit(drains)
    }
    let host = try rooms.host(storage) { $0.idleTime = .milliseconds(20) }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    // The snapshot of its passivation is out.
    await until { snapshots.load(ordering: .relaxed) > 0 }
    let held = try await room.open()
    async let sent = room.send("count")
    held.send("count")
    await until { held.reduced["count"] == 3 }
    isHeld.store(false, ordering: .releasing)
    _ = try await sent
    await held.untilDurable()
    #expect(held.state["count"] == 3)
    #expect(try await room.open().state["count"] == 3)
    #expect(try await host.infos().map(\.records) == [3])
    await host.close()
  }

  @Test func theLinesOfARecordingWaitForTheirRecords() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let lines = Calls()
    let observation = try await room.open().record().onLine { lines.add($0) }
    await until { !lines.all.isEmpty }
    let before = (lines.all.count, storage.commits)
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > before.1 }
    #expect(lines.all.count == before.0)
    storage.isHeld = false
    _ = try await sending.value
    await until { lines.all.count == before.0 + 1 }
    observation.cancel()
    await host.close()
  }
}
#endif

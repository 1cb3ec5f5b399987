#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Durable stores are migrated by new code, whether it comes with a new process or with a reload.
@Suite(.timeLimit(.minutes(2)))
struct DurableReloadTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  @Test func aStoreOfAnOlderVersionIsMigrated() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", version = 2,
        migrate = function(state, from)
          state.total, state.count = state.count + 100 * from, nil
        end,
        state = { items = {}, total = 0, done = 0, fresh = "new" },
        on = { count = function(state) state.total = state.total + 1 end },
      }
      """)
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    #expect(
      try await room.open().state == ["items": [], "total": 101, "done": 0, "fresh": "new"])
    try await room.send("count")
    await host.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["total"] == 102)
    await host.close()
  }

  /// The handlers of the store that has reduced last wait meanwhile.
  @Test func whatAMigrationPrintsIsDeliveredWithTheCallsOfItsStore() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write(
      """
      local Counter = scripted.feature {
        name = "Counter", state = {}, on = { up = function(state) state.count = state.count + 1 end },
      }:printActions("counter")
      return scripted.feature {
        name = "Room", version = 2, state = { items = {}, count = 0, done = 0 },
        migrate = function(state) Counter.run(state, { type = "up" }) end,
      }
      """)
    try rooms.write(
      "return scripted.feature { state = {}, on = { go = function(state) state.n = 1 end } }",
      as: "other")
    let (printed, waiting) = (Calls(), Calls())
    host = try rooms.host { $0.onPrint = { printed.add($0) } }
    let other = try host.store("other")
    let gate = DispatchSemaphore(value: 0)
    let observation = other.observe("n") { _ in
      waiting.add("n")
      gate.wait()
    }
    Thread.detachNewThread { _ = other.send("go") }
    await until { !waiting.all.isEmpty }
    #expect(try await host.durable("room", key: "r").open().state["count"] == 2)
    await until { !printed.all.isEmpty }
    #expect(printed.all == ["counter: received action:\n  up"])
    gate.signal()
    observation.cancel()
    await host.close()
  }

  @Test(arguments: [true, false])
  func aReloadThatMigratesIsRecorded(hasRecordAfter: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    for _ in 1...3 { try await room.send("count") }
    let store = try await room.open()
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", version = 2,
        migrate = function(state, from)
          state.total, state.count = (state.total or 0) + state.count + 100 * from, nil
          state.count = 0
        end,
        state = { items = {}, total = 0, count = 0, done = 0 },
        on = { count = function(state) state.total = state.total + 1 end },
      }
      """)
    try await host.reload()
    await until { store.state["total"] == 103 }
    if hasRecordAfter { try await room.send("count") }
    await until { (try? await host.infos().first?.recordsBehind ?? 9) ?? 9 <= 1 }
    storage.close()
    let again = try rooms.host()
    let total = try await again.durable("room", key: "r").open().state["total"]
    #expect(total == (hasRecordAfter ? 104 : 103))
    await again.close()
    withExtendedLifetime(host) {}
  }

  @Test func codeThatDoesNotLoadLosesNothing() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write("error('broken')")
    host = try rooms.host()
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "r").send("count")
    }
    #expect(error?.code == .unusable)
    #expect(error?.message.contains("broken") == true)
    await host.close()
    try rooms.write(Rooms.room)
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["count"] == 1)
    await host.close()
  }
}
#endif

#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A durable store that has ended, because its host was closed or because it was removed, and that a `Store` of the host still
/// refers to.
@Suite(.timeLimit(.minutes(2)))
struct DurableEndTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  // MARK: Closing

  /// As in a program whose functions are not asynchronous, and at the top level of `main.swift`.
  private func closeNow(_ host: ScriptHost) { host.close() }

  @Test func aHostThatIsClosedWithoutAwaitGivesItsJournalFree() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    store.send("count")
    closeNow(host)
    await #expect(throws: JournalError.self) { try await room.send("count") }
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 2)
    closeNow(again)
  }

  /// Tasks have a thread for each processor.
  @Test func asManyTasksAsThereAreMayWaitForTheEndOfTheHost() async throws {
    let host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...32 { group.addTask { closeNow(host) } }
    }
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    await again.close()
  }

  @Test func anObserverMayCloseTheHost() async throws {
    let (host, told) = (try rooms.host(), Calls())
    let store = try await host.durable("room", key: "r").open()
    let observation = store.observe { _ in
      host.close()
      told.add("closed")
    }
    store.send("count")
    await until { told.all == ["closed"] }
    observation.cancel()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    await again.close()
  }

  @Test(arguments: [false, true])
  func anActionThatIsSentToAStoreThatHasEndedIsDroppedAndTold(isClosed: Bool) async throws {
    let errors = Calls()
    let host = try rooms.host { $0.onError = { error, _ in errors.add(error.message) } }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    if isClosed { await host.close() } else { try await room.remove() }
    store.send("count")
    await store.untilObserved()
    let reason = isClosed ? "host was closed" : "store was removed"
    #expect(errors.all == ["the action \"count\" was dropped: room/r: the \(reason)"])
    #expect(store.reduced["count"] == 1)
    #expect(store.state["count"] == 1)
    await host.close()
  }

  @Test(arguments: [("rooom", "r"), ("room", "a b")])
  func theReaderOfStatesThatCannotBeIsToldToTheHost(feature: String, key: String) async throws {
    let errors = Calls()
    let host = try rooms.host { $0.onError = { error, _ in errors.add(error.message) } }
    for await _ in host.durable(feature, key: key).states { Issue.record("a state") }
    #expect(errors.all.count == 1)
    #expect(errors.all.first?.contains(feature == "room" ? "'a b'" : "rooom") == true)
    await host.close()
  }

  /// A task that reads one of them to its end must not wait for ever.
  @Test(arguments: [false, true])
  func theStreamsOfAStoreThatHasEndedEnd(isClosed: Bool) async throws {
    try rooms.write(
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Room", state = { count = 0 },
        on = { count = function(state) state.count = state.count + 1 end },
        view = function(state) return ui.text(state.count) end,
      }
      """)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (tree, begun) = (store.view(), Calls())
    let readers = [
      Task { for await _ in room.states { begun.add("states") } },
      Task { for await _ in store.values() { begun.add("values") } },
      Task { for await _ in store.values(at: "count", as: Int.self) { begun.add("typed") } },
      Task { for await _ in store.actions { begun.add("actions") } },
      Task { for await _ in tree.values { begun.add("tree") } },
    ]
    while Set(begun.all).count < readers.count && !Task.isCancelled {
      store.send("count")
      await store.untilObserved()
    }
    if isClosed { await host.close() } else { try await room.remove() }
    for reader in readers { await reader.value }
    // And so do those that begin later.
    for await value in store.values() { #expect(value == store.state) }
    for await _ in store.actions { Issue.record("an action of a store that has ended") }
    for await value in tree.values { #expect(value == tree.value) }
    await host.close()
  }

  // MARK: Effects and alarms, reloads and resets

  /// The sender of the action was told that it did nothing.
  @Test func aRemovedStoreShowsNothingThatWasNotWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let (store, seen) = (try await room.open(), Calls())
    let observation = store.observe("count") { seen.add("\($0)") }
    let commits = storage.commits
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > commits }
    let removing = Task { try await room.remove() }
    let error = await #expect(throws: JournalError.self) { try await sending.value }
    #expect(error?.code == .closed)
    await store.untilDurable()
    #expect(store.state["count"] == 1)
    #expect(seen.all == [])
    storage.letGo()
    try await removing.value
    observation.cancel()
    await host.close()
  }

  @Test func theEffectsAndAlarmsOfARemovedStoreAreGone() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { rang = 0 }, dependencies = { "clock" },
        on = {
          set = function() return effect.alarm("turn", 10, "ring") end,
          ring = function(state) state.rang = state.rang + 1 end,
          wait = function()
            return effect.run(function(send, deps)
              deps.clock.sleep(10)
              send("ring")
            end)
          end,
          later = function() return effect.send("ring"):debounce("later", 10) end,
        },
      }
      """)
    let clock = VirtualClock()
    let host = try rooms.host { $0.clock = clock }
    let room = host.durable("room", key: "r")
    for action in ["set", "wait", "later"] { try await room.send(action, nil) }
    let held = try await room.open()
    #expect(held.alarms.count == 1 && held.effects.count == 2)
    try await room.remove()
    await until { held.effects.isEmpty }
    #expect(held.alarms.isEmpty)
    // The next store has none of them either.
    let next = try await room.open()
    clock.advance(by: .seconds(100))
    await next.untilDurable()
    #expect(held.reduced["rang"] == 0 && next.state["rang"] == 0)
    #expect(next.alarms.isEmpty && next.effects.isEmpty)
    #expect(try await host.infos() == [])
    await host.close()
  }

  /// No action of the store will be recorded. So an effect that its `onChange` of a shared value returns must not begin, and `finish()`
  /// must not wait for its end.
  @Test(arguments: [false, true])
  func anEffectOfAStoreThatHasEndedIsNotInFlight(isClosed: Bool) async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { heard = 0 }, dependencies = { "outside" },
        shared = { topic = scripted.shared.inMemory("topic", "") },
        on = { count = function() end },
      }:onChange("topic", function(state)
        state.heard = state.heard + 1
        return effect.run(function(send, deps) deps.outside.call("started") end)
      end)
      """)
    let calls = Calls()
    let host = try rooms.host(nil, outside: calls)
    let room = host.durable("room", key: "r")
    let held = try await room.open()
    try host.shared("topic").update { $0 = "before" }
    await held.untilDurable()
    await held.finish()
    #expect(calls.all == ["started"])
    if isClosed { await host.close() } else { try await room.remove() }
    try host.shared("topic").update { $0 = "behind" }
    await held.untilDurable()
    #expect(held.reduced["heard"] == 2)
    #expect(held.effects.isEmpty)
    await held.finish()
    #expect(calls.all == ["started"])
    #expect(held.state["heard"] == 1)
    await host.close()
  }

  /// Neither is recorded, nor do they touch the store that has the name now.
  @Test func aRemovedStoreThatIsHeldStandsInTheWayOfNothing() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let held = try await room.open()
    try await room.remove()
    held.send("count")
    try host.reset()
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", version = 2, state = { total = 0 },
        migrate = function(state) state.total, state.count = state.count, nil end,
        on = { count = function(state) state.total = state.total + 1 end },
      }
      """)
    try await host.reload()
    held.send("count")
    await held.untilDurable()
    #expect(try await host.infos() == [])
    for _ in 1...2 { try await room.send("count") }
    try host.reset()
    try await room.send("count")
    #expect(try await room.open().state == ["total": 1])
    #expect(try await host.infos().map(\.records) == [4])
    await host.close()
    withExtendedLifetime(held) {}
  }

  /// The next process has what was written when the host was closed.
  @Test func aHostThatWasClosedChangesNoDurableStore() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let held = try await room.open()
    await host.close()
    try host.reset()
    await held.untilDurable()
    try rooms.write(Rooms.room.replacing("done = 0", with: "done = 0, more = 0"))
    try await host.reload()
    await held.untilDurable()
    #expect(held.state["count"] == 1)
    try rooms.write(Rooms.room)
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    #expect(try await again.infos().map(\.records) == [1])
    await again.close()
  }
}
#endif

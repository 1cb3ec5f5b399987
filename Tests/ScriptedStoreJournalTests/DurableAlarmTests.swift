#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Alarms of durable stores come back, and the places of effects that a crash ended hear of it.
@Suite(.timeLimit(.minutes(2)))
struct DurableAlarmTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  private static let turns = """
    return scripted.feature {
      name = "Turns",
      state = { rang = 0, typing = "nobody", lost = {} },
      transient = { "typing" },
      on = {
        set = function(state, action) return effect.alarm("turn", action.seconds, "ring") end,
        cancel = function() return effect.cancelAlarm("turn") end,
        ring = function(state) state.rang = state.rang + 1 end,
        type = function(state, action) state.typing = action.who end,
        wait = function()
          return effect.run(function(send, deps) deps.clock.sleep(1000) end):cancellable("waiting")
        end,
        short = function() return effect.run(function(send) send("type", { who = "short" }) end) end,
        recovered = function(state, action)
          for _, lost in ipairs(action.effects) do list.insert(state.lost, lost.id or "none") end
        end,
      },
    }
    """

  /// Ends a host as the end of its process does, without closing it.
  private func crash(_ storage: HeldJournal) { storage.close() }

  @Test(arguments: [true, false])
  func anAlarmRingsOnceAfterTheStoreHasComeBack(isClosed: Bool) async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("set", ["seconds": 0.5])
    if isClosed { await host.close() } else { crash(storage) }
    host = try rooms.host()
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["rang"] == 1 }
    await host.close()
    host = try rooms.host()
    let again = try await host.durable("room", key: "r").open()
    try await Task.sleep(for: .milliseconds(100))
    #expect(again.state["rang"] == 1)
    await host.close()
  }

  @Test func aStoreWithAnAlarmWakesByItself() async throws {
    try rooms.write(Self.turns)
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("set", ["seconds": 0.2])
    await host.close()
    host = try rooms.host { $0.idleTime = .milliseconds(40) }
    await until { (try? await host.infos().first?.records) == 2 }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["rang"] == 1 }
    await host.close()
  }

  @Test func anAlarmThatIsDueRingsBeforeAnybodySeesTheStore() async throws {
    try rooms.write(Self.turns)
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("set", ["seconds": 0.05])
    await host.close()
    try await Task.sleep(for: .milliseconds(100))
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["rang"] == 1)
    await host.close()
  }

  /// The store raises while it comes back, before the host can add an observer.
  @Test(arguments: [true, false])
  func whatAStoreThatComesBackRaisesIsToldToTheHost(handlesAlarm: Bool) async throws {
    func room(_ handlers: String) -> String {
      """
      return scripted.feature {
        name = "Room", state = { n = 0 }, dependencies = { "clock" },
        on = {
          set = function(state)
            state.n = 1
            return effect.alarm("turn", 1, "ring")
          end,
          wait = function(state)
            state.n = 2
            return effect.run(function(send, deps) deps.clock.sleep(1000) end)
          end,
          \(handlers)
        },
      }
      """
    }
    try rooms.write(room("ring = function() end,"))
    let storage = HeldJournal(rooms.journal)
    // Its alarms do not ring, and are due for a host with the clock of the machine.
    var host = try rooms.host(storage) { $0.clock = VirtualClock() }
    try await host.durable("room", key: "r").send("set")
    try await host.durable("room", key: "r").send("wait")
    crash(storage)
    try rooms.write(
      room(
        "recovered = function() error('no recovery') end,"
          + (handlesAlarm ? "ring = function() error('no ring') end," : "")))
    let (errors, warnings) = (Calls(), Calls())
    host = try rooms.host {
      $0.onError = { error, action in errors.add("\(action.path): \(error.message)") }
      $0.onWarning = { warnings.add("\($0.action ?? ""): \($0.kind)") }
    }
    let store = try await host.durable("room", key: "r").open()
    await until { errors.all.count + warnings.all.count >= 2 }
    #expect(
      errors.all == ["recovered: no recovery"] + (handlesAlarm ? ["ring: no ring"] : []))
    #expect(warnings.all == (handlesAlarm ? [] : ["ring: unknownAction"]))
    #expect(store.state == ["n": 2])
    await host.close()
  }

  /// Each of them has waited, so that they do not follow from one another.
  @Test func moreAlarmsThanThereMayBeActionsInARowAreDueAfterwards() async throws {
    try rooms.write(
      """
      return scripted.feature {
        state = { rang = 0 },
        on = {
          set = function()
            local alarms = {}
            for i = 1, 10 do alarms[i] = effect.alarm(i, 0.3, "ring") end
            return effect.merge(alarms)
          end,
          ring = function(state) state.rang = state.rang + 1 end,
        },
      }
      """)
    var host = try rooms.host { $0.limits = Limits(actions: 5) }
    try await host.durable("room", key: "r").send("set")
    await host.close()
    try await Task.sleep(for: .milliseconds(400))
    host = try rooms.host { $0.limits = Limits(actions: 5) }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["rang"] == 10 }
    #expect(store.state["rang"] == 10)
    await host.close()
  }

  @Test func anAlarmThatWasCancelledDoesNotComeBack() async throws {
    try rooms.write(Self.turns)
    let (storage, clock) = (HeldJournal(rooms.journal), VirtualClock())
    var host = try rooms.host(storage) { $0.clock = clock }
    try await host.durable("room", key: "r").send("set", ["seconds": 1])
    try await host.durable("room", key: "r").send("cancel")
    crash(storage)
    host = try rooms.host { $0.clock = clock }
    let store = try await host.durable("room", key: "r").open()
    #expect(store.alarms.isEmpty)
    clock.advance(by: .seconds(2))
    await store.untilDurable()
    #expect(store.state["rang"] == 0)
    await host.close()
  }

  @Test(arguments: [true, false])
  func aTransientFieldHasItsDefaultAfterwards(isClosed: Bool) async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("type", ["who": "Ada"])
    #expect(try await host.durable("room", key: "r").open().state["typing"] == "Ada")
    if isClosed { await host.close() } else { crash(storage) }
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    #expect(try await room.open().state["typing"] == "nobody")
    try await room.send("type", ["who": "Bob"])
    #expect(try await room.open().state["typing"] == "Bob")
    await host.close()
  }

  @Test func aPlaceWhoseEffectWasInFlightHearsOfIt() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("wait")
    crash(storage)
    host = try rooms.host()
    // Nobody uses the store: it comes back by itself.
    await until { (try? await host.infos().first?.records) == 2 }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["lost"] == ["waiting"] }
    await host.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["lost"] == ["waiting"])
    await host.close()
  }

  @Test func aFailedCommitLeavesAlarmsAsTheyWere() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("set", ["seconds": 0.5])
    storage.fail(1)
    await #expect(throws: JournalError.self) { try await room.send("cancel") }
    let store = try await room.open()
    await until { store.state["rang"] == 1 }
    await host.close()
  }

  @Test func aFailedCommitLosesNoAlarmOfTheJournal() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    let former = try rooms.host(storage)
    let room = former.durable("room", key: "r")
    try await room.send("set", ["seconds": 1000])
    try await room.send("type", ["who": "Ada"])
    storage.fail(1)
    await #expect(throws: JournalError.self) { try await room.send("ring") }
    // The record of this action comes after the one in which the transient field `typing` has its default.
    try await room.send("ring")
    crash(storage)
    let host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().alarms.count == 1)
    await host.close()
    withExtendedLifetime(former) {}
  }

  /// What it records by itself when it comes back fails too.
  @Test func aStoreThatComesBackToAFullDiskDoesNotTryWithoutEnd() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("type", ["who": "Ada"])
    let commits = storage.commits
    storage.fail(.max)
    await #expect(throws: JournalError.self) { try await room.send("ring") }
    try await Task.sleep(for: .milliseconds(300))
    #expect(storage.commits - commits < 20)
    storage.fail(0)
    await until { (try? await room.send("ring")) != nil }
    #expect(try await room.open().state["rang"] == 1)
    await host.close()
  }

  @Test func aChangeThatIsTooLargeIsRefused() async throws {
    try rooms.write(
      """
      return scripted.feature {
        state = { text = "" },
        on = { grow = function(state) state.text = ("x"):rep(2 * 1024 * 1024) end },
      }
      """)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    let error = await #expect(throws: ScriptError.self) { try await room.send("grow") }
    #expect(error?.message.contains("in parts") == true)
    #expect(try await room.open().state["text"] == "")
    await host.close()
  }

  @Test func aRecordThatIsRefusedUsesUpNoIDOfAStack() async throws {
    try rooms.write(
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature {
        name = "Room", state = { path = {} },
        on = {
          show = function(state, action)
            list.insert(state.path, { page = { text = ("x"):rep(action.size) } })
          end,
        },
      }:stack("path", scripted.cases { page = Page })
      """)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    let error = await #expect(throws: ScriptError.self) {
      try await room.send("show", ["size": 2_097_152])
    }
    #expect(error?.message.contains("in parts") == true)
    try await room.send("show", ["size": 1])
    #expect(try await room.open().state["path"] == [["id": 0, "page": ["text": "x"]]])
    await host.close()
  }

  @Test func aDurableStoreDoesNotGoBack() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let history = try await room.open().record(limit: 10)
    #expect(throws: HistoryError.self) { try history.step(by: -1) }
    try history.edit(["items": [], "count": 7, "done": 0])
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 7)
    await again.close()
  }
}
#endif

#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// What effects, alarms and the places of children do while a commit of their store is out, when it fails, and after a crash.
@Suite(.timeLimit(.minutes(2)))
struct DurableMeetsEffectsTests {
  private let rooms: Rooms
  private let clock = VirtualClock()
  private let calls = Calls()

  init() throws { rooms = try Rooms(Self.busy) }

  private static let busy = """
    return scripted.feature {
      name = "Room",
      state = { count = 0, ticks = 0, rang = 0, lost = {} },
      dependencies = { "clock", "outside" },
      on = {
        count = function(state) state.count = state.count + 1 end,
        tick = function(state) state.ticks = state.ticks + 1 end,
        search = function(state)
          state.count = state.count + 1
          return effect.run(function(send, deps)
            deps.outside.call("search")
            send("tick")
          end):debounce("search", 1)
        end,
        click = function(state)
          state.count = state.count + 1
          return effect.send("tick"):throttle("ticks", 10)
        end,
        wait = function()
          return effect.run(function(send, deps) deps.clock.sleep(1000) end):cancellable("waiting")
        end,
        stop = function() return effect.cancel("waiting") end,
        flood = function()
          return effect.run(function(send) while true do send("tick") end end)
        end,
        set = function() return effect.alarm("turn", 1000, "ring") end,
        ring = function(state) state.rang = state.rang + 1 end,
        recovered = function(state, action)
          for _, lost in ipairs(action.effects) do list.insert(state.lost, lost.id or "none") end
        end,
      },
    }
    """

  private func host(
    _ storage: HeldJournal, _ configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws -> ScriptHost {
    try rooms.host(storage, outside: calls) {
      $0.clock = clock
      configure(&$0)
    }
  }

  // MARK: Effects that wait

  /// The time of a `debounce` counts from the action, and its effect waits for the record.
  @Test(arguments: [false, true])
  func aDebouncedEffectStartsWhenItsActionIsWritten(fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    await storage.hold { store.send("search") }
    clock.advance(by: .seconds(1))
    #expect(calls.all == [])
    #expect(store.effects.count == 1)
    storage.letGo(fails: fails)
    await store.untilBack()
    await store.finish()
    clock.advance(by: .seconds(10))
    #expect(calls.all == (fails ? [] : ["search"]))
    #expect(store.state["ticks"] == (fails ? 0 : 1))
    #expect(store.state["count"] == (fails ? 1 : 2))
    await host.close()
  }

  /// Otherwise the next action would be held by the interval of one that never was.
  @Test(arguments: [false, true])
  func anIntervalOfThrottleIsUndoneWithItsAction(fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    await storage.hold { store.send("click") }
    storage.letGo(fails: fails)
    await store.untilBack()
    #expect(store.state["ticks"] == (fails ? 0 : 1))
    try await room.send("click")
    #expect(store.state["ticks"] == 1)
    clock.advance(by: .seconds(10))
    await store.untilDurable()
    #expect(store.state["ticks"] == (fails ? 1 : 2))
    await host.close()
  }

  /// The journal has the effect in flight, and not that it was cancelled.
  @Test func anEffectWhoseEndIsNotWrittenIsLost() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("wait")
    let store = try await room.open()
    await storage.hold { store.send("stop") }
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state["lost"] == ["waiting"])
    #expect(store.effects.isEmpty)
    storage.close()
    let again = try rooms.host()
    // It is lost once.
    #expect(try await again.durable("room", key: "r").open().state["lost"] == ["waiting"])
    await again.close()
    withExtendedLifetime(host) {}
  }

  /// The sender is told that it is not known, and the effect has never begun; but the record is there.
  @Test func anEffectOfAnActionWhoseOutcomeWasUnknownIsLost() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    storage.loseAnswer(questionsInVain: 1)
    let error = await #expect(throws: JournalError.self) { try await room.send("wait") }
    #expect(error?.code == .unknown)
    await until { store.state["lost"] == ["waiting"] }
    #expect(store.effects.isEmpty)
    #expect(store.state["count"] == 1)
    await host.close()
  }

  /// What an effect in Swift does outside may have to wait for its record.
  @Test func anEffectInSwiftCanWaitForItsRecord() async throws {
    let storage = HeldJournal(rooms.journal)
    let calls = Calls { if $0 == "started" { storage.isHeld = true } }
    let host = try host(storage) {
      $0.reducers["native"] = .reduce { state, action in
        switch action.path {
        case "start":
          state["isStarted"] = true
          return .run { send in
            calls.add("started")
            send("done")
            calls.add("sent")
            await send.untilDurable()
            calls.add(storage.isHeld ? "too early" : "written")
          }
        case "done": state["isDone"] = true
        default: break
        }
        return .none
      }
    }
    let room = host.durable("native", key: "r")
    let before = storage.commits
    try await room.send("start")
    let store = try await room.open()
    await until { storage.commits >= before + 2 && calls.all.contains("sent") }
    #expect(store.state == ["isStarted": true])
    #expect(store.effects.count == 1)
    storage.letGo()
    await store.finish()
    #expect(calls.all == ["started", "sent", "written"])
    #expect(store.state == ["isStarted": true, "isDone": true])
    await host.close()
    let again = try self.host(HeldJournal(rooms.journal)) {
      $0.reducers["native"] = .reduce { _, _ in .none }
    }
    let state = try await again.durable("native", key: "r").open().state
    #expect(state == ["isStarted": true, "isDone": true])
    await again.close()
  }

  // MARK: Limits

  /// The wait for a record is no wait that begins another burst.
  @Test func anEffectThatSendsWithoutEndIsStopped() async throws {
    let (storage, warnings) = (HeldJournal(rooms.journal), Calls())
    let host = try host(storage) {
      $0.limits = Limits(actions: 10)
      $0.onWarning = { warnings.add($0.message) }
    }
    let store = try await host.durable("room", key: "r").open()
    let task = store.send("flood")
    await until { store.effects.isEmpty || store.reduced["ticks"].int ?? 0 > 50 }
    task.cancel()
    await store.finish()
    #expect(store.state["ticks"] == 10)
    #expect(warnings.all.count == 1)
    #expect(warnings.all.first?.contains("10 actions in a row") == true, "\(warnings.all)")
    #expect(try await host.infos().map(\.records) == [11])
    await host.close()
  }

  @Test func anEffectThatNeverStartedLeavesItsRoom() async throws {
    let (storage, warnings) = (HeldJournal(rooms.journal), Calls())
    let host = try host(storage) {
      $0.durable["room"] = DurableFeature(limits: Limits(effects: 1))
      $0.onWarning = { warnings.add($0.message) }
    }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    for _ in 1...2 {
      await storage.hold { store.send("wait") }
      storage.letGo(fails: true)
      await store.untilBack()
      #expect(store.effects.isEmpty)
    }
    try await room.send("wait")
    #expect(store.effects.count == 1)
    #expect(warnings.all == [])
    try await room.send("wait")
    #expect(store.effects.count == 1)
    await until { warnings.all.first?.contains("1 effect of this store is in flight") == true }
    await host.close()
  }

  // MARK: Alarms

  @Test func anAlarmWhoseActionIsNotWrittenRingsAgain() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("set")
    let store = try await room.open()
    await storage.hold { clock.advance(by: .seconds(1000)) }
    #expect(store.alarms.isEmpty)
    #expect(store.reduced["rang"] == 1)
    #expect(store.state["rang"] == 0)
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.alarms.map(\.action.path) == ["ring"])
    #expect(store.state["rang"] == 0)
    clock.advance(by: .seconds(1000))
    await store.untilDurable()
    #expect(store.alarms.isEmpty)
    #expect(store.state["rang"] == 1)
    await host.close()
  }

  /// Its action has come, although it did nothing.
  @Test func anAlarmWhoseActionRaisesDoesNotComeBack() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 },
        on = {
          set = function() return effect.alarm("turn", 1000, "ring") end,
          ring = function() error("no luck", 0) end,
        },
      }
      """)
    let (storage, errors) = (HeldJournal(rooms.journal), Calls())
    let host = try host(storage) { $0.onError = { error, _ in errors.add(error.message) } }
    let room = host.durable("room", key: "r")
    try await room.send("set")
    let store = try await room.open()
    clock.advance(by: .seconds(1000))
    await store.untilDurable()
    await until { !errors.all.isEmpty }
    storage.close()
    let again = try rooms.host()
    let next = try await again.durable("room", key: "r").open()
    #expect(next.alarms.isEmpty)
    #expect(next.state == ["count": 0])
    await again.close()
    withExtendedLifetime((host, store)) {}
  }

  // MARK: Places of children

  /// The child is there until then, and hears that its effect is lost if it stays.
  @Test(arguments: [false, true])
  func aChildIsDismissedWhenThatIsWritten(fails: Bool) async throws {
    try rooms.write(
      """
      local Child = scripted.feature {
        name = "Child", state = { lost = 0 }, dependencies = { "clock" },
        on = {
          work = function()
            return effect.run(function(send, deps)
              deps.clock.sleep(1)
              deps.dismiss()
            end)
          end,
          recovered = function(state, action) state.lost = state.lost + #action.effects end,
        },
      }
      return scripted.feature {
        name = "Room", state = {}, on = { open = function(state) state.child = { lost = 0 } end },
      }:ifLet("child", Child)
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("open")
    try await room.send("child.work")
    let store = try await room.open()
    let child = store.scope(state: "child")
    await storage.hold { clock.advance(by: .seconds(1)) }
    #expect(store.reduced["child"] == .null)
    #expect(child.state == ["lost": 0])
    storage.letGo(fails: fails)
    await store.untilBack()
    #expect(child.state == (fails ? ["lost": 1] : .null))
    await until { store.effects.isEmpty }
    await host.close()
  }

  /// Elements that are gone by then hear nothing.
  @Test func elementsHearThatTheirEffectsWereLost() async throws {
    try rooms.write(
      """
      local Row = scripted.feature {
        name = "Row", state = { lost = 0 }, dependencies = { "clock" },
        on = {
          wait = function()
            return effect.run(function(send, deps) deps.clock.sleep(1000) end)
          end,
          recovered = function(state) state.lost = state.lost + 1 end,
        },
      }
      return scripted.feature {
        name = "Room",
        state = { rows = { { id = 1, lost = 0 }, { id = 2, lost = 0 }, { id = 3, lost = 0 } }, path = {} },
        on = { drop = function(state) list.remove(state.rows, 1) end },
      }:forEach("rows", Row):stack("path", scripted.cases { row = Row })
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    for path in ["rows[1].wait", "rows[3].wait"] { try await room.send(path, nil) }
    for _ in 1...2 { try await room.send("path.push", ["state": ["row": ["lost": 0]]]) }
    try await room.send("path[1].row.wait")
    try await room.send("drop")
    storage.close()
    let again = try rooms.host()
    let state = try await again.durable("room", key: "r").open().state
    #expect(state["rows"] == [["id": 2, "lost": 0], ["id": 3, "lost": 1]])
    #expect(
      state["path"] == [["id": 0, "row": ["lost": 0]], ["id": 1, "row": ["lost": 1]]])
    await again.close()
    withExtendedLifetime(host) {}
  }

  /// What was not written may have used ids up, and an id is of one element for ever.
  @Test func aStackGivesNoIDTwiceAfterAFailedCommit() async throws {
    try rooms.write(
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature { name = "Room", state = { path = {} }, on = {} }
        :stack("path", scripted.cases { page = Page })
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage)
    let room = host.durable("room", key: "r")
    let page: Value = ["state": ["page": [:]]]
    try await room.send("path.push", page)
    let store = try await room.open()
    try await storage.hold { try store.send("path.push", page) }
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state["path"] == [["id": 0, "page": [:]]])
    try await room.send("path.push", page)
    storage.close()
    let again = try rooms.host()
    let next = again.durable("room", key: "r")
    try await next.send("path.push", page)
    let ids = try await next.open().state["path"].array?.compactMap { $0["id"].int } ?? []
    #expect(ids.count == 3 && ids == ids.sorted() && Set(ids).count == 3, "\(ids)")
    await again.close()
    withExtendedLifetime(host) {}
  }

  // MARK: Dependencies

  /// It is a handler as any other.
  @Test func aHandlerThatHearsOfLostEffectsCannotWrite() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 }, dependencies = { "audit", "clock" },
        on = {
          count = function(state) state.count = state.count + 1 end,
          wait = function()
            return effect.run(function(send, deps) deps.clock.sleep(1000) end)
          end,
          recovered = function(state, action, deps)
            state.count = 100
            deps.audit.add("lost")
          end,
        },
      }
      """)
    let (errors, audit) = (Calls(), Calls())
    let configure = { (configuration: inout ScriptHost.Configuration) in
      configuration.onError = { error, _ in errors.add(error.message) }
      configuration.dependencies.register(
        "audit",
        live: .client([
          "add": .function("line") { (line: String) in audit.add(line) }.writing()
        ]))
    }
    let storage = HeldJournal(rooms.journal)
    let host = try host(storage, configure)
    try await host.durable("room", key: "r").send("wait")
    storage.close()
    let again = try self.host(HeldJournal(rooms.journal), configure)
    let room = again.durable("room", key: "r")
    try await room.send("count")
    #expect(try await room.open().state["count"] == 1)
    await until { !errors.all.isEmpty }
    #expect(errors.all.first?.contains("deps.audit.add writes outside of the store") == true)
    #expect(audit.all == [])
    await again.close()
    withExtendedLifetime(host) {}
  }
}
#endif

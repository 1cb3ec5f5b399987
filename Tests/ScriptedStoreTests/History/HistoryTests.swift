import Dispatch
import LuaBridge
import ScriptedStore
import Testing

/// A store's past: what is kept of it, and the way back.
struct HistoryTests {
  static let app = """
    return scripted.feature {
      name = "App",
      state = { n = 0, rows = { { id = 1, n = 0 }, { id = 2, n = 0 } } },
      dependencies = { "clock", "uuid" },
      on = {
        up = function(state, action) state.n = state.n + (action.by or 1) end,
        fail = function(state) state.n = 99 error("no luck") end,
        name = function(state, _, deps) state.name = deps.uuid() end,
        later = function()
          return effect.run(function(send, deps) deps.clock.sleep(1) send("up", { by = 10 }) end)
            :cancellable("later"):animation("slow")
        end,
        drop = function(state) table.remove(state.rows) end,
      },
    }:forEach("rows", scripted.feature {
      name = "Row",
      state = { id = 0, n = 0 },
      dependencies = { "clock" },
      on = {
        up = function(state) state.n = state.n + 1 end,
        wait = function()
          return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end)
        end,
      },
    })
    """

  let clock = VirtualClock()
  let scripts: Scripts
  let store: Store
  let history: StoreHistory

  init() throws {
    scripts = try Scripts(["app": Self.app], clock: clock)
    store = try scripts.store()
    history = store.record()
  }

  private func up(_ times: Int) throws { for _ in 0..<times { store.send("up") } }

  // MARK: Entries

  @Test func anEntrySaysWhatHappened() throws {
    try store.send("up", ["by": 2])
    store.send("fail")
    store.send("oops")
    #expect(history.count == 3 && history.numbers == 1..<4 && history.position == 3)
    let entries = history.entries(1...3)
    #expect(entries.map(\.number) == [1, 2, 3])
    #expect(entries.map(\.action.path) == ["up", "fail", "oops"])
    #expect(entries.map { $0.state["n"].int } == [2, 2, 2])
    #expect(entries.map { $0.error?.message } == [nil, "no luck", nil])
    #expect(entries[2].warnings.map(\.kind) == [.unknownAction])
    #expect(entries.allSatisfy { $0.source == .input && $0.generation == 0 && !$0.isSkipped })
    #expect(history[0] == nil && history[4] == nil)
    #expect(history.initialState["n"] == 0)
  }

  @Test func effectsAreNotedWhereTheyStartedAndEnded() throws {
    clock.advance(by: .seconds(5))
    store.send("later")
    store.send("up")
    clock.advance(by: .seconds(1))
    let entries = history.entries(1...3)
    try #require(entries.count == 3)
    let note = try #require(entries[0].started.first)
    #expect(note.feature == "App" && note.id == "later" && note.action == "later")
    #expect(note.origin.hasPrefix("app.lua:") && note.place.isEmpty)
    #expect(entries.map(\.started.count) == [1, 0, 0])
    #expect(entries.map(\.ended) == [[], [], [note]])
    #expect(entries[2].source == .effect && entries[2].feature == "App")
    #expect(entries[2].transaction == ["animation": "slow"])
    #expect(entries.map(\.time) == [.seconds(5), .seconds(5), .seconds(6)])
  }

  @Test func actionsThatAreAlikeStayWhatTheyAre() throws {
    let payloads: [Value] = [
      ["by": 1], ["by": 1.0], ["by": 1], ["by": 1, "x": 2], ["x": 2, "by": 1],
    ]
    for payload in payloads { try store.send("up", payload) }
    for id in [1, 2, 1] { try store.send("rows[\(id)].up") }
    #expect(
      history.entries(1...8).map { $0.action.value.json() } == [
        #"{"type":"up","by":1}"#, #"{"type":"up","by":1.0}"#, #"{"type":"up","by":1}"#,
        #"{"type":"up","by":1,"x":2}"#, #"{"type":"up","x":2,"by":1}"#,
        #"{"type":"rows","id":1,"action":{"type":"up"}}"#,
        #"{"type":"rows","id":2,"action":{"type":"up"}}"#,
        #"{"type":"rows","id":1,"action":{"type":"up"}}"#,
      ])
  }

  @Test func historyThatBeginsLaterBeginsWithTheStateOfThen() throws {
    let other = try scripts.store()
    other.send("up")
    let late = other.record()
    other.send("up")
    #expect(late.count == 1 && late.initialState["n"] == 1)
    #expect(late.numbers == 2..<3)
    #expect(late[2]?.state["n"] == 2)
  }

  @Test func askedForAgainItIsTheSame() throws {
    try up(3)
    #expect(store.record(limit: 1).count == 3)
    #expect(store.scope(element: 1, of: "rows").record().count == 3)
  }

  @Test func theOldestEntriesGo() throws {
    let store = try scripts.store()
    let history = store.record(limit: 10)
    for _ in 0..<1000 { store.send("up") }
    #expect(history.count == 10 && history.numbers == 991..<1001)
    #expect(history.initialState["n"] == 990 && history[991]?.state["n"] == 991)
    #expect(history[990] == nil)
    try history.go(to: 990)
    #expect(store.state["n"] == 990)
  }

  @Test func numbersOutsideOfTheHistoryHaveNoEntries() throws {
    try up(10)
    #expect(history.entries(100...200).isEmpty)
    #expect(history.entries(-5...0).isEmpty)
    #expect(history.entries(9...200).map(\.number) == [9, 10])
  }

  @Test func effectsAreKnownWithoutTheEntriesThatStartedThem() throws {
    let store = try scripts.store()
    let history = store.record(limit: 2)
    store.send("later")
    for _ in 0..<4 { store.send("up") }
    let early = try StoreHistory.import(jsonLines: history.export())
    #expect(early.effects.map(\.id) == ["later"])
    clock.advance(by: .seconds(1))
    for _ in 0..<4 { store.send("up") }
    let late = try StoreHistory.import(jsonLines: history.export())
    #expect(late.effects.isEmpty)
  }

  // MARK: Time travel

  @Test func aStoreGoesToAnEntryAndBack() throws {
    try up(5)
    let heard = Recorder<Value>()
    let observation = store.observe("n") { heard.record($0) }
    try history.go(to: 2)
    #expect(store.state["n"] == 2 && history.position == 2 && history.count == 5)
    try history.go(to: 0)
    #expect(store.state["n"] == 0)
    try history.step(by: 4)
    try history.step(by: 100)
    #expect(store.state["n"] == 5)
    try history.step(by: -1)
    try history.step(by: .min)
    #expect(store.state["n"] == 0)
    #expect(heard.all == [2, 0, 4, 5, 4, 0])
    observation.cancel()
  }

  @Test func anEntryThatIsNotThereIsRefused() throws {
    try up(2)
    let error = #expect(throws: HistoryError.self) { try history.go(to: 3) }
    #expect(error?.message == "there is no entry 3: the history has 1 to 2")
    #expect(throws: HistoryError.self) { try history.go(to: -1) }
    #expect(throws: HistoryError.self) { try history.skip(0) }
    let noReplay = #expect(throws: HistoryError.self) { try history.replay(from: 9) }
    #expect(noReplay?.message == "there is no entry 9: the history has 1 to 2")
    #expect(throws: HistoryError.self) { try history.replay(from: 3) }
    for number in [Int.min, .max] {
      #expect(throws: HistoryError.self) { try history.go(to: number) }
      #expect(throws: HistoryError.self) { try history.skip(number) }
      #expect(throws: HistoryError.self) { try history.replay(from: number) }
    }
    #expect(store.state["n"] == 2)
  }

  @Test func aNewActionTakesThePlaceOfWhatCameAfter() throws {
    try up(5)
    try history.go(to: 2)
    try store.send("up", ["by": 100])
    #expect(history.count == 3 && history.position == 3)
    #expect(history[3]?.state["n"] == 102)
    try history.go(to: 1)
    #expect(store.state["n"] == 1)
  }

  @Test(arguments: ["oops", "fail", "rows[7].up", "rows[1].oops"])
  func anActionThatIsRefusedReplacesNothing(_ refused: String) throws {
    try up(5)
    try history.go(to: 2)
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    defer { observation.cancel() }
    let before = lines.count
    try store.send(refused)
    #expect(history.position == 2 && history.numbers == 1..<6)
    #expect(lines.count == before)
    #expect(scripts.warnings.count + scripts.errors.count == 1)
    try history.go(to: 5)
    #expect(store.state["n"] == 5)
    // At the end, where it replaces nothing, it has an entry.
    try store.send(refused)
    #expect(history.position == 6 && history[6]?.action.path == refused)
  }

  @Test func theNumberOfAnActionThatIsLeftOutIsFree() throws {
    try up(3)
    try history.go(to: 1)
    store.send("fail")
    try store.send("up", ["by": 100])
    #expect(history.numbers == 1..<3 && history[2]?.state["n"] == 101)
    try up(1)
    #expect(history.numbers == 1..<4 && history.position == 3)
  }

  @Test func elementsAreFoundAfterGoingBack() throws {
    store.send("drop")
    store.send("rows[1].up")
    try history.go(to: 0)
    store.send("rows[2].up")
    #expect(store.state["rows"][1]["n"] == 1)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func effectsOfChildrenThatAreNotThereAnyMoreAreCancelled() throws {
    store.send("drop")
    try history.go(to: 0)
    store.send("up")
    store.send("rows[2].wait")
    store.send("rows[1].wait")
    #expect(store.effects.count == 2)
    // Entries 1 to 3 hold both rows.
    try history.go(to: 1)
    #expect(store.effects.count == 2)
    store.send("drop")
    try history.step(by: -1)
    #expect(store.effects.map(\.place) == ["rows[1]"])
  }

  @Test func aToolSetsTheState() throws {
    try up(1)
    var state = store.state
    state["n"] = 50
    try history.edit(state)
    try up(1)
    #expect(history[2]?.source == .edit && store.state["n"] == 51)
    #expect(try history.replay(from: 1).difference == nil)
    #expect(store.state["n"] == 51)
  }

  // MARK: Locks

  @Test func aLockedStoreDropsWhatIsSent() throws {
    store.send("later")
    history.isLocked = true
    store.send("up")
    clock.advance(by: .seconds(1))
    #expect(store.state["n"] == 0 && history.count == 1)
    #expect(scripts.warnings.map(\.kind) == [.locked, .locked])
    #expect(scripts.warnings.map(\.action) == ["up", "up"])
    history.isLocked = false
    store.send("up")
    #expect(store.state["n"] == 1)
  }

  // MARK: Replays

  @Test func aSkippedActionIsLeftOut() throws {
    try store.send("up", ["by": 1])
    try store.send("up", ["by": 10])
    try store.send("up", ["by": 100])
    try history.skip(2)
    #expect(store.state["n"] == 101)
    #expect(history.entries(1...3).map { $0.state["n"].int } == [1, 1, 101])
    #expect(history[2]?.isSkipped == true)
    try history.skip(2, false)
    #expect(store.state["n"] == 111)
    try history.go(to: 1)
    try history.skip(3)
    #expect(store.state["n"] == 1)
  }

  @Test func aReplayGivesWhatWasRead() throws {
    for _ in 0..<3 { store.send("name") }
    let names = history.entries(1...3).map { $0.state["name"].string }
    #expect(Set(names).count == 3)
    #expect(history[1]?.reads.map(\.source) == [.dependency("uuid")])
    let report = try history.replay(from: 1)
    #expect(report.count == 3 && report.difference == nil)
    #expect(history.entries(1...3).map { $0.state["name"].string } == names)
  }

  /// The reads of `app` in entry 1, whose replay is the same.
  private func reads(of app: String, _ actions: [String]) throws -> [DependencyRead.Source] {
    let scripts = try Scripts(["app": app])
    let store = try scripts.store()
    let history = store.record()
    for action in actions { try store.send(action) }
    let state = store.state
    #expect(try history.replay(from: 1).difference == nil)
    #expect(store.state == state && scripts.errors.isEmpty)
    return try #require(history[1]).reads.map(\.source)
  }

  @Test func whatAnOverrideOfAPullbackAsksIsNoReadOfItsOwn() throws {
    let reads = try reads(
      of: """
        scripted.dependency { name = "ids", live = { next = function() return "" end } }
        local Child = scripted.feature {
          name = "Child", state = {}, dependencies = { "ids", "uuid" },
          on = {
            go = function(state, _, deps)
              state.a = deps.ids.next()
              state.b = deps.uuid()
            end,
          },
        }
        return scripted.combine {
          Child:pullback {
            state = "child",
            dependencies = function(deps) return { ids = { next = function() return deps.uuid() end } } end,
          },
          scripted.feature { state = { child = {} }, on = {} },
        }
        """, ["child.go", "child.go"])
    #expect(reads == [.dependency("ids.next"), .dependency("uuid")])
  }

  @Test func aTableThatCanBeCalledIsRecordedAndKeepsItsFields() throws {
    let reads = try reads(
      of: """
        local roll = setmetatable({ n = 0, sides = 6 }, { __call = function(self) self.n = self.n + 1 return self.n end })
        scripted.dependency { name = "dice", live = { roll = roll } }
        return scripted.feature {
          name = "App", state = {}, dependencies = { "dice" },
          on = { roll = function(state, _, deps) state.n = deps.dice.roll() + deps.dice.roll.sides end },
        }
        """, ["roll", "roll"])
    #expect(reads == [.dependency("dice.roll")])
  }

  @Test func aReplayStartsNoEffectsAndTellsNobody() throws {
    store.send("later")
    store.send("fail")
    store.send("oops")
    clock.advance(by: .seconds(1))
    let (warnings, errors) = (scripts.warnings.count, scripts.errors.count)
    let report = try history.replay(from: 1)
    #expect(report.count == 4 && report.difference == nil)
    #expect(store.effects.isEmpty && store.state["n"] == 10)
    #expect(scripts.warnings.count == warnings && scripts.errors.count == errors)
    #expect(history[2]?.error?.message == "no luck")
    #expect(history[3]?.warnings.count == 1)
  }

  @Test func aReducerCannotGoBackInTime() throws {
    let box = Recorder<StoreHistory>()
    let errors = Recorder<any Error>()
    let reducer = Reducer.reduce { state, _ in
      state["n"] = 1
      do { try box.all.first?.go(to: 0) } catch { errors.record(error) }
      return .none
    }
    let store = try scripts.host.store(reducer, state: ["n": 0])
    box.record(store.record())
    store.send("go")
    #expect(errors.all.count == 1 && store.state["n"] == 1)
    #expect("\(errors.all.first.map { "\($0)" } ?? "")".contains("do that in an observer"))
    box.clear()
  }
}

/// A history that several threads use.
struct HistoryConcurrencyTests {
  @Test func threadsSendGoBackAndRead() async throws {
    let scripts = try Scripts(app: StoreTests.counter)
    let store = try scripts.store()
    let history = store.record(limit: 100)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { for _ in 0..<300 { _ = store.send("up") } }
      }
      group.addTask {
        await onOwnThread {
          for step in 0..<100 { try? history.step(by: step % 2 == 0 ? -3 : 2) }
        }
      }
      group.addTask {
        for _ in 0..<300 {
          for entry in history.entries(history.numbers.lowerBound...history.position + 1) {
            #expect(entry.number <= 900 && entry.state["n"].int == entry.number)
          }
        }
      }
    }
    // The thread that goes back may have been the last, so that actions took the place of others.
    for _ in 0..<100 { store.send("up") }
    #expect(history.count == 100 && scripts.errors.isEmpty)
    #expect(store.state["n"].int == history.position)
  }

  @Test func handlersThatRunWhileAHistoryBeginsMayRecordToo() throws {
    let store = try Scripts(app: StoreTests.counter).store()
    let recorded = Recorder<Int>()
    let observation = store.onAction { _ in recorded.record(store.record().count) }
    defer { observation.cancel() }
    let call = Dependency.function { () -> Bool in
      // A thread inside of a worker queues an action for another host. The next thread that enters that host's worker
      // reduces it, and calls the handlers.
      store.send("up")
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        _ = store.record()
        isDone.signal()
      }
      return isDone.wait(timeout: .now() + 60) == .success
    }
    let other = try Scripts(
      app: """
        scripted.dependency { name = "call", live = function() end }
        return scripted.feature {
          state = {}, dependencies = { "call" },
          on = { go = function(state, _, deps) state.isDone = deps.call() end },
        }
        """)
    let caller = try other.host.store("app", dependencies: ["call": call])
    caller.send("go")
    #expect(caller.state == ["isDone": true] && other.errors.isEmpty)
    #expect(recorded.count == 1 && store.state["n"] == 1)
  }

  @Test(arguments: [
    Limits(stateSize: 2 << 20, totalMemory: 10_000_000), Limits(totalMemory: 10_000_000),
  ]) func aHistoryKeepsNoMoreThanItsHostAllows(limits: Limits) throws {
    let scripts = try Scripts([
      "app": """
      return scripted.feature {
        state = { text = "", n = 0 },
        on = {
          write = function(state, action) state.text = ("x"):rep(1000000) .. action.n end,
          up = function(state) state.n = state.n + 1 end,
        },
      }
      """
    ]) {
      $0.limits = limits
    }
    let store = try scripts.store()
    let history = store.record()
    for n in 1...30 { try store.send("write", ["n": .integer(Int64(n))]) }
    #expect(history.position == 30)
    #expect(history.numbers == 22..<31)
    // Small steps count as nothing, and what is cut off makes room.
    try history.go(to: 25)
    for _ in 1...30 { store.send("up") }
    #expect(history.numbers == 22..<56)
    for n in 1...5 { try store.send("write", ["n": .integer(Int64(n))]) }
    #expect(history.numbers == 22..<61)
    #expect(store.state["text"].string?.hasSuffix("x5") == true)
    #expect(scripts.errors.isEmpty)
  }
}

#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// What a host does to all its stores, and what its stores share, while a durable one waits for a commit, comes back, is passive, or
/// is in a lazy journal.
@Suite(.timeLimit(.minutes(2)))
struct DurableMeetsHostTests {
  private let rooms: Rooms
  private let name = try? StoreName(feature: "room", key: "r")

  init() throws { rooms = try Rooms() }

  private static let initial: Value = ["items": [], "count": 0, "done": 0]

  // MARK: Resetting

  @Test(arguments: [false, true])
  func aResetIsSeenWhenItIsWritten(fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    await storage.hold { store.send("count") }
    try host.reset()
    #expect(store.reduced == Self.initial)
    #expect(store.state["count"] == 1)
    storage.letGo(fails: fails)
    await store.untilBack()
    #expect(store.state["count"] == (fails ? 1 : 0))
    await host.close()
    let again = try rooms.host()
    let state = try await again.durable("room", key: "r").open().state
    #expect(state["count"] == (fails ? 1 : 0))
    #expect(try await again.infos().map(\.records) == [fails ? 1 : 3])
    await again.close()
  }

  /// A reset removes alarms, and cancels effects. One that is not written has done neither in the eyes of the journal.
  @Test(arguments: [false, true])
  func aResetRemovesAlarmsIfItIsWritten(fails: Bool) async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0, lost = 0 }, dependencies = { "clock" },
        on = {
          set = function(state)
            state.count = state.count + 1
            return effect.alarm("turn", 1000, "ring")
          end,
          ring = function() end,
          wait = function()
            return effect.run(function(send, deps) deps.clock.sleep(1000) end)
          end,
          recovered = function(state, action) state.lost = state.lost + #action.effects end,
        },
      }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("set")
    try await room.send("wait")
    let store = try await room.open()
    try await storage.hold { try host.reset() }
    storage.letGo(fails: fails)
    await store.untilBack()
    await until { store.effects.isEmpty }
    #expect(store.alarms.count == (fails ? 1 : 0))
    #expect(store.state == ["count": fails ? 1 : 0, "lost": fails ? 1 : 0])
    await host.close()
    let again = try rooms.host()
    let next = try await again.durable("room", key: "r").open()
    #expect(next.alarms.count == (fails ? 1 : 0))
    #expect(next.state == store.state)
    await again.close()
  }

  @Test func aDeployIsJudgedByWhatWasResetAndEdited() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    try host.reset()
    try store.record().edit(["items": [], "count": 5, "done": 0])
    try await room.send("count")
    #expect(store.state["count"] == 6)
    await host.close()
    let judge = {
      let judging = try rooms.host { $0.journal = nil }
      return try judging.judge(try #require(name), of: SQLiteJournalReader(rooms.journal))
    }
    guard case .same(let actions, 0, false) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(actions == 4)
    try rooms.write(
      Rooms.room.replacing(
        "count = function(state) state.count = state.count + 1 end",
        with: "count = function(state) state.count = state.count < 5 and state.count + 1 or 0 end"))
    guard case .differs(let found) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(found.difference.number == 4)
  }

  // MARK: Reloading

  private static func spoken(_ word: String, _ options: String = "") -> String {
    """
    return scripted.feature {
      name = "Room", state = { count = 0, done = "" }, dependencies = { "outside" }, \(options)
      on = {
        start = function(state)
          state.count = state.count + 1
          return effect.run(function(send, deps)
            deps.outside.call("\(word)")
            send("done")
          end)
        end,
        done = function(state) state.done = "\(word)" end,
      },
    }
    """
  }

  /// The effect has not started when the code is exchanged: its record is not written.
  @Test(arguments: [false, true])
  func anEffectThatWaitsForItsRecordIsOneInFlightForAReload(isCancelled: Bool) async throws {
    try rooms.write(Self.spoken("old"))
    let (storage, calls) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage, outside: calls)
    let store = try await host.durable("room", key: "r").open()
    await storage.hold { store.send("start") }
    try rooms.write(Self.spoken("new", isCancelled ? "reload = 'cancel'," : ""))
    let report = try await host.reload()
    #expect(report.effects.map(\.outcome) == [isCancelled ? .cancelled : .finishesOnOldCode])
    storage.letGo()
    await store.untilDurable()
    await store.finish()
    #expect(calls.all == (isCancelled ? [] : ["old"]))
    #expect(store.state == ["count": 1, "done": isCancelled ? "" : "new"])
    await host.close()
  }

  @Test func newViewsShowNothingThatIsNotWritten() async throws {
    func viewed(_ word: String) -> String {
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Room", state = { count = 0 },
        on = { count = function(state) state.count = state.count + 1 end },
        view = function(state) return ui.text("\(word) " .. state.count) end,
      }
      """
    }
    try rooms.write(viewed("old"))
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let tree = store.view()
    #expect(tree.value["text"] == "old 1")
    await storage.hold { store.send("count") }
    try rooms.write(viewed("new"))
    try await host.reload()
    #expect(tree.value["text"].string?.hasSuffix(" 1") == true, "\(tree.value)")
    storage.letGo()
    await store.untilObserved()
    #expect(tree.value["text"] == "new 2")
    await host.close()
  }

  // MARK: Shared values

  /// They are no part of the store: what an action has made of them stays, and others see it at once.
  @Test(arguments: [
    (SharedValue.Kind.inMemory, ""), (.fileStorage, ""), (.database, ", { id = \"id\" }"),
  ])
  func aSharedValueStaysWhenACommitFails(kind: SharedValue.Kind, options: String) async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 },
        shared = { rows = scripted.shared.\(kind)("rows", {}\(options)) },
        on = {
          add = function(state)
            state.count = state.count + 1
            list.insert(state.rows, { id = #state.rows + 1 })
          end,
        },
      }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage) { ($0.shared, $0.database) = (.memory, .memory) }
    let room = host.durable("room", key: "r")
    try await room.send("add")
    let (store, other) = (try await room.open(), try await host.makeStore("room"))
    await storage.hold { store.send("add") }
    let rows: Value = [["id": 1], ["id": 2]]
    #expect(other.state["rows"] == rows)
    #expect(host.shared("rows", kind: kind).value == rows)
    #expect(store.state == ["count": 1, "rows": [["id": 1]]])
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state == ["count": 1, "rows": rows])
    try await room.send("add")
    #expect(other.state["rows"].array?.count == 3)
    await host.close()
  }

  @Test(arguments: [false, true])
  func whatOthersShareIsSeenWhenItsRecordIsWritten(fails: Bool) async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 }, shared = { n = scripted.shared.inMemory("n", 0) },
        on = { count = function(state) state.count = state.count + 1 end },
      }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let (store, seen) = (try await room.open(), Calls())
    let observation = store.observe("n") { seen.add("\($0)") }
    await storage.hold { store.send("count") }
    try host.shared("n").update { $0 = 5 }
    #expect(store.reduced == ["count": 2, "n": 5])
    #expect(store.state == ["count": 1, "n": 0])
    #expect(seen.all == [])
    storage.letGo(fails: fails)
    await store.untilBack()
    await store.untilObserved()
    #expect(store.state == ["count": fails ? 1 : 2, "n": 5])
    #expect(seen.all == ["5"])
    #expect(try await host.infos().map(\.records) == [fails ? 2 : 3])
    observation.cancel()
    await host.close()
  }

  @Test func aStoreThatIsPassiveMissesNoChangeOfAFile() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = {}, shared = { n = scripted.shared.fileStorage("n.json", 0) },
        on = { add = function(state) state.n = state.n + 1 end },
      }
      """)
    let files = MemoryStorage()
    var host = try rooms.host { $0.shared = files }
    try await host.durable("room", key: "r").send("add")
    await host.close()
    host = try rooms.host { ($0.shared, $0.journal) = (files, nil) }
    let other = try await host.makeStore("room")
    try host.shared("n.json", kind: .fileStorage).update { $0 = 7 }
    #expect(other.state["n"] == 7)
    await host.close()
    host = try rooms.host { $0.shared = files }
    let room = host.durable("room", key: "r")
    #expect(try await room.open().state["n"] == 7)
    // The record of the action that follows is about the value of now.
    #expect(try await host.infos().map(\.records) == [2])
    try await room.send("add")
    #expect(try await room.open().state["n"] == 8)
    await host.close()
  }

  /// The state of then says which key it is.
  @Test func aStoreThatComesBackHasTheKeysOfItsState() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { id = "a" },
        shared = {
          text = function(state) return scripted.shared.inMemory("text " .. state.id, "") end,
        },
        on = {
          choose = function(state, action) state.id = action.id end,
          write = function(state, action) state.text = action.text end,
        },
      }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("write", ["text": "one"])
    let (store, other) = (try await room.open(), try await host.makeStore("room"))
    try await storage.hold { try store.send("choose", ["id": "b"]) }
    #expect(store.reduced == ["id": "b", "text": ""])
    #expect(store.state == ["id": "a", "text": "one"])
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state == ["id": "a", "text": "one"])
    try await room.send("write", ["text": "two"])
    #expect(store.state == ["id": "a", "text": "two"])
    #expect(other.state == ["id": "a", "text": "two"])
    await host.close()
  }

  /// The process before has chosen the key.
  @Test func aStoreOfTheProcessBeforeShowsTheFileThatItsStateChooses() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { id = "a" },
        shared = {
          text = function(state)
            return scripted.shared.fileStorage(state.id .. ".json", "")
          end,
        },
        on = {
          choose = function(state, action) state.id = action.id end,
          write = function(state, action) state.text = action.text end,
        },
      }
      """)
    let files = MemoryStorage()
    var host = try rooms.host { $0.shared = files }
    var room = host.durable("room", key: "r")
    try await room.send("write", ["text": "one"])
    try await room.send("choose", ["id": "b"])
    try await room.send("write", ["text": "two"])
    let records = try await host.infos().map(\.records)
    await host.close()
    host = try rooms.host { $0.shared = files }
    room = host.durable("room", key: "r")
    #expect(try await room.open().state == ["id": "b", "text": "two"])
    // Nothing has changed meanwhile.
    #expect(try await host.infos().map(\.records) == records)
    try await room.send("choose", ["id": "a"])
    #expect(try await room.open().state == ["id": "a", "text": "one"])
    await host.close()
  }

  // MARK: Requests

  /// The sender may have lost its connection, and asks again before the first answer is there.
  @Test(arguments: [false, true])
  func aRequestThatComesAgainBeforeItsRecordIsWrittenWaitsForThat(fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let commits = storage.commits
    storage.isHeld = true
    let first = Task { try await room.send("count", request: "one") }
    await until { storage.commits > commits }
    let again = Task { try await room.send("count", request: "one") }
    storage.letGo(fails: fails)
    let (one, other) = (await first.result, await again.result)
    await store.untilBack()
    if fails {
      // The request that came again may have come when the store was back, and is done then.
      #expect(throws: JournalError.self) { try one.get() }
      _ = try? other.get()
    } else {
      #expect(try one.get() == other.get())
    }
    let receipt = try await room.send("count", request: "one")
    #expect(try await room.send("count", request: "one") == receipt)
    #expect(store.state["count"] == 2)
    await host.close()
  }

  // MARK: Passive stores

  /// An observer keeps the store active, also when the host has released its `Store`.
  @Test(arguments: [false, true])
  func aStoreWithAnObserverStaysInMemory(hearsActions: Bool) async throws {
    let host = try rooms.host { $0.idleTime = .milliseconds(40) }
    let room = host.durable("room", key: "r")
    let observation = try await {
      let store = try await room.open()
      return hearsActions ? store.onAction { _ in } : store.observe { _ in }
    }()
    try await room.send("count")
    // At each look that makes the other one passive, this one has been idle for longer.
    let other = host.durable("room", key: "other")
    for _ in 1...3 {
      try await other.send("count")
      try await until { try await behind(host, "other") == 0 }
    }
    #expect(try await behind(host, "r") == 1)
    observation.cancel()
    try await until { try await behind(host, "r") == 0 }
    await host.close()
  }

  private func behind(_ host: ScriptHost, _ key: String) async throws -> Int? {
    try await host.infos().first { $0.name.key == key }?.recordsBehind
  }

  // MARK: Lazy journals

  /// Everything was seen already, and is taken back.
  @Test func aLazyStoreTakesBackWhatIsNotWritten() async throws {
    let (storage, calls, seen) = (HeldJournal(rooms.journal), Calls(), Calls())
    let host = try rooms.host(storage, outside: calls) { $0.journal = $0.journal?.lazy(0) }
    let store = try await host.durable("room", key: "r").open()
    let observation = store.observe("count") { seen.add("\($0)") }
    await storage.hold { store.send("start") }
    await store.finish()
    #expect(store.state == ["items": [], "count": 1, "done": 1])
    #expect(calls.all == ["started", "done"])
    store.send("wait")
    #expect(store.effects.count == 1)
    storage.letGo(fails: true)
    await until { store.state == Self.initial }
    await until { store.effects.isEmpty }
    store.send("count")
    await store.untilObserved()
    #expect(seen.all == ["1", "0", "1"])
    observation.cancel()
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    await again.close()
  }

  /// When the store becomes passive, no receipt of the request may be known yet.
  @Test func aRequestOfALazyJournalIsKnownInTheNextProcess() async throws {
    var host = try rooms.host { $0.journal = $0.journal?.lazy(3600) }
    for request in ["one", "two"] {
      try await host.durable("room", key: "r").send("count", request: request)
    }
    await host.close()
    for _ in 1...2 {
      host = try rooms.host { $0.journal = $0.journal?.lazy(3600) }
      let room = host.durable("room", key: "r")
      for request in ["one", "two"] { try await room.send("count", request: request) }
      #expect(try await room.open().state["count"] == 2)
      await host.close()
    }
  }
}
#endif

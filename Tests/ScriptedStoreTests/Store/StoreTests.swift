import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// A store by itself: actions in, state out.
struct StoreTests {
  static let counter = """
    return scripted.feature {
      name = "Counter",
      state = { n = 0 },
      on = {
        up = function(state, action) state.n = state.n + (action.by or 1) end,
        ask = function() return effect.send("up") end,
        fail = function(state) state.n = 99; error("no") end,
        raise = function() error { code = 7 } end,
      },
    }
    """

  @Test func overridesOfAnEmptyInitialStateKeepTheirKindsAndOrder() throws {
    let scripts = try Scripts(app: "return scripted.feature { on = {} }")
    let state = try Value(json: #"{"n":{"z":1,"a":{}},"o":{}}"#)
    #expect(try scripts.store(state: state).state.json() == state.json())
  }

  @Test func anActionIsATableAPathOrAnEncodable() throws {
    struct Up: Encodable {
      let type = "up"
      let by: Int
    }
    let store = try Scripts(app: Self.counter).store()
    store.send("up")
    try store.send("up", ["by": 10])
    store.send(["type": "up", "by": 100])
    try store.send(encoding: Up(by: 1000))
    store.send(try Action(path: "up", payload: ["by": 10000]))
    #expect(store.state == ["n": 11111])
  }

  @Test func aMalformedActionIsRefusedAndTheStateUntouched() throws {
    let store = try Scripts(app: Self.counter).store()
    #expect(throws: ActionError.self) { try store.send("up.." as String) }
    #expect(throws: ActionError.self) { try store.send(["by": 1] as Value) }
    #expect(throws: ActionError.self) { try store.send("up", ["type": "x"]) }
    #expect(throws: ActionError.self) { try store.send(encoding: [1]) }
    #expect(store.state == ["n": 0])
  }

  @Test func aSnapshotDoesNotChange() throws {
    let store = try Scripts(app: Self.counter).store()
    let snapshots = (0..<50).map { _ in
      store.send("up")
      return store.state
    }
    #expect(snapshots.map { $0["n"].int } == Array(1...50))
  }

  @Test func anErrorSaysWhereAndInWhat() throws {
    let scripts = try Scripts(app: Self.counter)
    let store = try scripts.store()
    store.send("up")
    try store.send("fail", ["why": "test"])
    store.send("raise")
    #expect(store.state == ["n": 1])
    let errors = scripts.errors
    try #require(errors.count == 2)
    #expect(errors[0].message == "no")
    #expect(errors[0].description == "app.lua:7: no")
    #expect(errors[0].script == "app.lua" && errors[0].line == 7)
    #expect(errors[0].feature == "Counter")
    #expect(errors[0].kind == .runtime)
    #expect(errors[0].traceback?.contains("app.lua:7") == true)
    #expect(errors[1].value == ["code": 7])
    #expect(errors[1].message == "error value: { code = 7 }")
    #expect(scripts.failedActions.map(\.description) == ["fail { why = \"test\" }", "raise"])
  }

  @Test func whatIsNoStateIsRefusedWithItsPlace() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { todos = { { id = 1 } }, a = {} }, on = {
          fn = function(state) state.todos[1].onTap = function() end end,
          nested = function(state) state.todos[1] = { id = 1, a = { b = print } } end,
          nan = function(state) state.x = 0/0 end,
          inf = function(state) state.x = { 1, math.huge } end,
          deep = function(state) local t = {}; for _ = 1, 128 do t = { t } end; state.x = t end,
          hole = function(state) state.todos[3] = { id = 3 } end,
          mixed = function(state) state.x = { 1, a = 2 } end,
          cycle = function(state) local t = {}; t.t = t; state.x = t end,
          meta = function(state) state.x = setmetatable({}, {}) end,
          text = function(state) state.a.text = "x\\xff" end,
          inText = function(state) state.a = { { text = "\\xff" } } end,
          key = function(state) state.a["\\xff"] = 1 end,
          send = function() return effect.send("fn", { x = "\\xff" }) end,
        } }
        """)
    let store = try scripts.store()
    let before = store.state
    let expected = [
      "fn": "state.todos[1].onTap: a function cannot be stored in state",
      "nested": "state.todos[1].a.b: a function", "nan": "state.x", "inf": "state.x[2]",
      "deep": "128", "hole": "state.todos", "mixed": "state.x", "cycle": "state.x",
      "meta": "state.x", "text": "state.a.text", "inText": "state.a[1].text", "key": "UTF-8",
      "send": "x",
    ]
    for (path, message) in expected.sorted(by: { $0.key < $1.key }) {
      try store.send(path)
      let error = scripts.errors.last
      #expect(error?.message.contains(message) == true, "\(path): \(String(describing: error))")
    }
    #expect(scripts.errors.count == expected.count)
    #expect(store.state == before)
  }

  @Test func aDraftThatOutlivesItsHandlerRaises() throws {
    let scripts = try Scripts(
      app: """
        local kept
        return scripted.feature { name = "Counter", state = { n = 0 }, on = {
          keep = function(state) kept = state end,
          use = function() return kept.n end,
        } }
        """)
    let store = try scripts.store()
    store.send("keep")
    store.send("use")
    #expect(
      scripts.errors.first?.message
        == "the draft of Counter state is used after its handler returned; copy what you need first, "
        + "or use scripted.snapshot")
  }

  // MARK: Records

  @Test func aRecordHoldsWhatAnActionDid() throws {
    let scripts = try Scripts(app: Self.counter)
    let store = try scripts.store()
    let records = Recorder<ActionRecord>()
    store.send("up")
    let observation = store.onAction { records.record($0) }
    store.send("ask")
    store.send("fail")
    store.send("nope")
    observation.cancel()
    store.send("up")
    let all = records.all
    try #require(all.count == 4)
    #expect(all.map(\.number) == [2, 3, 4, 5])
    #expect(all.map(\.source) == [.input, .effect, .input, .input])
    #expect(all.map(\.source.description) == ["input", "effect", "input", "input"])
    #expect(all.map(\.action.path) == ["ask", "up", "fail", "nope"])
    #expect(all.map { $0.before["n"].int } == [1, 1, 2, 2])
    #expect(all.map { $0.after["n"].int } == [1, 2, 2, 2])
    #expect(all.map { $0.error?.message } == [nil, nil, "no", nil])
    #expect(all.map { $0.warnings.count } == [0, 0, 0, 1])
    #expect(all[3].warnings == scripts.warnings)
  }

  @Test func handlersHearInOrder() throws {
    let scripts = try Scripts(app: Self.counter)
    let store = try scripts.store()
    let heard = Recorder<String>()
    let observations = [
      store.onAction { heard.record("a\($0.number)") },
      store.onAction { heard.record("b\($0.number)") },
      store.observe("n") { heard.record("n=\($0)") },
    ]
    store.send("ask")
    store.send("up")
    for observation in observations { observation.cancel() }
    #expect(heard.all == ["a1", "b1", "a2", "b2", "n=1", "a3", "b3", "n=2"])
  }

  // MARK: Lifetime

  @Test func storesThatGoLeaveTheirPlaceToNewOnes() throws {
    let scripts = try Scripts(app: Self.counter)
    let observed = Recorder<Int>()
    for round in 0..<200 {
      let store = try scripts.store(state: ["n": .integer(Int64(round))])
      let observation = store.observe("n") { observed.record($0.int ?? -1) }
      #expect(store.state["n"].int == round)
      store.send("up")
      #expect(store.state["n"].int == round + 1)
      _ = observation
    }
    #expect(observed.all == Array(1...200))
  }

  @Test func anObservationThatOutlivesItsStoreDoesNotReachTheNext() throws {
    let scripts = try Scripts(app: Self.counter)
    let heard = Recorder<Value>()
    var store: Store? = try scripts.store()
    let old = [
      try #require(store?.observe { heard.record($0) }),
      try #require(store?.onAction { heard.record($0.after) }),
    ]
    store = nil
    let next = try scripts.store()
    let own = next.observe { heard.record($0) }
    for observation in old { observation.cancel() }
    next.send("up")
    own.cancel()
    #expect(heard.all == [["n": 1]])
  }

  @Test func whatAStoreSentBeforeItWentDoesNotReachTheNext() throws {
    let scripts = try Scripts(app: Self.counter)
    let first = try scripts.store()
    let states = Recorder<Value>()
    // In a handler everything is queued behind what runs.
    let observation = first.onAction { _ in
      for _ in 0..<20 {
        let short = try? scripts.store()
        for _ in 0..<5 { _ = short?.send("up") }
        let next = try? scripts.store()
        states.record(next?.state ?? .null)
      }
    }
    first.send("up")
    observation.cancel()
    #expect(states.all == Array(repeating: ["n": 0], count: 20))
  }

  @Test func aStoreMayGoInsideItsOwnHandler() throws {
    let scripts = try Scripts(app: Self.counter)
    final class Owner: Sendable {
      let store = Mutex<Store?>(nil)
    }
    let owner = Owner()
    let store = try scripts.store()
    owner.store.withLock { $0 = store }
    let heard = Recorder<Int>()
    let observation = store.observe { _ in
      heard.record(1)
      owner.store.withLock { $0 = nil }
    }
    let sender = Mutex<Store?>(store)
    let last = sender.withLock { store in
      defer { store = nil }
      return store
    }
    last?.send("up")
    observation.cancel()
    #expect(heard.count == 1)
    #expect(try scripts.store().state == ["n": 0])
  }

  @Test func manyStoresOnOneVM() throws {
    let scripts = try Scripts(app: Self.counter)
    let stores = try (0..<1000).map { try scripts.store(state: ["n": .integer(Int64($0))]) }
    for store in stores { store.send("ask") }
    #expect(stores.map { $0.state["n"].int } == Array(1...1000))
  }

  @Test func aHostThatGoesLeavesItsStoresRunning() throws {
    var scripts: Scripts? = try Scripts(app: Self.counter)
    let store = try #require(try scripts?.store())
    scripts = nil
    store.send("up")
    #expect(store.state == ["n": 1])
  }

  // MARK: Memory

  @Test func anActionThatNeedsTooMuchMemoryStopsAndTheStoreGoesOn() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { name = "Hungry", state = { n = 0 }, on = {
          eat = function(state) state.n = 1; local t = {}; for i = 1, 1e8 do t[i] = { i } end end,
          text = function(state) state.n = 4; local s = "x"; while true do s = s .. s end end,
          up = function(state) state.n = state.n + 1 end,
        } }
        """
      ], memoryLimit: 4 << 20)
    let store = try scripts.store()
    let other = try scripts.store()
    for _ in 0..<3 {
      store.send("eat")
      store.send("text")
      store.send("up")
      other.send("up")
    }
    #expect(store.state == ["n": 3] && other.state == ["n": 3])
    #expect(scripts.errors.count == 6)
    #expect(
      scripts.errors.allSatisfy { $0.kind == .memory && $0.feature == "Hungry" },
      "\(scripts.errors)")
  }

  @Test func aLimitTooSmallForAVMThrows() throws {
    for limit in [1, 10_000, 50_000] {
      #expect(throws: ScriptError.self) { _ = try Scripts([:], memoryLimit: limit) }
    }
  }
}

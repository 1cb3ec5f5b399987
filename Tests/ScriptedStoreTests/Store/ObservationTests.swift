import LuaBridge
import ScriptedStore
import Testing

/// Who watches a place hears of it once after a drain, if it changed.
struct ObservationTests {
  @Test func observersHearInTheOrderInWhichTheyBegan() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = {}, on = { all = function(state)
          for i = 1, 20 do state["k" .. i] = (state["k" .. i] or 0) + 1 end
        end } }
        """)
    let store = try scripts.store()
    let heard = Recorder<Int>()
    let observations = (1...20).map { index in
      store.observe(index % 5 == 0 ? .root : ValuePath([.key("k\(21 - index)")])) { _ in
        heard.record(index)
      }
    }
    store.send("all")
    #expect(heard.all == Array(1...20))
    for observation in observations { observation.cancel() }
  }

  private static let app = """
    return scripted.feature {
      state = {
        n = 0, text = "a", user = { name = "Blob", tags = { "x" } },
        rows = { { id = 1, n = 0 }, { id = 2, n = 0 }, { id = 3, n = 0 } },
        byKey = { a = { n = 0 }, ["7"] = { n = 0 } },
      },
      on = {
        set = function(state, action)
          for key, value in pairs(action) do
            if key == "rows" or key == "user" or key == "byKey" or key == "n" or key == "text" or key == "new" then
              state[key] = value
            end
          end
        end,
        many = function(state) state.n = 1; return effect.merge(effect.send("more"), effect.send("more")) end,
        more = function(state) state.n = state.n + 1 end,
        there = function(state) state.n = 5; return effect.send("back") end,
        back = function(state) state.n = 0 end,
        drop = function(state, action) state[action.value] = nil end,
        row = function(state, action) list.find(state.rows, action.value).n = 1 end,
        rename = function(state, action) state.user.name = action.value end,
        insert = function(state, action) table.insert(state.rows, 1, { id = action.value, n = 0 }) end,
        remove = function(state, action) list.remove(state.rows, action.value) end,
        move = function(state) list.move(state.rows, { 1 }, #state.rows + 1) end,
        touch = function(state) state.user = scripted.snapshot(state.user) end,
        fail = function(state) state.n = 77; error("no") end,
        key = function(state, action) state.byKey[action.value].n = 1 end,
      },
    }
    """

  /// What an observer at `path` hears while `body` runs.
  private func heard(_ path: ValuePath, _ body: (Store) throws -> Void) throws -> [Value] {
    let store = try Scripts(app: Self.app).store()
    let values = Recorder<Value>()
    let observation = store.observe(path) { values.record($0) }
    try body(store)
    observation.cancel()
    return values.all
  }

  @Test func theRootChangesWithAnything() throws {
    let values = try heard(.root) { store in
      store.send("more")
      try store.send("rename", "B")
    }
    #expect(values.map { $0["n"] } == [1, 1])
    #expect(values.last?["user"]["name"] == "B")
  }

  @Test func onlyThePlaceThatChangedIsTold() throws {
    #expect(try heard("n") { try $0.send("rename", "B") } == [])
    #expect(try heard("user.name") { try $0.send("rename", "B") } == ["B"])
    #expect(try heard("user.tags") { try $0.send("rename", "B") } == [])
    #expect(try heard("user.tags[0]") { try $0.send("rename", "B") } == [])
    #expect(try heard("user.nothing") { try $0.send("rename", "B") } == [])
    #expect(try heard("rows[1].n") { try $0.send("row", 2) } == [1])
    #expect(try heard("rows[0]") { try $0.send("row", 2) } == [])
    #expect(try heard("rows[1]") { try $0.send("row", 2) } == [["id": 2, "n": 1]])
    #expect(try heard("rows").isEmpty)
  }

  private func heard(_ path: ValuePath) throws -> [Value] { try heard(path) { _ in } }

  @Test func oncePerDrain() throws {
    #expect(try heard("n") { $0.send("many") } == [3])
    #expect(try heard("n") { $0.send("there") } == [])
  }

  @Test func anEqualValueIsNoChange() throws {
    #expect(try heard("user") { $0.send("touch") } == [])
    #expect(try heard("user.name") { $0.send("touch") } == [])
    #expect(try heard(.root) { try $0.send("rename", "Blob") } == [])
    #expect(try heard("n") { try $0.send("set", ["n": 0.0]) } == [])
  }

  @Test func aRolledBackActionIsNoChange() throws {
    #expect(try heard("n") { $0.send("fail") } == [])
  }

  @Test func whatIsGoneIsNullAndComesBack() throws {
    let values = try heard("user.name") { store in
      try store.send("drop", "user")
      try store.send("set", ["user": ["name": "New"]])
      try store.send("set", ["user": 5])
    }
    #expect(values == [nil, "New", nil])
    #expect(try heard("new.deep") { try $0.send("set", ["new": ["deep": 1]]) } == [1])
    #expect(
      try heard("rows[2].id") { store in
        try store.send("remove", 1)
        try store.send("insert", 9)
        try store.send("set", ["rows": []])
      } == [nil, 3, nil])
  }

  @Test func anIndexFollowsThePlaceNotTheElement() throws {
    #expect(
      try heard("rows[0].id") { store in
        try store.send("insert", 9)
        store.send("move")
      } == [9, 1])
  }

  @Test func manyIndicesOfOneList() throws {
    let store = try Scripts(app: Self.app).store(
      state: ["rows": .array(Value.List((0..<100).map { ["id": .integer($0), "n": 0] }))])
    let changes = Recorder<String>()
    let observations = (0..<110).map { index in
      store.observe(ValuePath([.key("rows"), .index(index), .key("n")])) {
        changes.record("\(index)=\($0)")
      }
    }
    try store.send("row", 40)
    #expect(changes.all == ["40=1"])
    try store.send("insert", 1000)
    #expect(Set(changes.all.dropFirst()) == ["40=0", "41=1", "100=0"])
    let before = changes.count
    try store.send("set", ["rows": [["id": 0, "n": 5]]])
    #expect(changes.count == before + 101)
    for observation in observations { observation.cancel() }
    try store.send("set", ["rows": []])
    #expect(changes.count == before + 101)
  }

  @Test func manyKeysOfOneObject() throws {
    let keys = (0..<100).map { "k\($0)" }
    let object = Value.object(Value.Object(keys.map { ($0, ["n": 0]) }))
    let store = try Scripts(app: Self.app).store(state: ["byKey": object])
    let changes = Recorder<String>()
    let observations = keys.map { key in
      store.observe(ValuePath([.key("byKey"), .key(key), .key("n")])) {
        changes.record("\(key)=\($0)")
      }
    }
    try store.send("key", "k77")
    #expect(changes.all == ["k77=1"])
    try store.send("drop", "byKey")
    #expect(changes.count == 101)
    for observation in observations { observation.cancel() }
  }

  @Test func aCancelledObservationHearsNothingMore() throws {
    let store = try Scripts(app: Self.app).store()
    let values = Recorder<Value>()
    let observation = store.observe("n") { values.record($0) }
    let other = store.observe("n") { values.record($0) }
    store.send("more")
    observation.cancel()
    observation.cancel()
    store.send("more")
    other.cancel()
    store.send("more")
    #expect(values.all == [1, 1, 2])
  }

  @Test func anObservationEndsWithItsLastReference() throws {
    let store = try Scripts(app: Self.app).store()
    let values = Recorder<Value>()
    var observation: StoreObservation? = store.observe("n") { values.record($0) }
    store.send("more")
    #expect(observation != nil)
    observation = nil
    store.send("more")
    #expect(values.all == [1])
  }

  @Test func handlersMaySendAndMakeStores() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let values = Recorder<Value>()
    let observation = store.observe("n") { [weak store] value in
      values.record(value)
      if (value.int ?? 0) < 5 { _ = store?.send("more") }
      if value == 5, let other = try? scripts.store() {
        _ = other.send("many")
        values.record(["other": other.state["n"]])
      }
    }
    store.send("more")
    observation.cancel()
    #expect(values.all == [1, 2, 3, 4, 5, ["other": 3]])
  }

  @Test func aHandlerMayObserveAndCancel() throws {
    let store = try Scripts(app: Self.app).store()
    let values = Recorder<String>()
    let inner = Recorder<StoreObservation>()
    let outer = store.observe("n") { [weak store] value in
      values.record("outer \(value)")
      guard inner.count == 0, let store else { return }
      inner.record(store.observe("n") { values.record("inner \($0)") })
    }
    store.send("more")
    store.send("more")
    outer.cancel()
    for observation in inner.all { observation.cancel() }
    store.send("more")
    #expect(values.all.sorted() == ["inner 2", "outer 1", "outer 2"])
  }

  // MARK: values(at:)

  @Test func valuesBeginsWithWhatIsThereAndKeepsTheNewest() async throws {
    let store = try Scripts(app: Self.app).store()
    var iterator = store.values(at: "n").makeAsyncIterator()
    #expect(await iterator.next() == 0)
    store.send("more")
    #expect(await iterator.next() == 1)
    // A reader that falls behind gets the newest.
    for _ in 0..<10 { store.send("more") }
    #expect(await iterator.next() == 11)
    try store.send("drop", "n")
    #expect(await iterator.next() == .null)
  }

  @Test func valuesOfAPlaceThatIsNotThere() async throws {
    let store = try Scripts(app: Self.app).store()
    var iterator = store.values(at: "nowhere[3].x").makeAsyncIterator()
    #expect(await iterator.next() == .null)
  }

  @Test func valuesEndWithTheStore() async throws {
    var store: Store? = try Scripts(app: Self.app).store()
    let values = try #require(store?.values(at: "n"))
    store = nil
    var all: [Value] = []
    for await value in values { all.append(value) }
    #expect(all == [0])
  }

  @Test func valuesNeverEndOnAnOldOne() async throws {
    let scripts = try Scripts(app: Self.app)
    for _ in 0..<50 {
      let store = try scripts.store()
      let sender = Task.detached { for _ in 0..<20 { store.send("more") } }
      var last = -1
      for await value in store.values(at: "n") {
        #expect((value.int ?? -1) >= last)
        last = value.int ?? -1
        if last == 20 { break }
      }
      await sender.value
      #expect(last == 20)
    }
  }

  @Test func twoUnicodeFormsOfOneKeyAreObservedApart() throws {
    let store = try Scripts(
      app: """
        return scripted.feature {
          state = { ["\\u{e9}"] = 0, ["e\\u{301}"] = 0 },
          on = { one = function(state) state["\\u{e9}"] = 1 end, two = function(state) state["e\\u{301}"] = 2 end },
        }
        """
    ).store()
    let heard = Recorder<String>()
    let one = store.observe("\u{e9}") { value in heard.record("one \(value)") }
    let two = store.observe("e\u{301}") { value in heard.record("two \(value)") }
    store.send("one")
    store.send("two")
    #expect(heard.all == ["one 1", "two 2"])
    for observation in [one, two] { observation.cancel() }
  }
}

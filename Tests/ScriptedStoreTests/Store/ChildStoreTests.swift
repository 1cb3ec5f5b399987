import LuaBridge
import ScriptedStore
import Testing

/// Stores of a part of another's state.
struct ChildStoreTests {
  private static let app = """
    local Row = scripted.feature { name = "Row", on = {
      up = function(state) state.n = state.n + 1 end,
      ask = function() return effect.send("up") end,
    } }
    local Settings = scripted.feature { name = "Settings", on = {
      set = function(state, action) state.volume = action.value end,
    } }:forEach("rows", Row)
    return scripted.feature {
      state = {
        settings = { volume = 1, rows = { { id = "x", n = 0 } } },
        deep = { settings = { volume = 5, rows = {} } },
        rows = { { id = 1, n = 0 }, { id = 2, n = 0 }, { id = "b", n = 0 } },
        byKey = { a = { n = 0 }, ["7"] = { n = 0 } },
      },
      on = {
        remove = function(state, action) list.remove(state.rows, action.value) end,
        insert = function(state, action) table.insert(state.rows, 1, { id = action.value, n = 0 }) end,
        clear = function(state) state.rows = {} end,
        drop = function(state, action) state[action.value] = nil end,
      },
    }:scope("settings", Settings):scope("deep.settings", Settings, { action = "other" })
      :forEach("rows", Row):forEach("byKey", Row)
    """

  @Test func aChildHasItsPartAndSendsWhatTheParentUnderstands() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let settings = store.scope(state: "settings")
    let other = store.scope(state: "deep.settings", action: "other")
    try settings.send("set", 3)
    try other.send("set", 9)
    #expect(settings.state["volume"] == 3 && other.state["volume"] == 9)
    #expect(store.state["settings"]["volume"] == 3)
    let row = settings.scope(element: "x", of: "rows")
    row.send("ask")
    #expect(row.state == ["id": "x", "n": 1])
    #expect(scripts.warnings.isEmpty)
    let paths = Recorder<String>()
    let observation = row.onAction { paths.record($0.action.path) }
    row.send("ask")
    observation.cancel()
    #expect(paths.all == ["settings.rows[x].ask", "settings.rows[x].up"])
  }

  @Test func elementsAreFoundByIDWhereverTheyStand() throws {
    let store = try Scripts(app: Self.app).store()
    let two = store.scope(element: 2, of: "rows")
    let float = store.scope(element: 2.0, of: "rows")
    let heard = Recorder<Value>()
    let observation = two.observe { heard.record($0) }
    two.send("up")
    try store.send("insert", 10)
    float.send("up")
    #expect(two.state == ["id": 2, "n": 2] && float.state == two.state)
    store.send("rows[1].up")
    try store.send("remove", 2)
    #expect(two.state.isNull)
    try store.send("insert", 2)
    #expect(two.state == ["id": 2, "n": 0])
    store.send("clear")
    observation.cancel()
    #expect(
      heard.all == [
        ["id": 2, "n": 1], ["id": 2, "n": 2], nil, ["id": 2, "n": 0], nil,
      ])
  }

  @Test func objectsAreFoundByKey() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let a = store.scope(element: "a", of: "byKey")
    let seven = store.scope(element: 7, of: "byKey")
    let heard = Recorder<Value>()
    let observations = [
      a.observe("n") { heard.record(["a": $0]) }, seven.observe("n") { heard.record(["7": $0]) },
    ]
    a.send("up")
    seven.send("ask")
    try store.send("drop", "byKey")
    #expect(a.state.isNull && seven.state.isNull)
    #expect(heard.all.prefix(2) == [["a": 1], ["7": 1]])
    #expect(Set(heard.all.dropFirst(2)) == [["a": nil], ["7": nil]])
    #expect(scripts.warnings.isEmpty)
    for observation in observations { observation.cancel() }
  }

  /// As numbers come from the JSON of other programs.
  @Test func aKeyThatIsAWholeNumberIsFoundByAFloat() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let seven = store.scope(element: 7.0, of: "byKey")
    let heard = Recorder<Value>()
    let observation = seven.observe("n") { heard.record($0) }
    seven.send("up")
    seven.send("ask")
    observation.cancel()
    #expect(seven.state == ["n": 2])
    #expect(heard.all == [1, 2])
    #expect(store.scope(element: 7.5, of: "byKey").state.isNull)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func anElementIsFollowedWhenAnObjectBecomesAListAndBack() throws {
    let app = """
      return scripted.feature {
        state = { parts = { a = { n = 1 }, b = { n = 2 } } },
        on = {
          list = function(state) state.parts = { { id = "b", n = 3 } } end,
          object = function(state) state.parts = { a = { n = 4 } } end,
        },
      }
      """
    let store = try Scripts(app: app).store()
    let heard = Recorder<Value>()
    let observations = ["a", "b"].map { id in
      store.scope(element: .string(id), of: "parts").observe("n") { heard.record([id: $0]) }
    }
    store.send("list")
    store.send("object")
    for observation in observations { observation.cancel() }
    #expect(heard.all == [["a": nil], ["b": 3], ["a": 4], ["b": nil]])
  }

  @Test func aChildObservesRelativeToItself() throws {
    let store = try Scripts(app: Self.app).store()
    let settings = store.scope(state: "settings")
    let heard = Recorder<Value>()
    let observations = [
      settings.observe { heard.record($0["volume"]) },
      settings.observe("volume") { heard.record($0) },
    ]
    try settings.send("set", 4)
    try store.send("other.set", 5)
    try store.send("drop", "settings")
    for observation in observations { observation.cancel() }
    #expect(heard.all == [4, 4, nil, nil])
    #expect(settings.state.isNull)
  }

  @Test func aChildThatIsNotThereWarnsWhenItSends() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    store.scope(element: 99, of: "rows").send("up")
    store.scope(state: "nothing").send("up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement, .unknownAction])
    #expect(store.scope(state: "nothing").state.isNull)
  }

  @Test func aChildKeepsItsParentsStoreAlive() throws {
    let scripts = try Scripts(app: Self.app)
    var parent: Store? = try scripts.store()
    let row = try #require(parent?.scope(element: 1, of: "rows"))
    parent = nil
    _ = try scripts.store()
    row.send("up")
    #expect(row.state == ["id": 1, "n": 1])
  }

  @Test func anActionThatNestsTooDeepOnItsWayUpIsReported() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let before = store.state
    try store.scope(state: "settings").send(
      Array(repeating: "a", count: 128).joined(separator: "."))
    #expect(scripts.errors.first?.message.contains("128") == true)
    #expect(store.state == before)
  }

  @Test func aHundredThousandRowsObservedOneByOne() throws {
    let rows = Value.array(Value.List((0..<100_000).map { ["id": .integer($0), "n": 0] }))
    let store = try Scripts(app: Self.app).store(state: ["rows": rows])
    let heard = Recorder<Int>()
    let children = stride(from: 0, to: 100_000, by: 1000).map {
      store.scope(element: .integer(Int64($0)), of: "rows")
    }
    let observations = children.map { child in
      child.observe { heard.record($0["id"].int ?? -1) }
    }
    children[7].send("up")
    children[99].send("up")
    store.send("rows[1].up")
    try store.send("insert", -1)
    children[7].send("up")
    #expect(heard.all == [7000, 99000, 7000])
    #expect(children[7].state["n"] == 2)
    for observation in observations { observation.cancel() }
  }
}

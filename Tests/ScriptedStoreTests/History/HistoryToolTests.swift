import LuaBridge
import ScriptedStore
import Testing

/// What tools show of a history, and how they edit the state.
struct HistoryToolTests {
  private static let app = """
    local Row = scripted.feature { name = "Row", on = { up = function(state) state.n = state.n + 1 end } }
    return scripted.feature {
      name = "App", state = { n = 0, rows = { { id = 1, n = 0 }, { id = 2, n = 0 } } },
      dependencies = { "facts" },
      on = {
        up = function(state) state.n = state.n + 1 end,
        read = function(state, _, deps) state.n = deps.facts.now() deps.facts.touch() pcall(deps.facts.fail) end,
        ask = function() return effect.run(function(send, deps) send("got", { value = deps.facts.fetch(1) }) end) end,
        listen = function() return effect.run(function(send, deps) for fact in deps.facts.all() do send("got", { value = fact }) end end) end,
        got = function(state, action) state.last = action.value end,
      },
    }:forEach("rows", Row)
    """

  private struct Refused: Error, CustomStringConvertible { let description = "no luck" }

  let scripts: Scripts
  let store: Store
  let history: StoreHistory
  /// Lets `fetch` answer.
  let answer: AsyncStream<Void>.Continuation

  init() throws {
    let (gate, answer) = AsyncStream<Void>.makeStream()
    self.answer = answer
    var dependencies = Dependencies()
    dependencies.register(
      "facts",
      live: .client([
        "now": .function { 5 }, "touch": .function {},
        "fail": .function { () throws -> Int in throw Refused() },
        "fetch": .asyncFunction("n") { (n: Int) async -> String in
          for await _ in gate {}
          return "\(n) is a number"
        },
        "all": .stream {
          AsyncStream {
            $0.yield("a")
            $0.finish()
          }
        },
      ]))
    scripts = try Scripts(["app": Self.app], dependencies: dependencies)
    store = try scripts.store()
    history = store.record()
  }

  private func lines(_ number: Int) -> [String] {
    history.calls(of: number).map { $0.text(width: 80) }
  }

  // MARK: Calls

  @Test func theCallsOfHandlersHaveTheirAnswers() {
    store.send("up")
    store.send("read")
    #expect(lines(1) == [])
    #expect(
      lines(2) == [
        "handler  facts.now → 5", "handler  facts.touch → nothing",
        "handler  facts.fail → raised: no luck",
      ])
    #expect(history.calls(of: 2).map { $0.answer?.isError } == [false, false, true])
    #expect(lines(0) == [] && lines(3) == [] && lines(-1) == [] && lines(.max) == [])
  }

  @Test func aCallOfAnEffectGetsItsAnswerAlsoAfterALaterAction() async {
    let task = store.send("ask")
    while lines(1).isEmpty { await Task.yield() }
    #expect(lines(1) == ["effect   facts.fetch → no answer yet"])
    store.send("up")
    answer.finish()
    await task.finish()
    #expect(lines(1) == [#"effect   facts.fetch → "1 is a number""#])
    #expect(lines(2) == [])
    #expect(store.state["last"] == "1 is a number")
  }

  @Test func eachRequestOfAStreamIsACall() async {
    await store.send("listen").finish()
    #expect(lines(1) == [#"effect   the next of facts.all → "a""#])
    #expect(lines(2) == ["effect   the next of facts.all → nothing"])
  }

  // MARK: Changes

  @Test func anEntryKnowsWhatItHasChanged() {
    store.send("up")
    store.send("rows[2].up")
    #expect(history.changes(of: 1)["n"].mark == .changed)
    let second = history.changes(of: 2)
    #expect(second["n"].mark == nil && second["rows[0]"].mark == nil)
    #expect(second["rows"].mark == .inside && second["rows[1].n"].mark == .changed)
    #expect(history.changes(of: 0) == .none && history.changes(of: 3) == .none)
    #expect(history.changes(of: .max) == .none)
  }

  // MARK: Editing

  @Test func aValueIsSetAsPeopleWriteItAndUndone() throws {
    store.send("up")
    try history.set("{ id = 3, n = 7 }", at: "rows[3]")
    try history.set("'x'", at: "rows[1].title")
    try history.set("nil", at: "n")
    #expect(
      store.state == [
        "rows": [["id": 1, "n": 0, "title": "x"], ["id": 2, "n": 0], ["id": 3, "n": 7]]
      ])
    #expect(history.entries(2...4).map(\.source) == [.edit, .edit, .edit])
    #expect(history.changes(of: 2)["rows[2]"].mark == .added)
    try history.step(by: -3)
    #expect(store.state["n"] == 1 && store.state["rows"].array?.count == 2)
  }

  @Test(arguments: [
    ("rows[9]", "1", "rows[9]: rows has 2 elements, so an element can be put at [3], not at [9]"),
    ("rows[2].n.x", "1", "rows[2].n.x: rows[2].n is 0, which has no field 'x'"),
    ("n[1]", "1", "n[1]: n is 0, which has no elements"),
    ("rows[0]", "1", "rows[0]: indices count from 1, as in Lua"),
    ("rows[1].n", "two", "rows[1].n: two is no value; text goes in quotes"),
    ("gone", "nil", "there is nothing at gone to remove"),
    ("", "nil", "the whole state cannot be removed"),
    ("", "5", "the state of a store must be a table, not 5"),
    ("rows", "5", "rows: forEach at app.lua:12 runs on it, so it must be a table, not 5"),
    (
      "rows[2]", "'x'",
      "rows[2]: forEach at app.lua:12 runs on it, so it must be a table, not \"x\""
    ),
  ])
  func whatDoesNotFitNamesItsPlaceAndChangesNothing(place: String, text: String, message: String) {
    let before = store.state
    let error = #expect(throws: HistoryError.self) { try history.set(text, at: place) }
    #expect(error?.message == message)
    #expect(store.state == before && history.count == 0)
  }

  private static let composed = """
    local Row = scripted.feature { name = "Row", state = { n = 0 } }
    return scripted.feature {
      name = "App", state = { list = { { id = 1, n = 0 } }, path = {} },
    }:forEach("list", Row):stack("path", { page = Row }):ifLet("to", scripted.cases { row = Row, more = Row })
    """

  /// A store that begins with such a state could not be made, or its elements not be found.
  @Test(arguments: [
    ("to", "{ row = 5 }", "state.to.row must be a table"),
    ("to", "{ other = {} }", "there is no case 'other'"),
    ("to", "{ row = {}, more = {} }", "a tagged state has exactly one key"),
    ("list[1]", "{ n = 1 }", "state.list[1] has no 'id'"),
    ("list[2]", "{ id = 1 }", "state.list[2] has the id 1, which [1] has"),
    ("path[1]", "{ page = 5 }", "state.path[1].page must be a table"),
  ])
  func whatNoStoreCouldBeginWithIsRefused(place: String, text: String, message: String) throws {
    let scripts = try Scripts(app: Self.composed)
    let store = try scripts.store()
    let (before, history) = (store.state, store.record())
    let error = #expect(throws: HistoryError.self) { try history.set(text, at: place) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(store.state == before && history.count == 0)
  }

  @Test func anElementOfAStackThatIsSetGetsAnID() throws {
    let scripts = try Scripts(app: Self.composed)
    let store = try scripts.store()
    let history = store.record()
    _ = try? history.set("{ { page = {} }, { page = 5 } }", at: "path")
    try history.set("{ page = { n = 1 } }", at: "path[1]")
    try store.send("path.push", ["state": ["page": ["n": 2]]])
    #expect(
      store.state["path"] == [["id": 0, "page": ["n": 1]], ["id": 1, "page": ["n": 2]]])
    #expect(history[1]?.state["path"] == [["id": 0, "page": ["n": 1]]])
  }

  @Test func whatDoesNotFitAlreadyStandsInTheWayOfNoOtherEdit() throws {
    let scripts = try Scripts(
      app: """
        local Kid = scripted.feature { name = "Kid", on = {} }
        return scripted.feature {
          name = "App", state = { n = 0, kid = {} }, on = { spoil = function(state) state.kid = 5 end },
        }:ifLet("kid", Kid)
        """)
    let store = try scripts.store()
    let history = store.record()
    store.send("spoil")
    try #require(store.state["kid"] == 5)
    try history.set("1", at: "n")
    #expect(store.state["n"] == 1)
  }
}

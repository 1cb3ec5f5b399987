import LuaBridge
import ScriptedStore
import Testing

/// Actions as literals, and what is sent with one.
struct ActionLiteralTests {
  private static let app = """
    return scripted.feature {
      state = { n = 0, rows = { { id = 1, n = 0 } } },
      on = {
        up = function(state, action) state.n = state.n + (action.by or 1); return effect.send("echo") end,
        echo = function(state) state.echo = (state.echo or 0) + 1 end,
        own = function(state)
          state.n = state.n + 1
          return effect.send("echo"):animation("own")
        end,
        rows = function(state, action) state.rows[1].n = state.rows[1].n + 1 end,
      },
    }
    """

  @Test func literalsAreActions() throws {
    let path: Action = "rows[1].go"
    #expect(path == (try Action(path: "rows[1].go")))
    let table: Action = ["type": "up", "by": 5]
    #expect(table.payload == ["by": 5])
    let store = try Scripts(app: Self.app).store()
    store.send("up")
    store.send(["type": "up", "by": 5])
    store.send(path)
    #expect(store.state["n"] == 6)
    #expect(store.state["rows"][0]["n"] == 1)
  }

  @Test func effectsOfSwiftTakeLiterals() throws {
    let reducer = Reducer.reduce { state, action in
      guard action.path == "begin" else {
        state["log"] = .string(action.description)
        return .none
      }
      return .merge(.send("one"), .send(["type": "two", "n": 2]))
    }
    let store = try Scripts([:]).host.store(reducer, state: [:])
    store.send("begin")
    #expect(store.state["log"] == "two { n = 2 }")
  }

  @Test(
    arguments: [
      ("a..b", "malformed action path \"a..b\": a type is missing"),
      ("", "malformed action path \"\": a type is missing"),
      ("rows[1]", "the element's action is missing behind the brackets"),
      (["by": 1], "the action { by = 1 } has no type (a string is needed)"),
      (["type": "a", "action": ["type": 1]], "in a: the action"),
      ([:], "has no type"),
    ] as [(Action, String)]) func aMalformedLiteralIsReportedWhenItIsSent(
      _ action: Action, _ message: String
    ) throws
  {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let records = Recorder<ActionRecord>()
    let observation = store.onAction { records.record($0) }
    let before = store.state
    store.send(action)
    #expect(scripts.errors.count == 1)
    #expect(scripts.errors.first?.message.contains(message) == true)
    #expect(records.all.first?.error != nil)
    store.scope(element: 1, of: "rows").send(action)
    #expect(scripts.errors.count == 2)
    #expect(store.state == before)
    store.send("up")
    #expect(store.state["n"] == 1)
    observation.cancel()
  }

  @Test func pathsMadeAtRunTimeThrow() throws {
    let store = try Scripts(app: Self.app).store()
    let path = "a..b"
    #expect(throws: ActionError.self) { try store.send(path) }
    #expect(throws: ActionError.self) { try store.send("rows[\(path)") }
    #expect(throws: ActionError.self) { try store.send("up", ["type": "x"]) }
  }

  // MARK: Transactions

  @Test func aTransactionGoesWithTheActionAndItsChange() throws {
    let store = try Scripts(app: Self.app).store()
    let heard = Recorder<Value>()
    let records = Recorder<Value>()
    let log = store.onAction { records.record($0.transaction ?? .null) }
    let observation = store.observe(withTransaction: { _, transaction in
      heard.record(transaction ?? .null)
    })
    store.send("up", transaction: ["from": "test"])
    store.send("up")
    store.send("up", animation: "default")
    store.send("own", animation: "host")
    store.scope(element: 1, of: "rows").send("go", animation: ["duration": 0.5])
    #expect(
      heard.all == [
        ["from": "test"], nil, ["animation": "default"], ["animation": "own"],
        ["animation": ["duration": 0.5]],
      ])
    #expect(
      records.all == [
        ["from": "test"], nil, nil, nil, ["animation": "default"], nil, ["animation": "host"],
        ["animation": "own"], ["animation": ["duration": 0.5]],
      ])
    log.cancel()
    observation.cancel()
  }

  @Test func aTransactionWaitsWithItsAction() throws {
    let store = try Scripts(app: Self.app).store()
    let heard = Recorder<Value>()
    let observation = store.observe(
      "n",
      withTransaction: { value, transaction in
        heard.record(transaction ?? .null)
        if value == 1 { store.send("up", animation: "later") }
      })
    store.send("up", animation: "first")
    #expect(heard.all == [["animation": "first"], ["animation": "later"]])
    observation.cancel()
  }
}

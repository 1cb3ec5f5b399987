import ScriptedStore
import Testing

/// The states with which a function lets a test store begin: `state = function(state) … end`.
@Suite struct BeginningStateTests {
  private static let app = """
    local Row = scripted.feature {
      name = "Row", state = { id = 0, n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
    }
    return scripted.feature {
      name = "App",
      state = { count = 0, sheet = { id = 9, n = 0 }, rows = { { id = 1, n = 0 }, { id = 2, n = 0 } } },
      on = { look = function(state) state.count = state.sheet and state.sheet.n or 99 end },
      view = function(state) return require("scripted.ui").text(state.sheet and "open" or "closed") end,
    }:forEach("rows", Row):ifLet("sheet", Row)
    """

  private static let list =
    "return scripted.feature { name = \"App\", state = { 1, 2, 3 }, on = {} }"

  private static let cases = """
    local Page = scripted.feature {
      name = "Page", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
    }
    return scripted.feature { name = "App", state = { a = { n = 0 } }, on = {} }
      :ifCaseLet("a", Page):ifCaseLet("b", Page)
    """

  @Test(arguments: [
    (
      app,
      """
      local store = make { state = function(state) state.sheet = nil end }
      assert.same({ count = 0, rows = { { id = 1, n = 0 }, { id = 2, n = 0 } } }, store.state)
      store:send("look", function(state) state.count = 99 end)
      """
    ),
    (
      app,
      """
      local view = test.view(App, { state = function(state) state.sheet = nil end })
      assert.is_nil(view.store.state.sheet)
      view:find("text", "closed")
      """
    ),
    // It changes what it gets: the initial state, not that of another store.
    (
      app,
      """
      local function change(state)
        state.sheet.n = state.sheet.n + 7
        table.remove(state.rows, 1)
        state.extra = { state.count }
      end
      for _ = 1, 2 do
        local store = make { state = change }
        assert.same({ count = 0, sheet = { id = 9, n = 7 }, rows = { { id = 2, n = 0 } }, extra = { 0 } }, store.state)
        store:send("rows[2].up", function(state) state.rows[1].n = 1 end)
      end
      assert.equal(0, make().state.sheet.n)
      """
    ),
    // It may leave the state as it is, and return something when it has changed it.
    (app, "assert.equal(0, make { state = function() end }.state.count)"),
    (
      app,
      "assert.equal(5, make { state = function(state) state.count = 5 return state end }.state.count)"
    ),
    (
      list,
      """
      local store = make { state = function(state) while #state > 1 do table.remove(state) end end }
      assert.same({ 1 }, store.state)
      """
    ),
    (
      cases,
      """
      local store = make { state = function(state) state.a = nil; state.b = { n = 5 } end }
      store:send("b.up", function(state) state.b.n = 6 end)
      """
    ),
  ])
  func aFunctionChangesTheInitialState(app: String, body: String) async throws {
    let result = try await Spec(body, app: app).result
    #expect(result == "passed")
  }

  @Test(arguments: [
    ("function() error('no luck') end", "no luck"),
    (
      "function(state) return { count = 5 } end",
      "the function `state` changed nothing and returned a table; it has to change its argument"
    ),
    (
      "function(state) state.cont = 5 end",
      "has the key 'cont', which its initial state does not have; did you mean 'count'?"
    ),
    ("function(state) state.rows = 'x' end", "as 'rows', which must be a table"),
    ("function(state) state.sheet = 5 end", "as 'sheet', which must be a table"),
    (
      "function(state) state.count = print end", "state.count: a function cannot be stored in state"
    ),
    (
      "function(state) local t = {} t.t = t state.count = t end",
      "state.count.t: a table that contains itself cannot be stored in state"
    ),
    ("function() test.store(App) end", "can only change the state that it gets"),
  ])
  func aFunctionThatMakesNoStateIsRefusedAtItsLine(state: String, message: String) async throws {
    let result = try await Spec("test.store(App, { state = \(state) })", app: Self.app).result
    #expect(result.hasPrefix("app_test.lua:3: "), "\(result)")
    #expect(result.contains(message), "\(result)")
  }

  @Test func aReducerWithoutAnInitialStateHasNoneToChange() async throws {
    let result = try await Spec(
      "make { state = function(state) state.n = 1 end }",
      app: "return scripted.reduce(function() end)"
    ).result
    #expect(result.contains("no initial state that a function could change"), "\(result)")
  }
}

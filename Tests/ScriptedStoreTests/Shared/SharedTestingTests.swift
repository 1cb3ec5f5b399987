import ScriptedStore
import Testing

/// Shared values in `scripted.test`.
struct SharedTestingTests {
  private static let app = """
    local shared = scripted.shared
    local count, settings = shared.inMemory("count", 0), shared.inMemory("settings", { theme = "light" })
    local Child = scripted.feature {
      state = { heard = 0 }, shared = { n = count, theme = settings:at("theme") },
      on = { inc = function(state) state.n = state.n + 1 end, dark = function(state) state.theme = "dark" end },
    }:onChange("n", function(state) state.heard = state.heard + 1 end)
    local App = scripted.feature {
      state = { a = Child.initial(), b = Child.initial() },
      shared = { count = count, settings = settings, reader = count:reader() },
      on = {
        add = function(state) state.c = Child.initial() end,
        writesReader = function(state) state.reader = 1 end,
        watch = function() return effect.run(function(send)
          for value in count:values() do send("saw", { value = value }) end
        end):cancellable("watch") end,
        ask = function() return effect.run(function(send) send("saw", { value = count:get() }) end) end,
        asksInHandler = function(state) state.x = count:get() end,
        saw = function(state, action) state.saw = action.value end,
        stop = function() return effect.cancel("watch") end,
      },
    }:scope("a", Child):scope("b", Child):ifLet("c", Child)
    return App
    """

  private func spec(_ body: String, before: String = "") async throws -> Spec {
    try await Spec(
      body,
      before: """
        local scripted = require "scripted"
        local keys = { count = scripted.shared.inMemory("count", 0), settings = scripted.shared.inMemory("settings", { theme = "light" }) }
        \(before)
        """, app: Self.app)
  }

  @Test func oneFieldIsEnoughToSayWhatIsExpected() async throws {
    let spec = try await spec(
      """
      local store = make()
      store:send("a.inc", function(state) state.count = 1; state.a.heard = 1; state.b.heard = 1 end)
      store:send("a.inc", function(state)
        state.a.n = 2; state.b.n = 2; state.a.heard = 2; state.b.heard = 2
      end)
      store:send("b.dark", function(state) state.settings.theme = "dark" end)
      assert.equal("dark", store.state.a.theme)
      """)
    #expect(spec.result == "passed")
  }

  @Test(arguments: [
    "s.theme = 'dark'", "return { theme = 'dark' }", "s.theme = 'dark' return s",
  ])
  func aFunctionThatUpdatesAValueChangesItsArgumentOrReturnsANewOne(body: String) async throws {
    let spec = try await spec(
      """
      local store = make()
      test.shared(keys.settings):update(function(s) \(body) end)
      store:receive("shared", function(state) state.settings.theme = "dark" end)
      assert.same({ theme = "dark" }, test.shared(keys.settings).value)
      """)
    #expect(spec.result == "passed")
  }

  @Test func aKeyThatNothingServesIsNoStep() async throws {
    let spec = try await Spec(
      "make():send('set', function(state) state.rates = 2 end)",
      app: """
        local rates = scripted.shared.custom { name = "rates", default = 1 }
        return scripted.feature {
          state = {}, shared = { rates = rates, status = rates:status() },
          on = { set = function(state) state.rates = 2 end },
        }
        """)
    #expect(spec.result == "passed")
  }

  @Test func placesThatAgreeMayBothBeSaid() async throws {
    let spec = try await spec(
      """
      make():send("b.dark", function(state) state.settings.theme = "dark"; state.a.theme = "dark" end)
      """)
    #expect(spec.result == "passed")
  }

  @Test func placesThatContradictEachOtherFail() async throws {
    let spec = try await spec(
      """
      make():send("b.dark", function(state) state.settings.theme = "dark"; state.a.theme = "blue" end)
      """)
    #expect(spec.result.contains("show one shared value, and the test expects another one in each"))
  }

  @Test func aWrongExpectationFails() async throws {
    let spec = try await spec(
      """
      make():send("a.inc", function(state) state.count = 2; state.a.heard = 1; state.b.heard = 1 end)
      """)
    #expect(spec.result.contains("the state is not what was expected"))
    let unstated = try await self.spec("make():send(\"a.inc\")")
    #expect(unstated.result.contains("not expected to change"))
  }

  @Test func aChildThatComesNeedNotBeGivenItsSharedFields() async throws {
    let spec = try await spec(
      """
      local store = make()
      store:send("add", function(state) state.c = { heard = 0 } end)
      assert.equal(0, store.state.c.n)
      """)
    #expect(spec.result == "passed")
  }

  @Test func aChangeFromElsewhereIsReceived() async throws {
    let spec = try await spec(
      """
      local store = make()
      local count = test.shared(keys.count)
      assert.equal(0, count.value)
      count:set(5)
      store:receive("shared", function(state) state.count = 5; state.a.heard = 1; state.b.heard = 1 end)
      count:update(function(n) return n + 1 end)
      store:receive({ type = "shared", keys = { "count" } }, function(state)
        state.count = 6; state.a.heard = 2; state.b.heard = 2
      end)
      assert.equal(6, count.value)
      """)
    #expect(spec.result == "passed")
  }

  @Test func anUnreceivedChangeFailsTheTestAndRefusesTheNextAction() async throws {
    let spec = try await spec("local store = make() test.shared(keys.count):set(5)")
    #expect(spec.result.contains("shared"))
    let sending = try await self.spec(
      """
      local store = make()
      test.shared(keys.count):set(5)
      store:send("add")
      """)
    #expect(sending.result.contains("was not sent"))
  }

  @Test func eachTestHasItsOwnValuesAndItsStoresShareThem() async throws {
    let spec = try await spec(
      """
      local one, other = make(), make()
      one:send("a.inc", function(state) state.count = 1; state.a.heard = 1; state.b.heard = 1 end)
      other:receive("shared", function(state) state.count = 1; state.a.heard = 1; state.b.heard = 1 end)
      """,
      before: """
        it("changes it first", function()
          test.shared(keys.count):set(77)
          assert.equal(77, test.shared(keys.count).value)
        end)
        """)
    #expect(spec.result == "passed\npassed")
  }

  @Test func effectsReadAndObserveTheValue() async throws {
    let spec = try await spec(
      """
      local store = make { state = { count = 3 } }
      store:send("ask")
      store:receive({ type = "saw", value = 3 }, function(state) state.saw = 3 end)
      store:send("watch")
      store:receive({ type = "saw", value = 3 })
      store:send("a.inc", function(state) state.count = 4; state.a.heard = 1; state.b.heard = 1 end)
      store:receive({ type = "saw", value = 4 }, function(state) state.saw = 4 end)
      store:send("stop")
      """)
    #expect(spec.result == "passed")
  }

  @Test func whatCannotBeDoneSaysWhatToDo() async throws {
    let spec = try await spec("make():send(\"writesReader\")")
    #expect(spec.result.contains("state.reader is read-only here"))
    let asking = try await self.spec("make():send(\"asksInHandler\")")
    #expect(asking.result.contains("a handler reads the shared value 'count' in its state"))
  }

  // MARK: Fields whose keys functions choose

  private static let chosen = """
    local shared = scripted.shared
    local todos = shared.inMemory("todos", { { id = 1, title = "a" }, { id = 2, title = "b" } })
    local Row = scripted.feature {
      name = "Row", state = { id = 0, todo = 1 },
      shared = { shown = todos:at(function(state) return { state.todo } end) },
      on = { rename = function(state, action) state.shown.title = action.title end },
    }
    return scripted.feature {
      name = "App", state = { todo = 1, rows = {} },
      shared = { todos = todos, shown = todos:at(function(state) return { state.todo } end) },
      on = {
        choose = function(state, action) state.todo = action.todo end,
        rename = function(state, action) state.shown.title = action.title end,
        renameAndChoose = function(state, action) state.shown.title = action.title state.todo = 2 end,
        add = function(state) table.insert(state.rows, { id = 7, todo = 2 }) end,
      },
    }:forEach("rows", Row)
    """

  @Test(arguments: [
    "local store = make() store:send('choose', { todo = 2 }, function(state) state.todo = 2 end)"
      + " store:receive('shared', function(state) state.shown = { id = 2, title = 'b' } end)"
      + " store:assert(function(state) state.shown.title = 'b' end)",
    // A write before the choice is one to the old value; the field follows in the step.
    "local store = make() store:send('renameAndChoose', { title = 'c' }, function(state)"
      + " state.shown.title = 'c' state.todo = 2 end)"
      + " store:receive('shared', function(state) state.shown = { id = 2, title = 'b' } end)"
      + " assert.equal('c', store.state.todos[1].title)",
    "local store = make() store:send('rename', { title = 'c' }, function(state) state.shown.title = 'c' end)"
      + " store:send('rename', { title = 'd' }, function(state) state.todos[1].title = 'd' end)",
    // Elements.
    "local store = make() store:send('add', function(state) state.rows[1] = { id = 7, todo = 2 } end)"
      + " store:receive('shared', function(state) state.rows[1].shown = { id = 2, title = 'b' } end)"
      + " store:send('rows[7].rename', { title = 'c' }, function(state) state.rows[1].shown.title = 'c' end)"
      + " store:send('rows[7].rename', { title = 'd' }, function(state) state.todos[2].title = 'd' end)",
    "local store = make({ exhaustivity = 'off' }) store:send('choose', { todo = 2 }, function(state) state.todo = 2 end)"
      + " store:receive('shared', function(state) state.shown.title = 'b' end)",
  ]) func whatAFieldShowsWithAnotherKeyIsExpected(_ body: String) async throws {
    let spec = try await Spec(body, app: Self.chosen)
    #expect(spec.result == "passed")
  }

  @Test func aWrongExpectationOfAChosenFieldFails() async throws {
    let spec = try await Spec(
      """
      local store = make() store:send('choose', { todo = 2 }, function(state) state.todo = 2 end)
      store:receive('shared', function(state) state.shown = { id = 1, title = 'a' } end)
      """, app: Self.chosen)
    #expect(spec.result.contains("the state is not what was expected"))
  }
}

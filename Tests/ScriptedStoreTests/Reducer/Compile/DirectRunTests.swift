import LuaBridge
import ScriptedStore
import Testing

/// `Child.run(state.child, action, deps)` in a handler: sharing logic with a child.
struct DirectRunTests {
  private static let child = """
    local Row = scripted.feature { name = "Row", on = {
      toggle = function(state) state.isOn = not state.isOn; return effect.send("toggled") end,
      toggled = function() end,
    } }
    local Child = scripted.feature {
      name = "Child", state = { n = 0, rows = {} }, dependencies = { "clock" },
      on = {
        add = function(state, action) state.n = state.n + action.by end,
        wait = function(state, action, deps)
          state.n = deps.clock.now()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("waited", { value = action.value })
          end):cancellable("wait")
        end,
        waited = function() end,
        fail = function(state) state.n = -1; error("no") end,
        ["rows[*].toggle"] = function(state) state.toggles = (state.toggles or 0) + 1 end,
      },
    }:forEach("rows", Row)

    """

  @Test func itReducesAtOnceWithAllOfTheReducersComposition() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature {
          state = { child = Child.initial { rows = { { id = 1, isOn = false } } } },
          on = {
            go = function(state, _, deps)
              Child.run(state.child, { type = "add", by = 2 }, deps)
              Child.run(state.child, { type = "rows", id = 1, action = { type = "toggle" } }, deps)
              Child.run(state.child, "rows[1].toggle")
              Child.run(state.child, "rows[1].toggle")
              state.seen = state.child.n
            end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    #expect(
      store.state == [
        "child": ["n": 2, "rows": [["id": 1, "isOn": true]], "toggles": 3], "seen": 2,
      ])
  }

  @Test func itsEffectsBelongToThePlaceOfWhoReturnsThem() throws {
    let app = try EffectApp(
      """
      go = function(state, _, deps)
        return Child.run(state.child, { type = "wait", value = 7 }, deps)
          :map(function(action) return { type = "child", action = action } end)
      end,
      stop = function() return effect.cancel("wait") end,
      ["child.waited"] = function(state, action) note("parent sees " .. action.value) end,
      """, locals: Self.child, operators: ":scope('child', Child)",
      state: "{ child = Child.initial() }")
    app.store.send("go")
    #expect(app.store.effects.map(\.place) == [""])
    #expect(app.store.effects.map(\.feature) == ["Child"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "child.waited 7", "parent sees 7"])
    app.store.send("go")
    app.store.send("stop")
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatADescendantSendsFindsItsWayFromTheReducerThatRan() throws {
    let app = try EffectApp(
      """
      go = function(state)
        return Child.run(state.child, "rows[1].toggle")
          :map(function(action) return { type = "child", action = action } end)
      end,
      """, locals: Self.child, operators: ":scope('child', Child)",
      state: "{ child = Child.initial { rows = { { id = 1 } } } }")
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "child.rows[1].toggled"])
  }

  @Test func aReducerThatReturnsNothingGivesTheEmptyEffect() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { state = { child = { n = 0 } }, on = {
          go = function(state)
            return Child.run(state.child, { type = "add", by = 1 }):map(function(action) return action end)
          end,
        } }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["child": ["n": 1]])
    #expect(scripts.errors.isEmpty && store.effects.isEmpty)
  }

  @Test func whatTheChildRaisesReachesTheHandler() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { name = "App", state = { child = { n = 0 } }, on = {
          go = function(state) state.started = true; Child.run(state.child, "fail") end,
          try = function(state) state.ok = pcall(Child.run, state.child, "fail") end,
        } }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["child": ["n": 0]])
    #expect(scripts.errors.first?.message.contains("no") == true)
    store.send("try")
    #expect(store.state["ok"] == false)
  }

  @Test func aHandlersDraftsStayAliveAndAreTheSame() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { state = { child = { n = 0 }, list = {} }, on = {
          go = function(state)
            local child, list = state.child, state.list
            Child.run(child, { type = "add", by = 1 })
            list[1] = child.n
            state.same = child == state.child and list == state.list
          end,
        } }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["child": ["n": 1], "list": [1], "same": true])
  }

  @Test func anActionThatIsUnknownThereWarns() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { state = { child = { n = 0 } }, on = {
          go = function(state) return Child.run(state.child, "ad") end,
        } }
        """)
    try scripts.store().send("go")
    #expect(scripts.warnings.map(\.kind) == [.unknownAction])
    #expect(scripts.warnings.first?.message.contains("did you mean \"add\"?") == true)
  }

  @Test func mistakesAreToldWithTheRemedy() throws {
    for (call, message) in [
      "Child:run(state.child, 'add')": "call 'run' with a dot",
      "Child.run({ n = 1 }, 'add')": "that the handler got expected, got table",
      "Child.run(action, 'add')": "a table of the state that the handler got expected",
      "Child.run(nil, 'add')": "expected, got nil",
      "Child.run(state.child)": "an action is a table with a type, or a path, not nil",
    ] {
      let scripts = try Scripts(
        app: Self.child + """
          return scripted.feature { state = { child = { n = 0 } }, on = {
            go = function(state, action) \(call) end,
          } }
          """)
      try scripts.store().send("go")
      let error = scripts.errors.first
      #expect(error?.message.contains(message) == true, "\(call): \(error?.message ?? "none")")
    }
  }

  @Test func insideAnEffectTheDraftIsDead() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { state = { child = { n = 0 } }, on = {
          go = function(state)
            local child = state.child
            return effect.run(function() Child.run(child, { type = "add", by = 1 }) end)
          end,
        } }
        """)
    try scripts.store().send("go")
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings.first?.message.contains("used after its handler returned") == true)
  }

  @Test func aReducerThatIsComposedInAHandlerGoesWithItsAction() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature {
          state = { text = "" }, dependencies = { "uuid" },
          on = { set = function(state, _, deps) state.length = #deps.uuid() end },
        }
        return scripted.feature { state = { child = {} }, on = {
          go = function(state)
            local text = ("x"):rep(2000)
            return Child:dependency("uuid", function() return text end).run(state.child, "set")
          end,
        } }
        """)
    let store = try scripts.store()
    func go(_ times: Int) throws -> Int {
      for _ in 0..<times { store.send("go") }
      return try #require(store.collectedMemory())
    }
    // Some stay until others come: at most two for each that is no garbage yet when Lua collects some.
    let before = try go(1_000)
    #expect(try go(3_000) < before + 2_500_000)
    #expect(store.state["child"]["length"] == 2000 && scripts.errors.isEmpty)
  }
}

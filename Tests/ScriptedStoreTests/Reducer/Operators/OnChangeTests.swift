import LuaBridge
import ScriptedStore
import Testing

/// `onChange`: what is done when a part of the state is another one.
struct OnChangeTests {
  @Test func itRunsAfterTheReducerAndItsChildrenWithTheOldAndTheNewValue() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = { up = function(state) state.n = state.n + 1 end } }
        return scripted.feature {
          state = { child = { n = 0 }, log = {} },
          on = {
            child = function(state) table.insert(state.log, "parent") end,
            other = function(state) state.other = true end,
          },
        }:scope("child", Child):onChange("child.n", function(state, old, new, action)
          table.insert(state.log, old .. " to " .. new .. " by " .. action.type)
        end)
        """)
    let store = try scripts.store()
    store.send("child.up")
    store.send("other")
    store.send("child.up")
    #expect(store.log == ["parent", "0 to 1 by child", "parent", "1 to 2 by child"])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func valuesAreComparedDeeply() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { list = { { n = 1 } }, log = {} },
          on = {
            same = function(state) state.list = { { n = 1.0 } } end,
            other = function(state) state.list[1].n = 2 end,
            remove = function(state) state.list = nil end,
          },
        }:onChange("list", function(state, old, new)
          table.insert(state.log, scripted.json.encode({ old = old, new = new }))
        end)
        """)
    let store = try scripts.store()
    for action in ["same", "other", "remove"] { try store.send(action) }
    #expect(
      store.log == [#"{"new":[{"n":2}],"old":[{"n":1.0}]}"#, #"{"old":[{"n":2}]}"#])
  }

  @Test func aFunctionOfTheStateSaysWhatIsLookedAt() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { a = 1, b = 2, log = {} },
          on = {
            swap = function(state) state.a, state.b = state.b, state.a end,
            add = function(state) state.a = state.a + 1 end,
          },
        }:onChange(function(state) return state.a + state.b end, function(state, old, new)
          table.insert(state.log, old .. " to " .. new)
        end)
        """)
    let store = try scripts.store()
    store.send("swap")
    store.send("add")
    #expect(store.log == ["3 to 4"])
  }

  @Test func itsEffectsComeAfterTheReducersAndSeeDependenciesAndTheValues() throws {
    let app = try EffectApp(
      """
      set = function(state, action)
        state.v = { n = action.value }
        return effect.run(function(send) send("first") end)
      end,
      first = function() end, second = function() end,
      """,
      operators: """
        :onChange("v", function(state, old, new, action, deps)
          local start = deps.clock.now()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("second", { value = tostring(old) .. " " .. new.n .. " " .. action.value .. " " .. start })
          end)
        end)
        """)
    try app.store.send("set", ["value": 5])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["set 5", "first", "second nil 5 5 0.0"])
  }

  @Test func operatorsAroundAPresentedChildLeaveItsStateInOrder() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = { up = function(state) state.n = state.n + 1 end } }
        local App = scripted.feature {
          state = { log = {} },
          on = {
            show = function(state) state.child = { n = 0 } end,
            hide = function(state) state.child = scripted.null end,
          },
        }
        App = App:ifLet("child", Child)
        App = App:onChange("child.n", function(state, old, new)
          table.insert(state.log, tostring(old) .. " to " .. tostring(new))
        end)
        return App:signpost():dependency("uuid", function() return "1" end)
        """)
    let store = try scripts.store()
    for path in ["show", "child.up", "hide", "show", "child.dismiss"] { try store.send(path) }
    #expect(store.state.object?["child"] == nil)
    #expect(store.log == ["nil to 0", "0 to 1", "1 to nil", "nil to 0", "0 to nil"])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func theOldAndTheNewValueAreReadOnly() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { list = {} }, on = { add = function(state) state.list[1] = 1 end },
        }:onChange("list", function(state, old, new) new[1] = 2 end)
        """)
    let store = try scripts.store()
    store.send("add")
    #expect(scripts.errors.count == 1)
    #expect(store.state["list"] == [])
  }

  @Test func whatItRaisesRollsTheActionBackAndNamesTheFeature() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "Counter", state = { n = 0 }, on = { up = function(state) state.n = 1 end },
        }:onChange("n", function() error("no") end)
        """)
    let store = try scripts.store()
    store.send("up")
    #expect(store.state["n"] == 0)
    #expect(scripts.errors.first?.feature == "Counter")
    #expect(scripts.errors.first?.line == 3)
  }

  @Test func changesOfOneMayCauseAnother() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { a = 0, b = 0, c = 0 }, on = { up = function(state) state.a = state.a + 1 end },
        }:onChange("a", function(state, _, new) state.b = new * 2 end)
         :onChange("b", function(state, _, new) state.c = new * 2 end)
        """)
    let store = try scripts.store()
    store.send("up")
    #expect(store.state == ["a": 1, "b": 2, "c": 4])
  }

  @Test func anArgumentThatIsNoFunctionRaisesAtItsLine() throws {
    let scripts = try Scripts(app: "\nreturn scripted.empty:onChange('a')")
    let error = scriptError { _ = try scripts.store(state: [:]) }
    #expect(error?.line == 2)
    let message = try #require(error?.message)
    #expect(message.contains("bad argument #2 to 'onChange' (function expected, got nil)"))
  }

  @Test func itWorksInSwiftOverAScript() throws {
    let scripts = try Scripts([
      "counter": """
      return scripted.feature { state = { n = 0 }, on = {
        up = function(state) state.n = state.n + 1 end,
        told = function(state, action) state.told = action.value end,
      } }
      """
    ])
    let reducer = Reducer.script("counter")
      .onChange("n") { state, old, new, action in
        state["log"] = .string("\(old) \(new) \(action.path)")
        return try .send("told", new)
      }
      .onChange(
        of: { .boolean(($0["n"].int ?? 0) > 1) },
        { state, _, new, _ in
          state["many"] = new
          return .none
        })
    let store = try scripts.host.store(reducer, state: ["n": 0])
    store.send("up")
    #expect(store.state == ["n": 1, "log": "0 1 up", "told": 1])
    store.send("up")
    #expect(store.state == ["n": 2, "log": "1 2 up", "told": 2, "many": true])
  }
}

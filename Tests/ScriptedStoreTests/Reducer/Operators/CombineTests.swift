import LuaBridge
import ScriptedStore
import Testing

/// `scripted.combine`, `reduce` and `empty`.
struct CombineTests {
  @Test func nilBetweenReducersIsNone() throws {
    let scripts = try Scripts(
      app: """
        local A = scripted.feature { state = { n = 0 }, on = { a = function(state) state.n = state.n + 1 end } }
        return scripted.combine { nil, A, nil, A }
        """)
    let store = try scripts.store()
    store.send("a")
    #expect(store.state == ["n": 2])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func reducersWithNamesAreRefused() throws {
    let scripts = try Scripts(
      app: "return scripted.combine { scripted.empty, child = scripted.empty }")
    let error = scriptError { _ = try scripts.store(state: [:]) }
    #expect(error?.message.contains("without names ('child')") == true)
  }

  @Test func reducersRunInOrderAndTheirEffectsMerge() throws {
    let scripts = try Scripts(
      app: """
        local function noting(name)
          return scripted.reduce(function(state, action)
            table.insert(state.log, name .. " " .. action.type)
            if action.type == "go" then return effect.send(name .. "Sent") end
          end)
        end
        return scripted.combine {
          scripted.feature { name = "First", state = { log = {} }, on = {} },
          noting "a", scripted.empty, noting "b", function() return noting "c" end,
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(
      store.log == [
        "a go", "b go", "c go", "a aSent", "b aSent", "c aSent", "a bSent", "b bSent", "c bSent",
        "a cSent", "b cSent", "c cSent",
      ])
  }

  @Test func initialAndNameAreTheFirstFeatures() throws {
    let scripts = try Scripts(
      app: """
        local A = scripted.feature { name = "A", state = { a = 1 }, on = { a = function() end } }
        local B = scripted.feature { name = "B", state = { b = 1 }, on = { b = function() end } }
        local C = scripted.combine { A, B }
        assert(C.name == "A" and C.actions.a().type == "a")
        return scripted.combine { scripted.empty, C }
        """)
    #expect(try scripts.store().state == ["a": 1])
  }

  @Test func aLaterReducerSeesWhatAnEarlierOneWrote() throws {
    let scripts = try Scripts(
      app: """
        return scripted.combine {
          scripted.feature { state = { n = 1 }, reduce = function(state) state.n = state.n + 1 end },
          scripted.reduce(function(state) state.n = state.n * 10 end),
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["n": 20])
  }

  @Test func aReducerWithoutInitialStateNeedsOne() throws {
    let scripts = try Scripts(app: "return scripted.reduce(function(state) state.n = 1 end)")
    #expect(scriptError { _ = try scripts.store() }?.message.contains("no initial state") == true)
    let store = try scripts.store(state: ["n": 0])
    store.send("go")
    #expect(store.state == ["n": 1])
  }

  @Test(arguments: [
    ("scripted.combine(scripted.empty)", "takes a list of reducers"),
    ("scripted.combine()", "takes a list of reducers"),
    ("scripted.combine { 5 }", "bad argument #1 to 'combine' (reducer expected, got number)"),
    ("scripted.combine { scripted.empty, {} }", "bad argument #2 to 'combine'"),
    (
      "scripted.combine { scripted.scope('a', scripted.empty), scripted.scope('b', scripted.empty, "
        + "{ action = 'a' }) }",
      "two operators have the action name 'a': scope at app.lua:2 and scope at app.lua:2"
    ),
  ]) func aWrongCombineRaises(_ made: String, _ message: String) throws {
    let scripts = try Scripts(app: "\nlocal made = \(made)\nreturn made")
    let error = try #require(scriptError { _ = try scripts.store(state: [:]) })
    #expect(error.message.contains(message), "\(error)")
    #expect(error.script == "app.lua" && error.line == 2, "\(error)")
  }

  @Test func twoOperatorsWithOneNameBehindAFunctionRaiseToo() throws {
    let scripts = try Scripts(
      app: """
        local lazy = function() return scripted.scope("a", scripted.empty) end
        return scripted.combine { lazy, lazy }
        """)
    let error = scriptError { _ = try scripts.store(state: [:]) }
    #expect(error?.message.contains("two operators have the action name \"a\"") == true)
  }

  @Test func aFunctionThatReturnsNoReducerRaises() throws {
    for (made, part) in [("5", "number"), ("nil", "nil"), ("function() end", "not a function")] {
      let scripts = try Scripts(
        app: "return scripted.combine { function() return \(made) end }")
      let error = scriptError { _ = try scripts.store(state: [:]) }
      #expect(error?.message.contains(part) == true, "\(String(describing: error))")
    }
  }

  @Test func aReducerThatContainsItselfRaises() throws {
    let scripts = try Scripts(
      app: """
        local Self
        Self = scripted.combine { scripted.empty, function() return Self end }
        return Self
        """)
    let error = scriptError { _ = try scripts.store(state: [:]) }
    #expect(error?.message.contains("nested more than 200 deep") == true)
  }
}

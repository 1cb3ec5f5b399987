import LuaBridge
import ScriptedStore
import Testing

/// `scope`: a child on a part of the state, before its parent.
struct ScopeTests {
  private static let counter = """
    local Counter = scripted.feature {
      name = "Counter", state = { n = 0 },
      on = {
        up = function(state) state.n = state.n + 1 end,
        fail = function(state) state.n = 100; error("no") end,
        ask = function() return effect.send("up") end,
      },
    }

    """

  @Test func theChildRunsOnItsPartBeforeTheParent() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature {
          state = { counter = { n = 0 }, seen = {} },
          on = {
            ["counter.up"] = function(state) table.insert(state.seen, state.counter.n) end,
            counter = function(state, action) table.insert(state.seen, action.action.type) end,
          },
        }:scope("counter", Counter)
        """)
    let store = try scripts.store()
    store.send("counter.up")
    store.send("counter.up")
    store.send("counter.ask")
    #expect(store.state == ["counter": ["n": 3], "seen": [1, 2, "ask", 3]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aDottedKeyLeadsDownAndItsLastSegmentNamesTheAction() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature { state = { a = { b = { c = { n = 0 } } } }, on = {} }
          :scope("a.b.c", Counter)
          :scope("a.b.c", Counter, { action = "other" })
        """)
    let store = try scripts.store()
    store.send("c.up")
    store.send("other.up")
    #expect(store.state == ["a": ["b": ["c": ["n": 2]]]])
  }

  @Test func scriptedScopeStandsAlone() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.combine {
          scripted.feature { state = { l = { n = 0 }, r = { n = 0 } }, on = {} },
          scripted.scope("l", Counter), scripted.scope("r", Counter, { action = "right" }),
        }
        """)
    let store = try scripts.store()
    for path in ["l.up", "right.up", "right.up"] { try store.send(path) }
    #expect(store.state == ["l": ["n": 1], "r": ["n": 2]])
    #expect(scripts.warnings.isEmpty)
    store.send("r.up")
    #expect(scripts.warnings.map(\.kind) == [.unknownAction])
  }

  @Test func aPairOfFunctionsGivesAndTakesTheChildsState() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature { name = "App", state = { first = 3, second = 4 }, on = {
          ["sum.up"] = function(state) state.seen = state.first end,
        } }
          :scope({
            get = function(state) return { n = state.first + state.second } end,
            set = function(state, child) state.first = child.n; state.second = 0 end,
          }, Counter, { action = "sum" })
        """)
    let store = try scripts.store()
    store.send("sum.up")
    #expect(store.state == ["first": 8, "second": 0, "seen": 8])
    store.send("sum.ask")
    #expect(store.state == ["first": 9, "second": 0, "seen": 9])
    store.send("sum.fail")
    #expect(store.state == ["first": 9, "second": 0, "seen": 9])
    #expect(scripts.errors.count == 1)
  }

  @Test func getMayGiveADraftOfAPartOfTheState() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature { state = { at = "x", pages = { x = { n = 1 }, y = { n = 5 } } }, on = {
          show = function(state, action) state.at = action.value end,
        } }
          :scope({
            get = function(state) return state.pages[state.at] end,
            set = function(state, child) state.pages[state.at] = child end,
          }, Counter, { action = "page" })
        """)
    let store = try scripts.store()
    store.send("page.up")
    try store.send("show", "y")
    store.send("page.up")
    #expect(store.state["pages"] == ["x": ["n": 2], "y": ["n": 6]])
    try store.send("show", "z")
    store.send("page.up")
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
    #expect(scripts.warnings.first?.message.contains("`get` at app.lua:") == true)
  }

  @Test func whatGetOrSetRaiseRollsBack() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        local function failing(name)
          return { get = function(state) state.touched = 1; if name == "get" then error("in get") end; return { n = 1 } end,
            set = function(state) state.n = 5; error("in set") end }
        end
        return scripted.feature { name = "App", state = { n = 0 }, on = {} }
          :scope(failing "get", Counter, { action = "g" }):scope(failing "set", Counter, { action = "s" })
        """)
    let store = try scripts.store()
    store.send("g.up")
    store.send("s.up")
    #expect(scripts.errors.map(\.message) == ["in get", "in set"])
    #expect(store.state == ["n": 0])
  }

  @Test(arguments: [Value.null, 5, "x", true])
  func anAbsentChildWarnsIsSkippedAndTheParentStillRuns(_ absent: Value) throws {
    let scripts = try Scripts(
      app: Self.counter + """
        local App = scripted.feature {
          state = { ran = 0 },
          on = {
            put = function(state, action) state.counter = action.counter end,
            ["counter.up"] = function(state) state.ran = state.ran + 1 end,
          },
        }
        return App:scope("counter", Counter)
        """)
    for payload in [["counter": absent], [:]] as [Value] {
      let store = try scripts.store()
      try store.send("put", payload)
      store.send("counter.up")
      #expect(store.state["ran"] == 1)
    }
    #expect(scripts.errors.isEmpty)
    #expect(scripts.warnings.count == 2)
    let warning = try #require(scripts.warnings.first)
    #expect(warning.kind == .absentChild)
    #expect(warning.origin == "scope at app.lua:16")
    #expect(warning.action == "counter.up")
    for part in [
      "scope at app.lua:16", "\"counter.up\"", "state.counter", "was removed before", "absent",
    ] {
      #expect(warning.message.contains(part), "\(warning)")
    }
  }

  @Test func aChildThatRaisesRollsEverythingBack() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature {
          name = "App",
          state = { counter = { n = 0 }, mine = 0 },
          on = { ["counter.fail"] = function(state) state.mine = 1 end,
            after = function(state) state.mine = 2; error("late") end,
            ["counter.up"] = function(state) state.mine = 3; error("parent") end },
        }:scope("counter", Counter)
        """)
    let store = try scripts.store()
    let before = store.state
    for path in ["counter.fail", "after", "counter.up"] {
      try store.send(path)
      #expect(store.state == before)
    }
    #expect(scripts.errors.map(\.message) == ["no", "late", "parent"])
    #expect(scripts.errors.map(\.feature) == ["Counter", "App", "App"])
    #expect(scripts.errors.map(\.line) == [5, 13, 14])
    #expect(scripts.failedActions.map(\.path) == ["counter.fail", "after", "counter.up"])
  }

  @Test func theFeatureOfAnErrorIsTheOneThatRaised() throws {
    // Not the one that ran in the action before.
    let scripts = try Scripts([
      "app": Self.counter + "return Counter",
      "other": """
      return scripted.feature { state = { f = {} }, on = {} }
        :scope({ get = function() error("in get") end, set = print }, scripted.empty, { action = "f" })
      """,
    ])
    let counter = try scripts.store()
    let other = try scripts.host.store("other")
    counter.send("up")
    other.send("f.x")
    #expect(scripts.errors.first?.message == "in get")
    #expect(scripts.errors.first?.feature != "Counter")
  }

  @Test func fiveNestedScopes() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        local r = Counter
        for _ = 1, 5 do r = scripted.feature { state = { in_ = r.initial() }, on = {} }:scope("in_", r, { action = "go" }) end
        return r
        """)
    let store = try scripts.store()
    store.send("go.go.go.go.go.ask")
    #expect(store.state.get("in_.in_.in_.in_.in_.n") == 1)
  }

  @Test func featuresRecurseThroughAFunctionAsDeepAsStateGoes() throws {
    let scripts = try Scripts(
      app: """
        local Node
        Node = scripted.feature {
          name = "Node", state = { n = 0 },
          on = {
            up = function(state) state.n = state.n + 1 end,
            grow = function(state) state.next = { n = 0 } end,
            ["next.next.up"] = function(state) state.n = state.n + 10 end,
          },
        }:scope("next", function() return Node end)
        return Node
        """)
    let store = try scripts.store()
    for depth in 0..<126 {
      try store.send(Array(repeating: "next", count: depth).map { $0 + "." }.joined() + "grow")
    }
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    #expect(store.state.depth == 127)
    try store.send(String(repeating: "next.", count: 126) + "up")
    let deep = ValuePath(Array(repeating: .key("next"), count: 126) + [.key("n")])
    #expect(store.state.get(deep) == 1)
    #expect(
      store.state.get(ValuePath(Array(repeating: .key("next"), count: 124) + [.key("n")])) == 10)
    try store.send(String(repeating: "next.", count: 126) + "grow")
    #expect(store.state.depth == 128)
    try store.send(String(repeating: "next.", count: 127) + "grow")
    #expect(scripts.errors.count == 1)
    #expect(scripts.errors.first?.message.contains("128") == true, "\(scripts.errors)")
    #expect(store.state.depth == 128)
  }

  @Test(arguments: [
    ("Counter:scope()", "bad argument #2 to 'scope' (reducer expected, got nil)"),
    ("Counter:scope('a', 5)", "bad argument #2 to 'scope' (reducer expected, got number)"),
    ("Counter:scope(5, Counter)", "the key of 'scope' must be a string, not number"),
    ("Counter:scope('', Counter)", "the key of 'scope' must be a string, not empty"),
    ("Counter:scope('a..b', Counter)", "the key 'a..b' of 'scope' has an empty segment"),
    ("Counter:scope('.a', Counter)", "has an empty segment"),
    ("Counter:scope('a.', Counter)", "has an empty segment"),
    ("Counter:scope('a', Counter, 5)", "the options of 'scope' must be a table, not a number"),
    ("Counter:scope('a', Counter, { actoin = 'x' })", "'scope' has no option 'actoin'"),
    ("Counter:scope('a', Counter, { id = 'x' })", "'scope' has no option 'id'"),
    (
      "Counter:scope('a', Counter, { action = 5 })",
      "the option 'action' of 'scope' must be a string"
    ),
    (
      "Counter:scope('a', Counter, { action = '' })",
      "the option 'action' of 'scope' must be a string"
    ),
    ("Counter:scope({ get = print }, Counter, { action = 'a' })", "takes { get = function(state)"),
    ("Counter:scope({ get = print, set = print }, Counter)", "needs an action name"),
    ("Counter:scope('a', Counter):scope('a', Counter)", "two operators have the action name 'a'"),
    (
      "Counter:scope('x.a', Counter):forEach('a', Counter)",
      "two operators have the action name 'a'"
    ),
  ]) func aWrongScopeRaisesWhereItStands(_ made: String, _ message: String) throws {
    let scripts = try Scripts(app: Self.counter + "local made = \(made)\nreturn made")
    let error = try #require(scriptError { _ = try scripts.store() })
    #expect(error.message.contains(message), "\(error)")
    #expect(error.script == "app.lua" && error.line == 9, "\(error)")
  }

  @Test func childrenWithKeysThatLookLikeOtherThingsWork() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.feature { state = { ["a b"] = { n = 0 }, ["ö"] = { n = 0 } }, on = {} }
          :scope("a b", Counter):scope("ö", Counter)
        """)
    let store = try scripts.store()
    store.send("a b.up")
    store.send("ö.up")
    #expect(store.state == ["a b": ["n": 1], "ö": ["n": 1]])
  }
}

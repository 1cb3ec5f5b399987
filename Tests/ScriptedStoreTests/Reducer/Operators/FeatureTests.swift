import LuaBridge
import ScriptedStore
import Testing

/// `scripted.feature`: its fields, what it offers, and what its handlers get.
struct FeatureTests {
  // MARK: Handlers

  @Test func aHandlerGetsTheStateAndTheAction() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { n = 1 },
          on = { add = function(state, action) state.n = state.n + action.by end },
        }
        """)
    let store = try scripts.store()
    try store.send("add", ["by": 41])
    #expect(store.state == ["n": 42])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func reduceRunsAfterOnWithTheWholeAction() throws {
    let scripts = try Scripts(
      app: """
        local function note(state, text) table.insert(state.log, text) end
        return scripted.feature {
          state = { log = {} },
          on = {
            ["group.go"] = function(state, action)
              note(state, "on " .. action.type)
              return effect.send("first")
            end,
          },
          reduce = function(state, action)
            note(state, "reduce " .. action.type)
            if action.type == "group" then return effect.send("second") end
          end,
        }
        """)
    let store = try scripts.store()
    store.send("group.go")
    #expect(store.log == ["on go", "reduce group", "reduce first", "reduce second"])
  }

  @Test func aFeatureWithoutStateHasAnEmptyOne() throws {
    let store = try Scripts(app: "return scripted.feature { on = { go = function() end } }").store()
    #expect(store.state == [:])
  }

  @Test func replaceReplacesTheWholeState() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { a = 1 },
          on = { go = function(state) scripted.replace(state, { b = 2 }) end },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["b": 2])
  }

  @Test(arguments: [
    ("5", "a number"), ("'x'", "a string"), ("true", "a boolean"), ("false", "a boolean"),
    ("{}", "a table"),
    (
      "{ effect.none }",
      "a table (to send an action, return effect.send(…); for several effects, return effect.merge { a, b })"
    ), ("print", "a function"),
    ("scripted.null", "a "), ("state", "a "), ("scripted", "a table"),
  ]) func aHandlerThatReturnsJunkRaisesAndIsRolledBack(_ junk: String, _ what: String) throws {
    let scripts = try Scripts(
      app: """

        return scripted.feature {
          name = "Junk",
          state = { n = 0 },
          on = {
            go = function(state) state.n = 1; return \(junk) end,
            fine = function(state) state.n = 2; return nil end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    let error = try #require(scripts.errors.first)
    #expect(
      error.message.hasPrefix("a handler returns an effect or nothing; this one returned \(what)"),
      "\(error.message)")
    #expect(error.script == "app.lua" && error.line == 6)
    #expect(error.feature == "Junk")
    #expect(store.state == ["n": 0])
    store.send("fine")
    #expect(store.state == ["n": 2])
  }

  // MARK: Definition

  @Test(arguments: [
    ("scripted.feature { stat = {} }", "no field 'stat'; did you mean 'state'?"),
    ("scripted.feature { onn = {} }", "did you mean 'on'?"),
    ("scripted.feature { zzzzzzzz = 1 }", "no field 'zzzzzzzz'"),
    ("scripted.feature { [1] = 1 }", "no field '1'"),
    ("scripted.feature { name = 5 }", "the field 'name' of scripted.feature must be a string"),
    ("scripted.feature { on = 5 }", "the field 'on' of scripted.feature must be a table"),
    ("scripted.feature { reduce = {} }", "must be a function, not a table"),
    ("scripted.feature { state = 5 }", "the field 'state' of scripted.feature must be a table"),
    ("scripted.feature()", "table expected, got nil"),
    ("scripted.feature(5)", "table expected, got number"),
    ("scripted.feature { on = { go = 5 } }", "the handler of 'go' must be a function"),
    ("scripted.feature { on = { function() end } }", "must be an action's path, not a number"),
    ("scripted.feature { on = { ['a..b'] = print } }", "malformed action path \"a..b\""),
    ("scripted.feature { on = { [''] = print } }", "malformed action path"),
    ("scripted.feature { actions = { 5 } }", "a name in `actions` must be a string"),
    ("scripted.feature { actions = { '' } }", "a name in `actions` must be a string, not empty"),
    ("scripted.feature { actions = { told = true } }", "`actions` is a list of names"),
    ("scripted.feture {}", "scripted has no 'feture'; did you mean 'feature'?"),
    ("effect.sned('x')", "scripted.effect has no 'sned'; did you mean 'send'?"),
    ("list.fnd({}, 1)", "scripted.list has no 'fnd'; did you mean 'find'?"),
    ("list.append({}, 1)", "scripted.list has no 'append'; write 'table.insert(list, x)'"),
    ("list.first({})", "scripted.list has no 'first'; write 'list[1]'"),
    ("list.contains({}, 1)", "scripted.list has no 'contains'; write 'scripted.list.any'"),
    (
      "list.remove({ { id = 1 } }, { id = 1 })",
      "bad argument #2 to 'scripted.list.remove' (an id expected, got a table; write the element's id, as element.id)"
    ),
    ("list.find({}, {}, { id = 'uuid' })", "write the element's id, as element.uuid"),
    ("list.indexOf({}, {})", "bad argument #2 to 'scripted.list.indexOf'"),
    (
      "scripted.feature { name = 'A' }:initial()",
      "call 'initial' with a dot: Feature.initial()"
    ),
    ("scripted.feature {}:initial { n = 1 }", "call 'initial' with a dot"),
    (
      "scripted.feature { initialState = {} }",
      "scripted.feature has no field 'initialState'; did you mean 'state'?"
    ),
    (
      "scripted.feature { effects = {} }",
      "scripted.feature has no field 'effects'; it has actions, binding, dependencies, migrate, name, on, "
        + "reduce, reload, shared, state, transient, version, view"
    ),
    (
      "scripted.feature { reducers = {}, actionCreators = {}, initialState = {} }",
      "scripted.feature has no field 'actionCreators', 'initialState' (did you mean 'state'?), 'reducers' (did you "
        + "mean 'on'?); it has actions, "
    ),
    (
      "scripted.feature { on = { go = effect.send('x') } }",
      "the handler of 'go' must be a function, not an effect; write function() return effect.send(…) end"
    ),
    (
      "scripted.feature { state = { x = scripted.shared.inMemory('x', 1) } }",
      "state.x: a shared value cannot be stored in state; it is declared beside `state`, in shared = { x = … }"
    ),
    (
      "scripted.empty.view({ id = 1 })",
      "a parent places its child's view with ui.forEach \"rows\" or ui.child \"row\""
    ),
    ("scripted.empty.view(function() end)", "call 'view' with a colon"),
    (
      "list.remove({}, nil)",
      "bad argument #2 to 'scripted.list.remove' (no id; in a handler of a pattern with [*], it is ids[1])"
    ),
    (
      "list.remove({}, function() end)",
      "(an id expected, got a function; scripted.list.removeAll takes a function)"
    ),
    ("list.find({}, function() end)", "got a function; scripted.list.filter takes a function"),
    ("list.indexOf({}, function() end)", "or write a loop"),
    ("deps.uuid()", "global 'deps' is not declared; deps is the third argument of a handler"),
    ("send('x')", "global 'send' is not declared; send is the first argument of an effect"),
    ("scripted.empty:scope('a', scripted.empty, { key = 'b' })", "no option 'key'; it has action"),
    ("scripted.json.parse('')", "scripted.json has no 'parse'"),
    ("scripted.empty:scop('a', scripted.empty)", "a reducer has no 'scop'; did you mean 'scope'?"),
    ("scripted.empty.inital()", "a reducer has no 'inital'; did you mean 'initial'?"),
    ("scripted.empty.action.go()", "a reducer has no 'action'; did you mean 'actions'?"),
    (
      "scripted.feature { state = { sheet = scripted.empty } }",
      "state.sheet: a feature cannot be "
        + "stored in state; store a state of it, as Feature.initial() makes one"
    ),
    ("scripted.empty.scope('a', scripted.empty)", "call 'scope' with a colon"),
    ("scripted.empty.forEach('a', scripted.empty)", "call 'forEach' with a colon"),
    (
      "scripted.empty:scope('a', scripted.empty, { acton = 'b' })",
      "'scope' has no option 'acton'; did you mean 'action'?"
    ),
    ("list.find({}, 1, { key = 'uuid' })", "there is no option 'key', only { id = \"uuid\" }"),
    ("list.sort({ {}, {} })", "the elements are tables, so it takes one that compares them"),
    ("scripted.snapshot(print)", "scripted.snapshot takes a value of state, not a function"),
    ("scripted.json.decode('{')", "malformed JSON at line 1, column 2"),
    ("scripted.action('a[*].b', 3)", "list of ids expected, got number"),
    ("scripted.feature { state = { f = print } }", "state.f: a function cannot be stored in state"),
    ("scripted.feature { state = { a = { { f = print } } } }", "state.a[1].f: a function"),
    ("scripted.feature { state = { [1] = 1, x = 2 } }", "state"),
    ("scripted.feature { state = { n = 0/0 } }", "state.n"),
    ("scripted.feature { state = { s = '\\xff' } }", "state.s"),
    (
      "(function() local t = {}; for _ = 1, 128 do t = { t } end; "
        + "return scripted.feature { state = t } end)()", "128"
    ),
    (
      "(function() local t = {}; t.t = t; return scripted.feature { state = t } end)()", "state.t"
    ),
    ("scripted.reduce(5)", "bad argument #1 to 'scripted.reduce' (function expected, got number)"),
  ]) func aWrongDefinitionRaisesWhereItStands(_ definition: String, _ message: String) throws {
    let scripts = try Scripts(app: "\n\nlocal made = \(definition)\nreturn made")
    let error = try #require(scriptError { _ = try scripts.store() })
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.script == "app.lua", "\(error)")
    #expect(error.line == 3, "\(error)")
  }

  @Test func aStateOf128LevelsIsFine() throws {
    let scripts = try Scripts(
      app: """
        local t = {}
        for _ = 1, 127 do t = { t } end
        return scripted.feature { state = t, on = { go = function() end } }
        """)
    #expect(try scripts.store().state.depth == 128)
  }

  // MARK: initial

  @Test func initialIsAFreshPlainTableWithOverrides() throws {
    let scripts = try Scripts([
      "child":
        "return scripted.feature { name = 'Child', state = { id = 0, tags = { 'a' }, n = 1 } }",
      "app": """
      local Child = require "child"
      return scripted.feature {
        state = { rows = scripted.array {} },
        on = {
          add = function(state)
            local first = Child.initial()
            first.tags[1] = "changed"
            assert(getmetatable(first) == nil and math.type(first.id) == "integer")
            state.rows = {
              Child.initial(), Child.initial { id = 7, extra = { x = 1 } },
              Child.initial { tags = {} }, Child:scope("c", scripted.empty).initial { id = 1 },
            }
          end,
          wrong = function() Child.initial(5) end,
        },
      }
      """,
    ])
    let store = try scripts.store()
    store.send("add")
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    #expect(
      store.state["rows"] == [
        ["id": 0, "tags": ["a"], "n": 1],
        ["id": 7, "tags": ["a"], "n": 1, "extra": ["x": 1]],
        ["id": 0, "tags": [], "n": 1],
        ["id": 1, "tags": ["a"], "n": 1],
      ])
    store.send("wrong")
    #expect(scripts.errors.first?.message.contains("table expected, got number") == true)
  }

  @Test func initialCopiesWhatItIsGiven() throws {
    let scripts = try Scripts([
      "app": """
      local Child = scripted.feature { name = "Child", state = { tags = {}, n = 1 } }
      return scripted.feature {
        state = { source = { tags = { { name = "a" } } } },
        on = {
          copy = function(state)
            local overrides = { tags = { { name = "a" } }, gone = scripted.null }
            local first, second = Child.initial(overrides), Child.initial(overrides)
            overrides.tags[1].name = "changed"
            first.tags[1].other = true
            assert(second.tags ~= first.tags and second.tags[1].other == nil)
            state.rows = { first, second, Child.initial(state.source) }
            state.source.tags[1].name = "changed"
          end,
          wrong = function() Child.initial { tags = { print } } end,
        },
      }
      """
    ])
    let store = try scripts.store()
    store.send("copy")
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    #expect(
      store.state["rows"] == [
        ["tags": [["name": "a", "other": true]], "n": 1, "gone": .null],
        ["tags": [["name": "a"]], "n": 1, "gone": .null],
        ["tags": [["name": "a"]], "n": 1],
      ])
    store.send("wrong")
    #expect(
      scripts.errors.first?.message
        == "state.tags[1]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    )
  }

  @Test func aStoresStateOverridesTopLevelKeys() throws {
    let scripts = try Scripts(
      app: "return scripted.feature { state = { a = 1, b = { c = 1, d = 2 } } }")
    #expect(
      try scripts.store(state: ["b": ["c": 9], "e": nil]).state
        == ["a": 1, "b": ["c": 9], "e": nil])
    #expect(try scripts.store(state: [:]).state == ["a": 1, "b": ["c": 1, "d": 2]])
    #expect(try scripts.store().state == ["a": 1, "b": ["c": 1, "d": 2]])
    for wrong: Value in [5, "x", [1]] {
      let error = scriptError { _ = try scripts.store(state: wrong) }
      #expect(error?.message.contains("app must be an object") == true, "\(wrong)")
    }
    #expect(try scripts.store(state: []).state == ["a": 1, "b": ["c": 1, "d": 2]])
  }

  // MARK: actions

  @Test func actionsBuildKnownActions() throws {
    let scripts = try Scripts(
      app: """
        local Row = scripted.feature { name = "Row", on = { toggle = function() end } }
        local Base = scripted.feature {
          name = "Base",
          state = { log = {} },
          actions = { "delegate" },
          on = { set = function() end, ["rows[*].toggle"] = function() end, ["view.tap"] = function() end },
        }
        local App = Base:forEach("rows", Row):scope("child", Row)
        return scripted.combine { App, scripted.reduce(function(state, action)
          if action.type ~= "go" then return end
          local actions, json = App.actions, scripted.json.encode
          local function note(value) table.insert(state.log, json(value)) end
          note(actions.set())
          note(actions.set { to = 1 })
          note(actions.set(5))
          note(actions.delegate { type_ = 1 })
          note(actions.rows(3, { type = "toggle" }))
          note(actions.rows(3, Row.actions.toggle { x = 1 }))
          note(actions.rows("a", "toggle"))
          note(actions.child("toggle", { x = 1 }))
          note(scripted.action("rows[*].deep[*].add", { 3, "x" }, { n = 1 }))
          note(scripted.action("set"))
          for _, wrong in ipairs {
            function() return actions.delegat end,
            function() return Base.actions.rows end,
            function() return actions.child() end,
            function() return actions.rows(3, {}) end,
            function() return actions.set { type = "x" } end,
            function() actions.set = 1 end,
            function() return scripted.action("rows[*].go", {}) end,
            function() return scripted.action("rows[1].go", { 3 }) end,
            function() return scripted.action({ type = "set" }) end,
            function() return actions.rows(nil, "toggle") end,
          } do
            local ok, message = pcall(wrong)
            table.insert(state.log, ok and "raised nothing" or (message:gsub("^app.lua:%d+: ", "")))
          end
        end) }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    let log = store.log
    let built = try log.prefix(10).map { try Value(json: $0) }
    #expect(
      built == [
        ["type": "set"], ["type": "set", "to": 1], ["type": "set", "value": 5],
        ["type": "delegate", "type_": 1],
        ["type": "rows", "id": 3, "action": ["type": "toggle"]],
        ["type": "rows", "id": 3, "action": ["type": "toggle", "x": 1]],
        ["type": "rows", "id": "a", "action": ["type": "toggle"]],
        ["type": "child", "action": ["type": "toggle", "x": 1]],
        [
          "type": "rows", "id": 3,
          "action": ["type": "deep", "id": "x", "action": ["type": "add", "n": 1]],
        ],
        ["type": "set"],
      ])
    let messages = [
      "Base has no action 'delegat'; did you mean 'delegate'?", "", "an action is a table",
      "has no type", "may not have a field 'type'", "the actions of a reducer cannot be changed",
      "more [*] than there are ids", "fewer [*] than ids", "path expected, got", "id",
    ]
    try #require(log.count == 20, "\(log)")
    for (message, part) in zip(log.dropFirst(10), messages) where part != "" {
      #expect(message.contains(part), "\(message)")
    }
  }

  // MARK: Known types

  @Test func anUnknownTypeWarnsWithTheNearestName() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "Counter",
          state = { n = 0 },
          actions = { "delegate", "view.appear" },
          on = { increment = function() end, ["response.success"] = function() end },
        }
        """)
    let store = try scripts.store()
    func warning(_ action: Value) throws -> String? {
      let before = scripts.warnings.count
      try store.send(action)
      let new = scripts.warnings.dropFirst(before)
      #expect(new.count <= 1)
      if let kind = new.first?.kind { #expect(kind == .unknownAction) }
      return new.first?.message
    }
    #expect(
      try warning(["type": "incremet"])
        == "Counter has no handler for the action \"incremet\"; did you mean \"increment\"? "
        + "(feature at app.lua:1, the action \"incremet\")")
    #expect(
      try warning(["type": "zzzzzz"])?.contains("list it in `actions`") == true)
    #expect(try warning(["type": "increment"]) == nil)
    #expect(try warning(["type": "increment", "action": ["type": "deeper"]]) == nil)
    #expect(try warning(["type": "delegate"]) == nil)
    #expect(try warning(["type": "delegate", "action": ["type": "anything"]]) == nil)
    #expect(try warning(["type": "view", "action": ["type": "appear"]]) == nil)
    #expect(
      try warning(["type": "view", "action": ["type": "apear"]])?.contains("\"appear\"") == true)
    #expect(try warning(["type": "response", "action": ["type": "success"]]) == nil)
    #expect(try warning(["type": "response", "success": 1]) == nil)
    #expect(scripts.warnings.first?.origin == "feature at app.lua:1")
    #expect(scripts.warnings.first?.action == "incremet")
    #expect(store.state == ["n": 0])
  }

  @Test func theActionsOfAFeatureAreAList() throws {
    let scripts = try Scripts(app: "return scripted.feature { actions = { delegate = {} } }")
    let error = scriptError { _ = try scripts.store() }
    #expect(error?.message == "`actions` is a list of names: actions = { \"delegate\" }")
    #expect(error?.line == 1)
  }

  @Test func idsOfAPathAreAList() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = {}, on = { go = function(state)
          return effect.send(scripted.action("setTitle", { title = "Milk" }))
        end } }
        """)
    try scripts.store().send("go")
    #expect(scripts.errors.first?.message.contains("list of ids expected, got table") == true)
    #expect(scripts.errors.first?.message.contains("the payload is the third") == true)
  }

  @Test func aReducerOfTheSameDomainMakesATypeKnown() throws {
    let scripts = try Scripts(
      app: """
        local A = scripted.feature { state = { n = 0 }, on = { a = function() end } }
        local B = scripted.feature { on = { b = function() end } }
        return scripted.combine { A, B }:scope("child", scripted.empty)
        """)
    let store = try scripts.store(state: ["child": [:]])
    for path in ["a", "b"] { try store.send(path) }
    #expect(scripts.warnings.isEmpty)
    store.send("c")
    #expect(scripts.warnings.count == 1)
    store.send("child.what")
    #expect(scripts.warnings.count == 2)
  }

  @Test func aReducerWithReduceKnowsEveryType() throws {
    let scripts = try Scripts(app: "return scripted.feature { reduce = function() end }")
    try scripts.store().send("anything")
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aParentsPatternDoesNotMakeAChildsTypeKnown() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { name = "Child", actions = { "told" }, on = {} }
        return scripted.feature {
          state = { child = {} }, on = { ["child"] = function() end, ["child.told"] = function() end },
        }:scope("child", Child)
        """)
    let store = try scripts.store()
    store.send("child.told")
    #expect(scripts.warnings.isEmpty)
    store.send("child.tolt")
    #expect(
      scripts.warnings.first?.message
        == "Child has no handler for the action \"tolt\"; did you mean \"told\"? "
        + "(feature at app.lua:1, the action \"child.tolt\")")
  }

  // MARK: Operators keep what a feature offers

  @Test func operatorsReturnNewReducersAndKeepWhatTheFeatureOffers() throws {
    let scripts = try Scripts(
      app: """
        local Base = scripted.feature { name = "Base", state = { n = 1, child = {} }, on = { up = function() end } }
        local Child = scripted.feature { on = { go = function(state) state.went = true end } }
        local Scoped = Base:scope("child", Child)
        assert(Scoped ~= Base and Scoped.name == "Base" and Scoped.initial().n == 1)
        assert(Scoped.actions.up().type == "up")
        assert(Scoped.actions.child("go").action.type == "go")
        assert(not pcall(function() return Base.actions.child end), "the old one is left alone")
        assert(not pcall(function() Base.name = "x" end))
        assert(getmetatable(Base) == false)
        assert(not pcall(setmetatable, Base, {}))
        assert(not pcall(function() return Base.unknown end))
        return Base
        """)
    let store = try scripts.store()
    store.send("child.go")
    #expect(store.state == ["n": 1, "child": [:]])
    #expect(scripts.warnings.count == 1)
  }

  @Test func tracebacksShowTheScriptsOwnCallsOnly() throws {
    let scripts = try Scripts(
      app: """
        local function make() return scripted.empty:scope("a") end
        local made = make()
        return made
        """)
    let error = try #require(scriptError { _ = try scripts.store() })
    #expect(
      error.traceback == """
        stack traceback:
        \t[C]: in method 'scope'
        \tapp.lua:1: in local 'make'
        \tapp.lua:2: in main chunk
        """)
  }

  @Test(arguments: ["return 3", "", "return function() end"])
  func aFunctionThatReturnsNoReducerIsNamedByItsOperator(_ body: String) throws {
    let scripts = try Scripts(
      app: """
        local App = scripted.feature { state = { a = {} } }
        return App:scope("a", function() \(body) end)
        """)
    try scripts.store().send("a.x")
    let error = try #require(scripts.errors.first)
    #expect(
      error.message.hasPrefix("scope at app.lua:2: the function that stands for a reducer must"))
  }
}

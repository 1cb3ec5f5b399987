import LuaBridge
import ScriptedStore
import Testing

/// `scripted.cases` and `ifCaseLet`: reducers on a state that is tagged.
struct CasesTests {
  private static let counter = """
    local Counter = scripted.feature {
      name = "Counter", state = { n = 0 },
      on = { up = function(state) state.n = state.n + 1 end },
    }

    """

  private func app() throws -> Scripts {
    try Scripts(
      app: Self.counter + """
        local Destination = scripted.cases {
          add = Counter, edit = function() return Counter end, item = scripted.ignored, alert = scripted.ephemeral,
        }
        return scripted.feature { name = "App", state = { log = {} }, on = {
          go = function(state, action) state.destination = action.to end,
          write = function(state, action) state.destination[action.key] = action.to end,
          destination = function(state, action)
            local to = state.destination
            table.insert(state.log, action.action.type .. " " .. (to and next(to) or "none"))
          end,
          ["destination.alert.again"] = function(state) state.destination = { alert = { title = "again" } } end,
          ["destination.alert.inner"] = function(state) state.destination.alert = { title = "inner" } end,
          ["destination.alert.edit"] = function(state) state.destination = { edit = { n = 0 } } end,
        } }:ifLet("destination", Destination)
        """)
  }

  @Test func theCaseThatTheStateIsInRuns() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("go", ["to": ["add": ["n": 1]]])
    store.send("destination.add.up")
    #expect(store.state["destination"] == ["add": ["n": 2]])
    try store.send("go", ["to": ["edit": ["n": 5]]])
    store.send("destination.edit.up")
    #expect(store.state == ["log": ["add add", "edit edit"], "destination": ["edit": ["n": 6]]])
    store.send("destination.dismiss")
    #expect(store.state == ["log": ["add add", "edit edit", "dismiss edit"]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test(arguments: [("add", "add"), (5, "add"), ("edit", "edit")] as [(Value, String)])
  func aStateThatIsNoObjectIsRefused(_ state: Value, _ example: String) throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("go", ["to": state])
    #expect(store.state == ["log": []])
    let error = try #require(scripts.errors.first)
    #expect(
      error.message.hasSuffix(
        "a tagged state is an object with one key, as { \(example) = … }; this one is \(state)"),
      "\(error.message)")
  }

  @Test func anActionForAnotherCaseWarnsAndTheParentRuns() throws {
    let scripts = try app()
    let store = try scripts.store(state: ["destination": ["add": ["n": 0]]])
    store.send("destination.edit.up")
    #expect(store.state == ["log": ["edit add"], "destination": ["add": ["n": 0]]])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1 && warning.kind == .otherCase)
    #expect(warning.origin.hasPrefix("cases at app.lua:"))
    #expect(warning.message.contains("is in the case 'add'"), "\(warning)")
    store.send("destination.nothing.up")
    #expect(scripts.warnings.last?.kind == .unknownAction)
    #expect(
      scripts.warnings.last?.message.contains("; the cases are add, alert, edit, item") == true,
      "\(scripts.warnings)")
  }

  @Test func whatIsIgnoredMayBeAnyValueAndTakesAnyAction() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("go", ["to": ["item": 5]])
    store.send("destination.item.whatever")
    #expect(store.state["destination"] == ["item": 5])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func anEphemeralCaseGoesAfterAnyOfItsActions() throws {
    let scripts = try app()
    let alert: Value = ["alert": ["title": "A"]]
    let store = try scripts.store(state: ["destination": alert])
    store.send("destination.alert.confirmTapped")
    #expect(store.state == ["log": ["alert alert"]])
    for (path, left) in [
      ("again", ["alert": ["title": "again"]]), ("inner", ["alert": ["title": "inner"]]),
      ("edit", ["edit": ["n": 0]]),
    ] as [(String, Value)] {
      try store.send("go", ["to": alert])
      try store.send("destination.alert.\(path)")
      #expect(store.state["destination"] == left)
    }
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    store.send("destination.alert.confirmTapped")
    #expect(store.state["destination"] == ["edit": ["n": 0]])
    #expect(scripts.warnings.map(\.kind) == [.otherCase])
  }

  // MARK: Refused states

  @Test(
    arguments: [
      ("write", ["key": "edit", "to": ["n": 0]], "this one has 'add' and 'edit'"),
      ("write", ["key": "add"], "this one has none"),
      ("go", ["to": ["ad": ["n": 0]]], "there is no case 'ad'"),
      ("go", ["to": ["ad": ["n": 0]]], "did you mean 'add'?"),
      ("go", ["to": ["add": 5]], "must be a table, not 5"),
      ("go", ["to": [1]], "this one has none"),
    ] as [(String, Value, String)])
  func aStateWithOtherThanOneCaseRollsTheActionBack(
    _ path: String, _ payload: Value, _ message: String
  ) throws {
    let scripts = try app()
    let store = try scripts.store(state: ["destination": ["add": ["n": 0]]])
    try store.send(path, payload)
    #expect(store.state == ["log": [], "destination": ["add": ["n": 0]]])
    let error = try #require(scripts.errors.first)
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.message.hasPrefix("cases at app.lua:"))
    store.send("destination.add.up")
    #expect(store.state["destination"] == ["add": ["n": 1]])
  }

  @Test func noStoreIsMadeOfSuchAState() throws {
    let scripts = try app()
    let error = scriptError { _ = try scripts.store(state: ["destination": ["other": [:]]]) }
    #expect(error?.message.contains("there is no case 'other'") == true)
  }

  @Test(arguments: [
    ("scripted.cases { 5 }", "a case of 'scripted.cases' must be a string"),
    (
      "scripted.cases { a = 5 }", "the case 'a' of 'scripted.cases' must be a reducer, not a number"
    ),
    ("scripted.cases(scripted.empty)", "a reducer for each case"),
    ("scripted.cases {}", "needs a case"),
    ("scripted.cases { a = scripted.empty }:scope('a', scripted.empty)", "action name 'a'"),
  ])
  func wrongUsesAreRefused(_ use: String, _ message: String) throws {
    let scripts = try Scripts(app: "return " + use)
    let error = scriptError { _ = try scripts.store() }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
  }

  @Test func theirActionsBuildThem() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        local Destination = scripted.cases { add = Counter }
        local App
        App = scripted.feature { state = { destination = { add = { n = 0 } } }, on = {
          go = function()
            return effect.send(App.actions.destination(Destination.actions.add(Counter.actions.up())))
          end,
        } }:ifLet("destination", Destination)
        return App
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["destination": ["add": ["n": 1]]])
  }

  // MARK: Alone, and in each other

  @Test func aStoreMayBeOfCases() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        return scripted.cases { outer = scripted.cases { inner = Counter }, other = Counter }
        """)
    let store = try scripts.store(state: ["outer": ["inner": ["n": 1]]])
    store.send("outer.inner.up")
    #expect(store.state == ["outer": ["inner": ["n": 2]]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func casesInSwiftTakeScriptsAndClosures() throws {
    let scripts = try Scripts(["counter": Self.counter + "return Counter"])
    let reducer = Reducer.empty.ifLet(
      "destination",
      .cases([
        "count": .script("counter"), "item": .ignored, "alert": .ephemeral,
        "note": .reduce { state, action in
          state["seen"] = .string(action.path)
          return .none
        },
      ]))
    let store = try scripts.host.store(reducer, state: ["destination": ["count": ["n": 0]]])
    let count = store.scope(state: "destination", case: "count")
    let note = store.scope(state: "destination", case: "note")
    count.send("up")
    #expect(count.state == ["n": 1] && note.state.isNull)
    note.send("hello")
    #expect(scripts.warnings.map(\.kind) == [.otherCase])
    let second = try scripts.host.store(reducer, state: ["destination": ["alert": ["title": "?"]]])
    second.send("destination.alert.yes")
    #expect(second.state == [:])
    let third = try scripts.host.store(reducer, state: ["destination": ["note": [:]]])
    third.scope(state: "destination", case: "note").send("hello")
    #expect(third.state == ["destination": ["note": ["seen": "hello"]]])
  }

  private static let kept: [(String, String, Value)] = [
    (":scope('page', Cases)", "page.alert.ok", ["page": ["alert": [:]]]),
    (":stack('path', Cases)", "path[0].alert.ok", ["path": [["id": 0, "alert": [:]]]]),
    (":forEach('rows', Cases)", "rows[0].alert.ok", ["rows": [["id": 0, "alert": [:]]]]),
    (
      ":ifLet('outer', scripted.cases { inner = Cases })", "outer.inner.alert.ok",
      ["outer": ["inner": ["alert": [:]]]]
    ),
  ]

  @Test(arguments: kept)
  func anEphemeralCaseThatNothingPresentsStaysWithAWarning(
    operators: String, action: String, state: Value
  ) throws {
    let scripts = try Scripts(
      app: """
        local Cases = scripted.cases { alert = scripted.ephemeral, item = scripted.ignored }
        return scripted.feature { name = "App", on = {} }\(operators)
        """)
    let store = try scripts.store(state: state)
    try store.send(action)
    #expect(store.state == state)
    #expect(scripts.warnings.map(\.kind) == [.notPresented])
    #expect(scripts.warnings.first?.message.contains("ephemeral") == true)
  }

  @Test func anEphemeralChildOfAScopeIsRefused() throws {
    let scripts = try Scripts(
      app: "return scripted.feature { on = {} }:scope('alert', scripted.ephemeral)")
    let error = #expect(throws: ScriptError.self) { try scripts.store(state: ["alert": [:]]) }
    #expect(error?.message.contains("ifLet") == true)
  }

  // MARK: ifCaseLet

  private func login() throws -> Scripts {
    try Scripts(
      app: Self.counter + """
        return scripted.feature { name = "App", state = { login = { n = 0 } }, actions = { "login", "game" }, on = {
          go = function(state, action) scripted.replace(state, action.to) end,
          ["login.up"] = function(state) if state.login.n == 2 then scripted.replace(state, { game = { n = 10 } }) end end,
        } }:ifCaseLet("login", Counter):ifCaseLet("game", Counter)
        """)
  }

  @Test func ifCaseLetRunsTheChildOfTheCaseBeforeTheParent() throws {
    let scripts = try login()
    let store = try scripts.store()
    store.send("login.up")
    #expect(store.state == ["login": ["n": 1]])
    store.send("login.up")
    store.send("game.up")
    #expect(store.state == ["game": ["n": 11]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    store.send("login.up")
    #expect(scripts.warnings.map(\.kind) == [.otherCase])
    #expect(scripts.warnings.first?.origin.hasPrefix("ifCaseLet at app.lua:") == true)
  }

  @Test func aTaggedRootIsGivenWhole() throws {
    let scripts = try login()
    #expect(try scripts.store(state: ["game": ["n": 3]]).state == ["game": ["n": 3]])
    #expect(try scripts.store(state: [:]).state == ["login": ["n": 0]])
    let other = try Scripts(
      app: Self.counter + """
        local App = scripted.feature { state = { login = { n = 0 } }, on = {} }:ifCaseLet("login", Counter)
        return scripted.feature { state = { a = App.initial { game = {} }, b = App.initial(), c = App.initial {} }, on = {} }
        """)
    let none: Value = ["login": ["n": 0]]
    #expect(try other.store().state == ["a": ["game": [:]], "b": none, "c": none])
  }

  @Test func aTaggedRootKeepsOneKey() throws {
    let scripts = try login()
    let store = try scripts.store()
    try store.send("go", ["to": ["login": ["n": 0], "game": ["n": 0]]])
    #expect(store.state == ["login": ["n": 0]])
    #expect(scripts.errors.first?.message.contains("'login' and 'game'") == true)
    // Cases that no `ifCaseLet` is for are all right.
    try store.send("go", ["to": ["offline": [:]]])
    #expect(store.state == ["offline": [:]])
    #expect(scripts.errors.count == 1)
  }

  @Test func taggedElementsHaveTheirIDBesideTheCase() throws {
    let scripts = try Scripts(
      app: Self.counter + """
        local Row = scripted.feature { on = {} }:ifCaseLet("loaded", Counter)
        return scripted.feature { state = {
          rows = { { id = 1, loaded = { n = 0 } }, { id = 2, loading = {} } }, keyed = { { key = 1, a = { n = 0 } } },
        }, on = {} }:forEach("rows", Row):forEach("keyed", scripted.cases { a = Counter }, { id = "key" })
        """)
    let store = try scripts.store()
    store.send("rows[1].loaded.up")
    store.send("keyed[1].a.up")
    #expect(store.state["rows"] == [["id": 1, "loaded": ["n": 1]], ["id": 2, "loading": [:]]])
    #expect(store.state["keyed"] == [["key": 1, "a": ["n": 1]]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func ifCaseLetInSwift() throws {
    let scripts = try Scripts(["counter": Self.counter + "return Counter"])
    let reducer = Reducer.reduce { state, action in
      if action.path == "start" { state = ["game": ["n": 0]] }
      return .none
    }
    .ifCaseLet("login", .script("counter")).ifCaseLet("game", .script("counter"))
    let store = try scripts.host.store(reducer, state: ["login": ["n": 0]])
    for path in ["login.up", "start", "game.up", "login.up"] { try store.send(path) }
    #expect(store.state == ["game": ["n": 1]])
    #expect(scripts.warnings.map(\.kind) == [.otherCase])
  }
}

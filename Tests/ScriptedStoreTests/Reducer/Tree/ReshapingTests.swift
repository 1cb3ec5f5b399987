import LuaBridge
import ScriptedStore
import Testing

/// Children are looked for only where an action changed more than scalars: what does change them is found, whichever way
/// it is written.
struct ReshapingTests {
  private static let child = """
    local Child = scripted.feature {
      name = "Child", dependencies = { "clock" },
      on = {
        wait = function() return effect.run(function(_, deps) deps.clock.sleep(9) end) end,
        count = function(state) state.n = (state.n or 0) + 1 end,
        log = function(state) state.log = { "a", { deep = {} } }; state.id = state.id end,
        rename = function(state, action) state.id = action.value end,
        renameByKey = function(state, action) state.name = action.value end,
      },
    }

    """

  private func app(_ on: String, _ operators: String, _ state: String) throws -> EffectApp {
    try EffectApp(on, locals: Self.child, operators: operators, state: state)
  }

  private func places(_ app: EffectApp) -> [String] { app.store.effects.map(\.place) }

  @Test func whatAChildDoesToItsOwnTablesLeavesItsEffects() throws {
    let app = try app(
      "", ":ifLet('child', Child):scope('page', Child)", "{ child = { id = 1 }, page = { n = 0 } }")
    app.store.send("child.wait")
    app.store.send("page.wait")
    for action in ["child.count", "child.count", "child.log", "page.log", "page.count"] {
      try app.store.send(action)
    }
    #expect(places(app) == ["child", "page"])
  }

  @Test(arguments: [
    "state.child.id = 2", "state.child.id = nil", "state.child = nil", "state.child = { id = 2 }",
    "scripted.replace(state, {})", "scripted.replace(state.child, { id = 2 })",
    "state.child, state.other = nil, state.child",
  ])
  func aChildThatBecomesAnotherOneLosesItsEffects(change: String) throws {
    let app = try app(
      "change = function(state) \(change) end,", ":ifLet('child', Child)", "{ child = { id = 1 } }")
    app.store.send("child.wait")
    app.store.send("change")
    #expect(places(app) == [] && app.scripts.errors.isEmpty)
  }

  @Test func aChildThatGivesItselfAnotherIDLosesItsEffects() throws {
    let app = try app("", ":scope('page', Child)", "{ page = { id = 1 } }")
    app.store.send("page.wait")
    try app.store.send("page.rename", ["value": 1])
    #expect(places(app) == ["page"])
    try app.store.send("page.rename", ["value": 2])
    #expect(places(app) == [])
  }

  @Test func theIDOfACaseIsFoundBelowIt() throws {
    let app = try app(
      "", ":ifLet('at', scripted.cases { child = Child })", "{ at = { child = { id = 1 } } }")
    app.store.send("at.child.wait")
    app.store.send("at.child.count")
    #expect(places(app) == ["at.child"])
    try app.store.send("at.child.rename", ["value": 2])
    #expect(places(app) == [])
  }

  @Test(arguments: [3, 40])
  func anElementIsFoundByTheFieldThatIdentifiesIt(count: Int) throws {
    let rows = (1...count).map { "{ name = 'r\($0)', id = 0 }" }.joined(separator: ", ")
    let app = try app(
      "", ":forEach('rows', Child, { id = 'name' })", "{ rows = { \(rows) } }")
    app.store.send("rows[r2].wait")
    try app.store.send("rows[r2].rename", ["value": 7])
    app.store.send("rows[r1].count")
    #expect(places(app) == ["rows[r2]"])
    try app.store.send("rows[r2].renameByKey", ["value": "r3"])
    #expect(places(app) == [])
    #expect(app.scripts.warnings.map(\.kind) == [.duplicateID])
  }

  @Test func anIndexFollowsAListWhoseElementsWriteScalars() throws {
    let rows = (1...40).map { "{ id = \($0) }" }.joined(separator: ", ")
    let app = try app(
      """
      countAll = function(state) for _, row in ipairs(state.rows) do row.n = 5 end end,
      remove = function(state) table.remove(state.rows, 1) end,
      """, ":forEach('rows', Child)", "{ rows = { \(rows) } }")
    for action in ["rows[40].count", "countAll", "rows[40].count", "remove", "rows[40].count"] {
      try app.store.send(action)
    }
    #expect(app.store.state["rows"].array?.last == ["id": 40, "n": 7])
    app.store.send("rows[1].count")
    #expect(app.scripts.warnings.map(\.kind) == [.missingElement])
  }

  @Test func nullInPlaceOfAScalarIsRemovedWhereAChildMayBe() throws {
    let app = try app(
      "clear = function(state) state.child = scripted.null end,", ":ifLet('child', Child)",
      "{ child = false }")
    app.store.send("clear")
    #expect(app.store.state == [:])
  }

  @Test func elementsOfAnElementGetTheirIDs() throws {
    let app = try app(
      "",
      """
      :scope('page', scripted.feature {
        on = { open = function(state) state.at.child.path[1] = { child = {} } end },
      }:ifLet('at', scripted.cases {
        child = scripted.feature { on = {} }:stack('path', scripted.cases { child = Child }),
      }))
      """, "{ page = { at = { child = { path = {} } } } }")
    app.store.send("page.open")
    #expect(app.store.state[at: "page.at.child.path"] == [["id": 0, "child": [:]]])
  }

  @Test func whatAReducerInSwiftReplacesIsFound() throws {
    let scripts = try Scripts(["child": Self.child + "return Child"], clock: VirtualClock())
    let reducer = Reducer.reduce { state, action in
      if action.path == "change" { state["child"]["id"] = 2 }
      if action.path == "count" { state["n"] = 1 }
      return .none
    }
    .ifLet("child", .script("child"))
    let store = try scripts.host.store(reducer, state: ["child": ["id": 1], "n": 0])
    store.send("child.wait")
    store.send("count")
    #expect(store.effects.count == 1)
    store.send("change")
    #expect(store.effects.isEmpty)
  }
}

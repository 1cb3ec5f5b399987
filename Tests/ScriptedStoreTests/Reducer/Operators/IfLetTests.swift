import LuaBridge
import ScriptedStore
import Testing

/// `ifLet`: a child that is there or not, before its parent.
struct IfLetTests {
  private static let item = """
    local Item = scripted.feature {
      name = "Item", state = { n = 0 }, actions = { "saveTapped" },
      on = {
        up = function(state) state.n = state.n + 1 end,
        become = function(state, action) state.id = action.value end,
      },
    }

    """

  private static let parent = """
    name = "App", state = { log = {} },
    on = {
      show = function(state, action) state.item = { n = action.value or 0, id = action.id } end,
      hide = function(state) state.item = nil end,
      null = function(state) state.item = scripted.null end,
      item = function(state, action)
        table.insert(state.log, action.action.type .. " " .. tostring(state.item and state.item.n))
      end,
    },
    """

  private func app(_ more: String = "") throws -> Scripts {
    try Scripts(
      app: Self.item + "return scripted.feature { \(Self.parent) }:ifLet('item', Item)" + more)
  }

  // MARK: Order

  @Test func theChildRunsBeforeTheParent() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("show", 4)
    store.send("item.up")
    store.send("item.saveTapped")
    #expect(store.state == ["log": ["up 5", "saveTapped 5"], "item": ["n": 5]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func dismissLetsTheParentSeeTheChildOneLastTime() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("show", 7)
    store.send("item.dismiss")
    #expect(store.state == ["log": ["dismiss 7"]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func patternsNameTheDismissal() throws {
    let scripts = try Scripts(
      app: Self.item + """
        return scripted.feature { state = { item = { n = 1 } }, on = {
          ["item.dismiss"] = function(state) state.last = state.item.n end,
          ["item.saveTapped"] = function(state) state.item = nil end,
        } }:ifLet("item", Item)
        """)
    let store = try scripts.store()
    store.send("item.dismiss")
    #expect(store.state == ["last": 1])
    let other = try scripts.store()
    other.send("item.saveTapped")
    #expect(other.state == [:])
    #expect(scripts.warnings.isEmpty)
  }

  @Test(arguments: [(2, true), (1, false)])
  func dismissKeepsAnotherChildThatTheParentPutThere(_ id: Int, _ stays: Bool) throws {
    let scripts = try Scripts(
      app: Self.item + """
        return scripted.feature { state = { item = { id = 1, n = 0 } }, on = {
          ["item.dismiss"] = function(state) state.item = { id = \(id), n = 5 } end,
        } }:ifLet("item", Item)
        """)
    let store = try scripts.store()
    store.send("item.dismiss")
    #expect(store.state == (stays ? ["item": ["id": .integer(Int64(id)), "n": 5]] : [:]))
  }

  @Test func aDottedKeyLeadsDownAndTheActionMayHaveAnotherName() throws {
    let scripts = try Scripts(
      app: Self.item + """
        return scripted.feature { state = { a = { b = { n = 0 }, c = 1 } }, on = {} }
          :ifLet("a.b", Item, { action = "sheet" })
        """)
    let store = try scripts.store()
    store.send("sheet.up")
    #expect(store.state == ["a": ["b": ["n": 1], "c": 1]])
    store.send("sheet.dismiss")
    #expect(store.state == ["a": ["c": 1]])
  }

  // MARK: Null

  @Test func nullIsAbsentAndIsRemovedWhenAnActionEnds() throws {
    let scripts = try app()
    let store = try scripts.store(state: ["item": .null])
    #expect(store.state == ["log": []])
    try store.send("show", 1)
    store.send("null")
    #expect(store.state == ["log": []])
    #expect(scripts.warnings.isEmpty)
    store.send("item.up")
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
  }

  @Test func nullIsRemovedInElementsAndChildrenToo() throws {
    let scripts = try Scripts(
      app: Self.item + """
        local Row = scripted.feature { on = {} }:ifLet("item", Item)
        local Page = scripted.feature { on = {} }:forEach("rows", Row):forEach("named", Row)
        return scripted.feature { state = {}, on = {
          clear = function(state) for _, row in ipairs(state.page.rows) do row.item = scripted.null end end,
          add = function(state) table.insert(state.page.rows, 1, { id = 9, item = scripted.null }) end,
        } }:scope("page", function() return Page end)
        """)
    let row: Value = ["id": 1, "item": ["n": 0]]
    let store = try scripts.store(
      state: [
        "page": [
          "rows": [row, ["id": 2, "item": .null]], "named": ["a": ["item": .null, "n": 1]],
        ]
      ])
    #expect(store.state == ["page": ["rows": [row, ["id": 2]], "named": ["a": ["n": 1]]]])
    store.send("add")
    #expect(store.state["page"]["rows"] == [["id": 9], row, ["id": 2]])
    store.send("clear")
    #expect(store.state["page"]["rows"] == [["id": 9], ["id": 1], ["id": 2]])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func nullIsRemovedUnderOtherOperatorsToo() throws {
    let scripts = try Scripts(
      app: Self.item + """
        local Page = scripted.feature { on = {} }:ifLet("item", Item)
        return scripted.combine {
          scripted.feature { state = { item = scripted.null, sum = { item = scripted.null } }, on = {
            null = function(state) state.item, state.sum.item = scripted.null, scripted.null end,
          } }:scope("sum", Page):ifLet("item", Item):dependency("uuid", function() return "u" end),
          scripted.scope({
            get = function(state) return state.sum end,
            set = function(state, sum) state.sum = sum end,
          }, Page, { action = "same" }),
        }
        """)
    let store = try scripts.store()
    #expect(store.state == ["sum": [:]])
    store.send("null")
    #expect(store.state == ["sum": [:]])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Warnings

  @Test func anActionForAChildThatIsNotThereWarnsAndTheParentRuns() throws {
    let scripts = try app()
    let store = try scripts.store()
    store.send("item.up")
    #expect(store.state == ["log": ["up nil"]])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1 && warning.kind == .absentChild)
    #expect(warning.origin.hasPrefix("ifLet at app.lua:") && warning.action == "item.up")
    #expect(warning.message.contains("state.item is absent"))
  }

  @Test func dismissWithNothingPresentedWarns() throws {
    let scripts = try app()
    let store = try scripts.store()
    store.send("item.dismiss")
    #expect(store.state == ["log": ["dismiss nil"]])
    #expect(scripts.warnings.map(\.kind) == [.notPresented])
    #expect(scripts.warnings.first?.message.contains("nothing is presented") == true)
  }

  // MARK: Refusals

  @Test(arguments: [
    "scripted.feature { on = { dismiss = function() end } }",
    "scripted.feature { actions = { 'dismiss' } }",
    "scripted.feature { on = {} }:scope('dismiss', scripted.empty)",
    "scripted.cases { dismiss = scripted.empty }",
    "function() return scripted.feature { on = { dismiss = function() end } } end",
  ])
  func aChildWithADismissOfItsOwnIsRefused(_ child: String) throws {
    let scripts = try Scripts(
      app: "return scripted.feature { state = { item = {} }, on = {} }:ifLet('item', \(child))")
    let error = scriptError {
      let store = try scripts.store()
      store.send("item.other")
      if let error = scripts.errors.first { throw error }
    }
    #expect(error?.message.contains("dismiss") == true, "\(error?.message ?? "no error")")
  }

  @Test(arguments: [
    ("f:ifLet('item', Item):scope('item', Item)", "action name 'item'"),
    ("f:ifLet('item', 5)", "bad argument #2 to 'ifLet' (reducer expected, got number)"),
    ("f:ifLet('a..b', Item)", "empty segment"),
    ("f:ifLet('item', Item, { id = 'x' })", "'ifLet' has no option 'id'"),
    ("f.ifLet('item', Item)", "call 'ifLet' with a colon"),
  ])
  func wrongUsesAreRefusedAtTheirLine(_ use: String, _ message: String) throws {
    let scripts = try Scripts(
      app: Self.item + "local f = scripted.feature { on = {} }\nreturn " + use)
    let error = scriptError { _ = try scripts.store() }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
  }

  @Test func swiftRefusesThemToo() throws {
    let scripts = try Scripts(["item": Self.item + "return Item"])
    let child = Reducer.cases(["dismiss": .script("item")])
    let error = scriptError {
      _ = try scripts.host.store(Reducer.empty.ifLet("item", child), state: [:])
    }
    #expect(error?.message.contains("\"dismiss\"") == true)
  }

  // MARK: Actions

  @Test func theFeaturesActionsBuildThem() throws {
    let scripts = try Scripts(
      app: Self.item + """
        local App
        App = scripted.feature { state = { item = { n = 0 } }, on = {
          go = function() return effect.send(App.actions.item(Item.actions.up())) end,
          leave = function() return effect.send(App.actions.item("dismiss")) end,
        } }:ifLet("item", Item)
        return App
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["item": ["n": 1]])
    store.send("leave")
    #expect(store.state == [:])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Ephemeral children

  private func alerting(_ handler: String) throws -> (Scripts, Store) {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { log = {} }, on = {
          show = function(state) state.alert = { title = "Delete?", buttons = {} } end,
          alert = function(state, action)
            table.insert(state.log, action.action.type .. " " .. tostring(state.alert and state.alert.title))
            \(handler)
          end,
        } }:ifLet("alert", scripted.ephemeral)
        """)
    let store = try scripts.store()
    store.send("show")
    return (scripts, store)
  }

  @Test func anEphemeralChildGoesAfterAnyOfItsActions() throws {
    let (scripts, store) = try alerting("")
    try store.send("alert.confirmTapped", ["really": true])
    #expect(store.state == ["log": ["confirmTapped Delete?"]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    store.send("show")
    store.send("alert.dismiss")
    #expect(store.state == ["log": ["confirmTapped Delete?", "dismiss Delete?"]])
    store.send("alert.confirmTapped")
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
  }

  @Test(arguments: [
    ("state.alert = { title = 'Sure?' }", "Sure?"),
    ("state.alert = scripted.snapshot(state.alert)", "Delete?"),
    ("state.alert.title = 'written'", nil),
    ("state.alert = nil", nil),
    ("scripted.replace(state, { log = {}, alert = { title = 'New' } })", "New"),
  ])
  func unlessTheParentAssignedIt(_ handler: String, _ title: String?) throws {
    let (scripts, store) = try alerting(handler)
    store.send("alert.confirmTapped")
    #expect(store.state[at: "alert.title"].string == title)
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aParentInSwiftKeepsWhatItChanged() throws {
    let scripts = try Scripts([:])
    let parent = Reducer.reduce { state, action in
      state["seen"] = .string(action.path)
      if action.path == "alert.more" { state["alert"] = ["title": "More"] }
      return .none
    }
    .ifLet("alert", .ephemeral)
    let store = try scripts.host.store(parent, state: ["alert": ["title": "First"]])
    store.send("alert.more")
    #expect(store.state == ["alert": ["title": "More"], "seen": "alert.more"])
    store.send("alert.done")
    #expect(store.state == ["seen": "alert.done"])
    #expect(scripts.warnings.isEmpty)
  }

  // MARK: Swift

  @Test func scriptsAndSwiftNestInEachOther() throws {
    let scripts = try Scripts(
      [
        "item": Self.item + "return Item",
        "middle": """
        return scripted.feature { state = {}, on = {
          ["item.dismiss"] = function(state) state.last = state.item.n end,
        } }:ifLet("item", require "native")
        """,
      ],
      reducers: [
        "native": .reduce { state, action in
          state["seen"] = .string(action.path)
          return action.path == "leave" ? .dismiss : .none
        }
        .ifLet("deeper", .script("item"))
      ])
    let store = try scripts.host.store(
      Reducer.reduce { state, action in
        state["top"] = .string(action.path)
        return .none
      }
      .ifLet("middle", .script("middle")),
      state: ["middle": ["item": ["n": 3, "deeper": ["n": 1]]]])
    store.send("middle.item.deeper.up")
    #expect(store.state[at: "middle.item.deeper.n"] == 2)
    #expect(store.state[at: "middle.item.seen"] == "deeper.up")
    store.send("middle.item.deeper.dismiss")
    #expect(store.state[at: "middle.item.deeper"].isNull)
    store.send("middle.item.leave")
    #expect(store.state == ["middle": ["last": 3], "top": "middle.item.dismiss"])
    store.send("middle.dismiss")
    #expect(store.state == ["top": "middle.dismiss"])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func childStoresFollowThePresentation() throws {
    let scripts = try app()
    let store = try scripts.store()
    let child = store.scope(state: "item")
    #expect(child.state.isNull)
    try store.send("show", 1)
    child.send("up")
    #expect(child.state == ["n": 2])
    child.send("dismiss")
    #expect(child.state.isNull && store.state["item"].isNull)
    #expect(scripts.warnings.isEmpty)
  }

  // MARK: Recursion

  @Test func aFeaturePresentsItself() throws {
    let scripts = try Scripts(
      app: """
        local Folder
        Folder = scripted.feature { name = "Folder", state = { n = 0 }, on = {
          up = function(state) state.n = state.n + 1 end,
          open = function(state) state.child = { n = 0 } end,
        } }:ifLet("child", function() return Folder end)
        return Folder
        """)
    let store = try scripts.store()
    var path = ""
    for _ in 0..<50 {
      try store.send(path + "open")
      path += "child."
    }
    try store.send(path + "up")
    var state = store.state
    for _ in 0..<50 { state = state["child"] }
    #expect(state == ["n": 1])
    try store.send(String(repeating: "child.", count: 25) + "dismiss")
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aReducerInSwiftContainsItselfLazily() throws {
    @Sendable func folder() -> Reducer {
      Reducer.reduce { state, action in
        if action.path == "up" { state["n"] = .integer((state["n"].int.map(Int64.init) ?? 0) + 1) }
        return .none
      }
      .ifLet("child", .lazy { folder() })
      .forEach("rows", .lazy { folder() })
    }
    let scripts = try Scripts([:])
    let store = try scripts.host.store(
      folder(), state: ["child": ["child": ["rows": [["id": 1, "child": [:]]]]]])
    store.send("child.child.rows[1].child.up")
    #expect(
      store.state == ["child": ["child": ["rows": [["id": 1, "child": ["n": 1]]]]]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }
}

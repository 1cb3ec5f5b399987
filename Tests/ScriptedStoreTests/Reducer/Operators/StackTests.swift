import LuaBridge
import ScriptedStore
import Testing

/// `stack`: navigation stacks with ids of their own.
struct StackTests {
  private static let detail = """
    local Detail = scripted.feature {
      name = "Detail", state = { n = 0 },
      on = { up = function(state) state.n = state.n + 1 end },
    }
    local Path = scripted.cases { detail = Detail, list = scripted.ignored }

    """

  private func app(_ on: String = "", state: String = "{ path = {}, log = {} }") throws -> Scripts {
    try Scripts(
      app: Self.detail + """
        return scripted.feature { name = "App", state = \(state), on = {
          add = function(state, action) table.insert(state.path, action.element or { detail = { n = 0 } }) end,
          set = function(state, action) state.path = action.path end,
          clear = function(state) state.path = {} end,
          fail = function(state) table.insert(state.path, { detail = { n = 0 } }); error("no") end,
          \(on)
        } }:stack("path", Path)
        """)
  }

  private func ids(_ store: Store) -> [Value] { store.state["path"].array?.map { $0["id"] } ?? [] }

  // MARK: Pushing

  @Test func pushAppendsAndThenTheParentRuns() throws {
    let scripts = try app(
      """
      path = function(state, action)
        table.insert(state.log, action.action.type .. " " .. #state.path .. " " .. tostring(state.path[#state.path].id))
      end,
      """)
    let store = try scripts.store()
    try store.send("path.push", ["state": ["detail": ["n": 3]]])
    try store.send("path.push", ["state": ["list": [:]]])
    #expect(
      store.state
        == [
          "path": [["id": 0, "detail": ["n": 3]], ["id": 1, "list": [:]]],
          "log": ["push 1 0", "push 2 1"],
        ])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func elementsRunBeforeTheParent() throws {
    let scripts = try app(
      """
      ["path[*].detail.up"] = function(state, _, _, ids)
        table.insert(state.log, ids[1] .. " " .. list.find(state.path, ids[1]).detail.n)
      end,
      ["path.push"] = function(state) table.insert(state.log, "push") end,
      ["path.popFrom"] = function(state) table.insert(state.log, "pop " .. #state.path) end,
      """)
    let store = try scripts.store()
    try store.send("path.push", ["state": ["detail": ["n": 0]]])
    try store.send("path.push", ["state": ["detail": ["n": 5]]])
    store.send("path[1].detail.up")
    try store.send("path.popFrom", ["id": 0])
    #expect(store.state == ["path": [], "log": ["push", "push", "1 6", "pop 2"]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func pushWithoutATableIsRefused() throws {
    let scripts = try app()
    let store = try scripts.store()
    store.send("path.push")
    try store.send("path.push", ["state": 5])
    store.send("path.popFrom")
    #expect(scripts.warnings.map(\.kind) == [.malformedAction, .malformedAction, .malformedAction])
    #expect(ids(store) == [])
    store.send("path.other")
    #expect(scripts.warnings.last?.kind == .malformedAction || scripts.warnings.count == 4)
  }

  // MARK: Ids

  @Test func idsCountUpAndNeverComeTwice() throws {
    let scripts = try app()
    let store = try scripts.store()
    store.send("add")
    try store.send("path.push", ["state": ["detail": ["n": 0]]])
    #expect(ids(store) == [0, 1])
    try store.send("path.popFrom", ["id": 0])
    #expect(ids(store) == [])
    store.send("add")
    #expect(ids(store) == [2])
    store.send("clear")
    try store.send("path.push", ["state": ["list": 1]])
    #expect(store.state["path"] == [["id": 3, "list": 1]])
    // Each store counts for itself.
    let other = try scripts.store()
    other.send("add")
    #expect(ids(other) == [0])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func anActionThatIsRolledBackUsesNoneUp() throws {
    let scripts = try app(
      """
      ["path.push"] = function(state, action) if action.fail then error("no") end end,
      """)
    let store = try scripts.store()
    store.send("fail")
    try store.send("path.push", ["state": ["detail": ["n": 0]], "fail": true])
    #expect(ids(store) == [])
    #expect(scripts.errors.count == 2)
    // A push, and an element of no case beside it.
    try store.send("set", ["path": [["detail": ["n": 0]], ["other": [:]]]])
    #expect(scripts.errors.count == 3)
    store.send("add")
    #expect(ids(store) == [0])
  }

  @Test func theInitialElementsGetIDsToo() throws {
    let scripts = try app(
      state:
        "{ path = { { detail = { n = 1 } }, { id = 7, list = {} }, { id = scripted.null, list = {} } } }"
    )
    let store = try scripts.store()
    #expect(
      store.state["path"]
        == [["id": 8, "detail": ["n": 1]], ["id": 7, "list": [:]], ["id": 9, "list": [:]]])
    store.send("add")
    #expect(ids(store) == [8, 7, 9, 10])
  }

  @Test func givenIDsCountAsSeen() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("path.push", ["id": 5, "state": ["list": [:]]])
    try store.send("path.push", ["state": ["id": 9, "list": [:]]])
    try store.send("path.push", ["state": ["list": [:]]])
    try store.send("path.push", ["id": "a", "state": ["list": [:]]])
    #expect(ids(store) == [5, 9, 10, "a"])
    #expect(scripts.warnings.isEmpty)
    try store.send("path.push", ["id": 9, "state": ["list": [:]]])
    #expect(ids(store) == [5, 9, 10, "a"])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1 && warning.kind == .duplicateID)
    #expect(warning.message.contains("pushes the id 9"), "\(warning)")
    try store.send("add", ["element": ["id": 9, "list": [:]]])
    #expect(scripts.warnings.count == 2 && scripts.warnings.last?.kind == .duplicateID)
  }

  @Test func stacksInElementsCountEachForItself() throws {
    let scripts = try Scripts(
      app: Self.detail + """
        local Tab = scripted.feature { on = {} }:stack("path", Path)
        return scripted.feature { state = { tabs = { { id = 1, path = {} }, { id = 2, path = {} } } }, on = {} }
          :forEach("tabs", Tab)
        """)
    let store = try scripts.store()
    let push: Value = ["state": ["detail": ["n": 0]]]
    for id in [1, 1, 2] { try store.send("tabs[\(id)].path.push", push) }
    try store.send("tabs[1].path.popFrom", ["id": 1])
    try store.send("tabs[1].path.push", push)
    store.send("tabs[1].path[2].detail.up")
    #expect(
      store.state["tabs"]
        == [
          ["id": 1, "path": [["id": 0, "detail": ["n": 0]], ["id": 2, "detail": ["n": 1]]]],
          ["id": 2, "path": [["id": 0, "detail": ["n": 0]]]],
        ])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  // MARK: Popping

  @Test func popFromTakesThatElementAndAllAboveIt() throws {
    let scripts = try app()
    let store = try scripts.store()
    for _ in 0..<5 { store.send("add") }
    try store.send("path.popFrom", ["id": 3])
    #expect(ids(store) == [0, 1, 2])
    try store.send("path.popFrom", ["id": 0])
    #expect(ids(store) == [])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func popFromWhatTheParentHasTakenOutIsFine() throws {
    let scripts = try app("[\"path.popFrom\"] = function(state) table.remove(state.path) end,")
    let store = try scripts.store()
    for _ in 0..<2 { store.send("add") }
    try store.send("path.popFrom", ["id": 1])
    #expect(ids(store) == [0])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func poppingAndAddressingWhatIsNotThereWarns() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("path.popFrom", ["id": 4])
    store.send("path[4].detail.up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement, .missingElement])
    #expect(scripts.warnings.allSatisfy { $0.origin.hasPrefix("stack at app.lua:") })
    store.send("add")
    store.send("path[0].list.up")
    #expect(scripts.warnings.last?.kind == .otherCase)
  }

  // MARK: Elements

  @Test func elementsKeepOneCase() throws {
    let scripts = try app()
    let store = try scripts.store()
    try store.send("add", ["element": ["detail": ["n": 0], "list": [:]]])
    try store.send("add", ["element": 5])
    #expect(scripts.errors.count == 2)
    #expect(scripts.errors.last?.message.contains("state.path[1] must be a table") == true)
    #expect(ids(store) == [])
  }

  @Test func elementsNeedNotBeOfCases() throws {
    let scripts = try Scripts(
      app: Self.detail + """
        return scripted.feature { state = { path = { { n = 1 } } }, on = {} }
          :stack("path", Detail, { action = "page" })
        """)
    let store = try scripts.store()
    store.send("page[0].up")
    try store.send("page.push", ["state": [:]])
    #expect(store.state["path"] == [["id": 0, "n": 2], ["id": 1]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func theFeaturesActionsBuildThem() throws {
    let scripts = try Scripts(
      app: Self.detail + """
        local App
        App = scripted.feature { state = { path = {} }, on = {
          push = function() return effect.send(App.actions.path("push", { state = { detail = { n = 0 } } })) end,
          up = function() return effect.send(App.actions.path(0, Path.actions.detail(Detail.actions.up()))) end,
          pop = function() return effect.send(App.actions.path { type = "popFrom", id = 0 }) end,
        } }:stack("path", Path)
        return App
        """)
    let store = try scripts.store()
    store.send("push")
    store.send("up")
    #expect(store.state["path"] == [["id": 0, "detail": ["n": 1]]])
    store.send("pop")
    #expect(ids(store) == [])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  // MARK: Swift

  @Test func stacksInSwiftAndTheirChildStores() throws {
    let scripts = try Scripts(["detail": Self.detail + "return Detail"])
    let reducer = Reducer.reduce { state, action in
      state["last"] = .string(action.path)
      return .none
    }
    .stack("nav.path", .cases(["detail": .script("detail"), "other": .ignored]))
    let store = try scripts.host.store(reducer, state: ["nav": ["path": []]])
    try store.send("path.push", ["state": ["detail": ["n": 0]]])
    let element = store.scope(element: 0, of: "nav.path", action: "path")
    let detail = element.scope(state: "detail")
    #expect(detail.state == ["n": 0])
    detail.send("up")
    #expect(element.state == ["id": 0, "detail": ["n": 1]])
    #expect(store.state["last"] == "path[0].detail.up")
    try store.send("path.popFrom", ["id": 0])
    #expect(detail.state.isNull)
    #expect(store.state["nav"] == ["path": []])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func stacksOfAllLengthsAreSearchedAndSettled() throws {
    let scripts = try app()
    let store = try scripts.store()
    for _ in 0..<100 { store.send("add") }
    store.send("path[77].detail.up")
    #expect(store.state["path"].array?.firstIndex { $0["detail"] == ["n": 1] } == 77)
    try store.send("path.popFrom", ["id": 50])
    #expect(ids(store) == (0..<50).map { .integer(Int64($0)) })
    store.send("add")
    #expect(ids(store).last == 100)
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }
}

import LuaBridge
import ScriptedStore
import Testing

/// Hosts: their roots, workers and handlers.
struct ScriptHostTests {
  @Test func aRootThatIsNotThereThrows() throws {
    let error = scriptError { _ = try ScriptHost(root: "/no/such/folder") }
    #expect(error?.message.hasPrefix("there is no script root /no/such/folder: ") == true)
  }

  @Test func storesAreDealtOutToTheWorkers() throws {
    // A module's locals live in a VM: each has its own.
    let scripts = try Scripts(
      [
        "app": """
        local made = 0
        return scripted.feature { state = { n = 0 }, on = {
          count = function(state) made = made + 1; state.n = made end } }
        """
      ], workers: 3)
    let stores = try (0..<6).map { _ in try scripts.store() }
    for store in stores { store.send("count") }
    #expect(stores.map { $0.state["n"].int } == [1, 1, 1, 2, 2, 2])
  }

  private static let shop = """
    local Item = scripted.feature { state = { n = 0 }, on = {} }
    local Shop = scripted.feature {
      state = { hits = 0, items = {}, filter = "all" },
      shared = { total = scripted.shared.inMemory("total", 0) },
      on = {},
    }
    return Shop:forEach("items", Item):ifLet("detail", Item):scope("cart.item", Item)
    """

  @Test(
    arguments: [
      (
        ["hitz": 3],
        "the state given to app has the key 'hitz', which its initial state does not have; did you mean 'hits'? If not, "
          + "give 'hitz' a default in the script's `state`"
      ),
      (
        ["detial": [:]],
        "the state given to app has the key 'detial', which its initial state does not have; did you mean 'detail'? If "
          + "not, give 'detial' a default in the script's `state`"
      ),
      (
        ["items": 3],
        "the state given to app has 3 as 'items', which must be a table, as forEach at app.lua:7 runs on it"
      ),
      (
        ["items": [["id": 1], "two"]],
        "the state given to app has \"two\" as 'items[1]', which must be a table, as forEach at app.lua:7 runs on it"
      ),
      (
        ["items": ["a": true]],
        "the state given to app has true as 'items.a', which must be a table, as forEach at app.lua:7 runs on it"
      ),
      (
        ["detail": 1],
        "the state given to app has 1 as 'detail', which must be a table, as ifLet at app.lua:7 runs on it"
      ),
      (
        ["cart": ["item": "a"]],
        "the state given to app has \"a\" as 'cart.item', which must be a table, as scope at app.lua:7 runs on it"
      ),
    ] as [(Value, String)])
  func aStateThatDoesNotFitTheReducersIsRefused(_ state: Value, _ message: String) throws {
    let scripts = try Scripts(app: Self.shop)
    let error = scriptError { _ = try scripts.host.store("app", state: state) }
    #expect(error?.message == message)
  }

  @Test(
    arguments: [
      ["hits": 3, "items": [["id": 1]], "detail": ["n": 1]], ["items": ["a": [:]]], ["detail": nil],
      // Fields that the script gives no default, as they may be absent.
      ["note": "a", "cart": [:]], ["total": 3], [:],
    ] as [Value])
  func otherStatesAreTaken(_ state: Value) throws {
    let scripts = try Scripts(app: Self.shop)
    _ = try scripts.host.store("app", state: state)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func theStateOfAReducerDescribedInSwiftIsCheckedToo() throws {
    let scripts = try Scripts(app: "return scripted.feature { state = {}, on = {} }")
    let reducer = Reducer.script("app").forEach("rows", .script("app"))
    let error = scriptError { _ = try scripts.host.store(reducer, state: ["rows": "none"]) }
    #expect(
      error?.message.contains(
        "has \"none\" as 'rows', which must be a table, as forEach at ") == true)
    _ = try scripts.host.store(reducer, state: ["rows": [["id": 1]], "row": 1])
  }

  @Test func noWorkersAreOne() throws {
    let scripts = try Scripts(["app": "return scripted.feature {}"], workers: 0)
    #expect(try scripts.store().state == [:])
  }

  @Test func aFileThatEndsInLuaIsAFeatureToo() throws {
    let scripts = try Scripts(app: "return scripted.feature { state = { n = 1 } }")
    #expect(try scripts.host.store("\(scripts.folder.path)/app.lua").state == ["n": 1])
    let outside = try TemporaryFolder([
      "other.lua": "return require('scripted').feature { state = { n = 2 } }"
    ])
    #expect(try scripts.host.store("\(outside.path)/other.lua").state == ["n": 2])
    let error = scriptError { _ = try scripts.host.store("\(outside.path)/none.lua") }
    #expect(error?.message == "there is no script \(outside.path)/none.lua")
  }

  @Test func handlersAreCalledOutsideAndInOrder() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { n = 0 }, on = {
          go = function(state) return effect.merge(effect.send("a"), effect.send("bad"), effect.send("b")) end,
          bad = function() error("x") end,
        } }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.warnings.map(\.action) == ["a", "b"])
    #expect(scripts.failedActions.map(\.path) == ["bad"])
    #expect(scripts.warnings.first?.description == scripts.warnings.first?.message)
  }

  @Test func aHandlerMaySendAndMakeStores() throws {
    let folder = try TemporaryFolder([
      "app.lua": """
      return require("scripted").feature { state = { n = 0 }, on = {
        bad = function() error("x") end, up = function(state) state.n = state.n + 1 end } }
      """
    ])
    let made = Recorder<Store>()
    let hosts = Recorder<ScriptHost>()
    let host = try ScriptHost(
      root: folder.path,
      configuration: .init(onError: { _, _ in
        guard let store = try? hosts.all.first?.store("app") else { return }
        _ = store.send("up")
        made.record(store)
      }))
    hosts.record(host)
    defer {
      hosts.clear()
      made.clear()
    }
    try host.store("app").send("bad")
    #expect(made.all.map { $0.state["n"] } == [1])
  }

  @Test func withoutHandlersAHostStaysSilent() throws {
    let folder = try TemporaryFolder([
      "app.lua": "return require('scripted').feature { on = { bad = function() error('x') end } }"
    ])
    let host = try ScriptHost(root: folder.path, configuration: .init(onWarning: nil, onError: nil))
    let store = try host.store("app")
    store.send("bad")
    store.send("unknown")
    #expect(store.state == [:])
  }
}

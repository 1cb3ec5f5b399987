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

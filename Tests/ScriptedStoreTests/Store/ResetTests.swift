import LuaBridge
import ScriptedStore
import Testing

/// `host.reset()` gives stores the states that they began with.
@Suite struct ResetTests {
  private static func app(_ count: Int) -> String {
    """
    return scripted.feature {
      name = "App", state = { count = \(count), other = 0 },
      dependencies = { "clock" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        sleep = function()
          return effect.run(function(send, deps) deps.clock.sleep(1); send("up") end)
        end,
      },
    }
    """
  }

  @Test func everyStoreBeginsAgainByTheScriptsOfNow() throws {
    let scripts = try Scripts(["app": Self.app(1)], workers: 2)
    let stores = try [scripts.store(), scripts.store(state: ["other": 5]), scripts.store()]
    for store in stores { store.send("up") }
    try scripts.write("app", Self.app(10))
    try scripts.host.reload()
    #expect(stores.map { $0.state["count"] } == [2, 2, 2])
    try scripts.host.reset()
    #expect(
      stores.map(\.state) == [
        ["count": 10, "other": 0], ["count": 10, "other": 5], ["count": 10, "other": 0],
      ])
  }

  @Test func effectsAreCancelledAndObserversAreTold() async throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.app(1)], clock: clock)
    let store = try scripts.store()
    store.send("up")
    let task = store.send("sleep")
    #expect(!store.effects.isEmpty)
    try scripts.host.reset()
    #expect(store.effects.isEmpty)
    await task.finish()
    clock.advance(by: .seconds(2))
    #expect(store.state == ["count": 1, "other": 0])
  }

  @Test func aHistoryLeadsBack() throws {
    let scripts = try Scripts(app: Self.app(1))
    let store = try scripts.store()
    let history = store.record()
    store.send("up")
    try scripts.host.reset()
    #expect(store.state["count"] == 1)
    try history.step(by: -1)
    #expect(store.state["count"] == 2)
    try history.step(by: 1)
    #expect(store.state["count"] == 1)
  }

  /// A state that cannot be made any more leaves all stores of the worker as they are.
  @Test func aResetThatFailsChangesNothing() throws {
    let scripts = try Scripts(["app": Self.app(1), "other": Self.app(1)])
    let (first, second) = (try scripts.store(), try scripts.host.store("other"))
    first.send("up")
    second.send("up")
    try scripts.write(
      "other",
      "return scripted.reduce(function(state) state.count = state.count + 1 end)")
    try scripts.host.reload()
    let error = scriptError { try scripts.host.reset() }
    #expect(error?.message.contains("no initial state") == true, "\(String(describing: error))")
    #expect(first.state["count"] == 2 && second.state["count"] == 2)
  }

  /// The reset gives the element of the first state an id, and then finds that its case is gone.
  @Test func aResetThatFailsUsesUpNoIDOfAStack() throws {
    func app(_ cases: String) -> String {
      """
      local Page = scripted.feature { name = "Page", state = { n = 0 } }
      return scripted.feature { name = "App", state = { path = {}, n = 0 } }
        :stack("path", scripted.cases { \(cases) })
      """
    }
    let scripts = try Scripts(app: app("a = Page, b = Page"))
    let store = try scripts.store(state: ["path": [["b": ["n": 0]]]])
    #expect(store.state["path"] == [["id": 0, "b": ["n": 0]]])
    try store.send("path.popFrom", ["id": 0])
    try scripts.write("app", app("a = Page"))
    try scripts.host.reload()
    let error = scriptError { try scripts.host.reset() }
    #expect(error?.message.contains("there is no case 'b'") == true, "\(String(describing: error))")
    try store.send("path.push", ["state": ["a": ["n": 5]]])
    #expect(store.state["path"] == [["id": 1, "a": ["n": 5]]])
  }

  /// The reset chooses the key "a" for the first store, and then finds that the second one has no initial state.
  @Test func aResetThatFailsLeavesTheChosenKeys() throws {
    let app = """
      local shared = scripted.shared
      return scripted.feature {
        name = "App", state = { room = "a" },
        shared = { note = function(state) return shared.inMemory(state.room, "") end },
        on = {
          enter = function(state, action) state.room = action.room end,
          write = function(state, action) state.note = action.text end,
        },
      }
      """
    let scripts = try Scripts(["app": app, "other": Self.app(1)])
    let (store, other) = (try scripts.store(), try scripts.host.store("other"))
    try store.send("enter", ["room": "b"])
    try scripts.write("other", "return scripted.reduce(function() end)")
    try scripts.host.reload()
    #expect(throws: ScriptError.self) { try scripts.host.reset() }
    try store.send("write", ["text": "x"])
    #expect(store.state == ["room": "b", "note": "x"])
    let values = ["a", "b"].map { scripts.host.shared($0, kind: .inMemory).value }
    #expect(values[0] != "x" && values[1] == "x", "\(values)")
    withExtendedLifetime(other) {}
  }

  @Test func aStoreOfAReducerGoesBackToTheStateThatItWasGiven() throws {
    let scripts = try Scripts(app: Self.app(1))
    let store = try scripts.host.store(Reducer.script("app"), state: ["count": 4])
    store.send("up")
    try scripts.host.reset()
    #expect(store.state == ["count": 4])
  }
}

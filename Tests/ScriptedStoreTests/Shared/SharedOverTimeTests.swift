import LuaBridge
import ScriptedStore
import Testing

/// Shared values over time: resets, reloads, histories and replays.
struct SharedOverTimeTests {
  private static let app = """
    local count = scripted.shared.inMemory("count", 0)
    return scripted.feature {
      name = "App", state = { heard = 0 }, shared = { count = count },
      on = { inc = function(state) state.count = state.count + 1 end },
    }:onChange("count", function(state) state.heard = state.heard + 1 end)
    """

  @Test func aResetLeavesTheSharedValue() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    try store.send("inc")
    try scripts.host.reset()
    #expect(store.state == ["heard": 0, "count": 1])
  }

  @Test func aReloadKeepsValuesAndAddsAndRemovesFields() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    try store.send("inc")
    try scripts.folder.write(
      Scripts.locals + """
        local shared = scripted.shared
        return scripted.feature {
          name = "App", state = { n = 0 },
          shared = { count = shared.inMemory("count", 0), heard = shared.inMemory("heard", 99) },
          on = { inc = function(state) state.count = state.count + 10 end },
        }
        """, to: "app.lua")
    _ = try scripts.host.reload()
    // `heard` has become shared, and brings its value.
    #expect(store.state["count"] == 1)
    #expect(store.state["heard"] == 1)
    #expect(scripts.host.shared("count").value == 1)
    try store.send("inc")
    #expect(store.state["count"] == 11)
    try scripts.folder.write(
      Scripts.locals + """
        return scripted.feature {
          name = "App", state = { count = 0 },
          on = { inc = function(state) state.count = state.count + 100 end },
        }
        """, to: "app.lua")
    _ = try scripts.host.reload()
    try store.send("inc")
    #expect(store.state["count"] == 111)
    #expect(scripts.host.shared("count").value == 11)
  }

  @Test func aStepIsAnEntryOfTheHistoryAndThePastWritesNothing() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    try store.send("inc")
    try other.send("inc")
    #expect(history.entries(1...2).map(\.source) == [.input, .shared])
    #expect(store.state == ["heard": 2, "count": 2])
    try history.go(to: 1)
    #expect(store.state == ["heard": 1, "count": 1])
    #expect(scripts.host.shared("count").value == 2)
    // What others do is not shown, until the store acts again.
    try other.send("inc")
    #expect(store.state["count"] == 1)
    try store.send("inc")
    #expect(store.state["count"] == 4)
    #expect(scripts.host.shared("count").value == 4)
  }

  @Test func aReplayStaysInTheHistory() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    try store.send("inc")
    try other.send("inc")
    try store.send("inc")
    let report = try history.replay(from: 1)
    #expect(report.count == 3)
    #expect(report.difference == nil)
    #expect(store.state["count"] == 3)
    #expect(scripts.host.shared("count").value == 3)
  }

  @Test func anEditOfATool() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    try history.edit(["heard": 0, "count": 50])
    #expect(store.state["count"] == 50)
    #expect(other.state == ["heard": 1, "count": 50])
  }
}

import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Stores that nobody looks at while others change the values that they share.
struct IdleStoreTests {
  private static let app = """
    return scripted.feature {
      state = { own = 0 }, shared = { n = scripted.shared.inMemory("n", 0) },
      on = {
        inc = function(state) state.n = state.n + 1 end,
        copy = function(state) state.own = state.n end,
      },
    }
    """

  private func change(_ scripts: Scripts, times: Int) throws {
    for _ in 0..<times { try scripts.host.shared("n").update { $0 = Value(($0?.int ?? 0) + 1) } }
  }

  /// The number of the next action tells how many steps came before.
  private func numberOfNextAction(_ store: Store) throws -> Int? {
    let numbers = Recorder<Int>()
    let observation = store.onAction { numbers.record($0.number) }
    store.send("copy")
    observation.cancel()
    return numbers.all.last
  }

  @Test(arguments: [1, 2])
  func aStoreThatIsReadHasTheValuesOfNow(workers: Int) throws {
    let scripts = try Scripts(["app": Self.app], workers: workers)
    let (writer, idle) = (try scripts.store(), try scripts.store())
    writer.send("inc")
    #expect(idle.state == ["own": 0, "n": 1])
    writer.send("inc")
    writer.send("inc")
    #expect(idle.state == ["own": 0, "n": 3])
    #expect(try numberOfNextAction(idle) == 3)
  }

  @Test func anActionRunsOnTheValuesOfNow() throws {
    let scripts = try Scripts(["app": Self.app])
    let idle = try scripts.store()
    try change(scripts, times: 4)
    idle.send("copy")
    #expect(idle.state == ["own": 4, "n": 4])
  }

  @Test func manyChangesAreOneStepForAStoreThatNobodyReads() throws {
    let scripts = try Scripts(["app": Self.app])
    let idle = try scripts.store()
    try change(scripts, times: 5)
    #expect(try numberOfNextAction(idle) == 2)
  }

  @Test func anObserverHearsOfEachChangeAndOfNoneFromBefore() throws {
    let scripts = try Scripts(["app": Self.app])
    let store = try scripts.store()
    try change(scripts, times: 2)
    let seen = Recorder<Value>()
    let observation = store.observe("n") { seen.record($0) }
    #expect(seen.all.isEmpty)
    try change(scripts, times: 2)
    #expect(seen.all == [3, 4])
    observation.cancel()
    try change(scripts, times: 2)
    #expect(seen.all == [3, 4])
    // A step when the observer came, two that it heard, and one for the last two changes.
    #expect(try numberOfNextAction(store) == 5)
  }

  @Test func anObserverHearsOfWhatAnotherStoreOfTheWorkerDoes() throws {
    let scripts = try Scripts(["app": Self.app])
    let (writer, observed) = (try scripts.store(), try scripts.store())
    let seen = Recorder<Value>()
    let observation = observed.observe("n") { seen.record($0) }
    for _ in 0..<3 { writer.send("inc") }
    #expect(seen.all == [1, 2, 3])
    observation.cancel()
  }

  @Test func aHistoryBeginsWithTheValuesOfNow() throws {
    let scripts = try Scripts(["app": Self.app])
    let store = try scripts.store()
    try change(scripts, times: 2)
    let history = store.record()
    try change(scripts, times: 1)
    #expect(history.count == 1)
    try history.step(by: -1)
    #expect(store.state["n"] == 2)
    // The store shows the past, whatever others do.
    try change(scripts, times: 1)
    #expect(store.state["n"] == 2)
    store.send("copy")
    #expect(store.state == ["own": 4, "n": 4])
  }

  @Test func newCodeGetsTheValuesOfNow() throws {
    let scripts = try Scripts(["app": Self.app])
    let idle = try scripts.store()
    try change(scripts, times: 2)
    try scripts.folder.write(
      Scripts.locals + Self.app.replacing("own = 0", with: "own = 0, more = 1"), to: "app.lua")
    try scripts.host.reload()
    #expect(idle.state["n"] == 2)
  }

  @Test func aDependencyMayReadAStoreOfItsOwnWorker() throws {
    let seen = Recorder<Value>()
    let idle = Mutex<Store?>(nil)
    let look = Dependency.function { () -> Value in
      if let idle = idle.withLock({ $0 }) { seen.record(idle.state["n"]) }
      return .null
    }
    let scripts = try Scripts(
      [
        "app": Self.app,
        "asking": """
        return scripted.feature {
          state = {}, dependencies = { "look" },
          on = { ask = function(state, action, deps) deps.look() end },
        }
        """,
      ], dependencies: Dependencies(["look": look]))
    let store = try scripts.store()
    idle.withLock { $0 = store }
    // Else the store and the dependency would retain each other.
    defer { idle.withLock { $0 = nil } }
    let asking = try scripts.host.store("asking")
    try change(scripts, times: 1)
    asking.send("ask")
    #expect(seen.all == [0])
    #expect(store.state["n"] == 1)
  }
}

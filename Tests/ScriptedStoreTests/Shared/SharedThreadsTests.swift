import Dispatch
import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Shared values under many threads and workers.
struct SharedThreadsTests {
  /// For how many seconds money is moved, if `SOAK_SECONDS` is in the environment. Else a thread moves it a
  /// hundred times.
  private static let seconds =
    ProcessInfo.processInfo.environment["SOAK_SECONDS"].flatMap { Double($0) }
  private static let increments = seconds == nil ? 1000 : 10_000

  /// Two accounts that have 1,000 together. A store or an observer that sees another sum is recorded.
  private static let bank = [
    "keys": """
    local shared = scripted.shared
    return { a = shared.inMemory("a", 1000), b = shared.inMemory("b", 0) }
    """,
    "app": """
    local keys = require "keys"
    local function look(state) if state.a + state.b ~= 1000 then state.wrong = state.wrong + 1 end end
    return scripted.feature {
      name = "Bank", state = { wrong = 0 }, shared = { a = keys.a, b = keys.b, other = keys.a:reader() },
      on = {
        move = function(state, action)
          look(state)
          state.a = state.a - action.amount
          state.b = state.b + action.amount
          look(state)
        end,
        look = look,
      },
    }:onChange("a", look):onChange("b", look)
    """,
  ]

  @Test func moneyThatIsMovedIsNeverSeenTwiceOrNowhere() throws {
    let scripts = try Scripts(Self.bank, workers: 10)
    let stores = try (0..<12).map { _ in try scripts.store() }
    let wrong = Recorder<Value>()
    let isWrong: @Sendable (Value) -> Bool = { state in
      (state["a"].int ?? 0) + (state["b"].int ?? 0) != 1000 || state["other"] != state["a"]
    }
    let observations = stores.map { store in
      store.observe { if isWrong($0) { wrong.record($0) } }
    }
    let end = Self.seconds.map { Date(timeIntervalSinceNow: $0) }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      var count = 0
      while end.map({ $0 > Date() }) ?? (count < 100) {
        let (store, other) = (stores.randomElement(), stores.randomElement())
        _ = try? store?.send("move", ["amount": .integer(.random(in: -9...9))])
        if let state = other?.state, isWrong(state) { wrong.record(state) }
        count += 1
      }
    }
    for store in stores { store.send("look") }
    #expect(wrong.all.isEmpty)
    #expect(stores.allSatisfy { $0.state["wrong"] == 0 && !isWrong($0.state) })
    #expect(Set(stores.map { $0.state["a"].int }).count == 1)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    for observation in observations { observation.cancel() }
  }

  /// Two actions that each write one value because of what the other one is. In any order, only one of them
  /// may find both at 0.
  @Test func twoActionsCannotBothActOnWhatTheOtherChanges() throws {
    let scripts = try Scripts(
      [
        "app": """
        local shared = scripted.shared
        return scripted.feature {
          state = {}, shared = { x = shared.inMemory("x", 0), y = shared.inMemory("y", 0) },
          on = {
            x = function(state) if state.x + state.y == 0 then state.x = 1 end end,
            y = function(state) if state.x + state.y == 0 then state.y = 1 end end,
            clear = function(state) state.x, state.y = 0, 0 end,
          },
        }
        """
      ], workers: 2)
    let stores = try (0..<2).map { _ in try scripts.store() }
    for _ in 0..<200 {
      stores[0].send("clear")
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        _ = stores[index].send(index == 0 ? "x" : "y")
      }
      // Each action has run, also one that another thread has taken over.
      for store in stores { store.send("whatever") }
      let (x, y) = (scripts.host.shared("x").value?.int, scripts.host.shared("y").value?.int)
      #expect((x ?? 0) + (y ?? 0) == 1)
    }
    #expect(scripts.errors.isEmpty)
  }

  @Test func noIncrementOfManyThreadsIsLost() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { own = 0 }, shared = { n = scripted.shared.inMemory("n", 0) },
          on = { inc = function(state) state.n = state.n + 1 state.own = state.own + 1 end },
        }
        """
      ], workers: 4)
    let stores = try (0..<8).map { _ in try scripts.store() }
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for _ in 0..<Self.increments { _ = stores[index].send("inc") }
    }
    for store in stores { store.send("whatever") }
    let all = Value.integer(Int64(8 * Self.increments))
    #expect(scripts.host.shared("n").value == all)
    #expect(stores.allSatisfy { $0.state == ["own": .integer(Int64(Self.increments)), "n": all] })
    #expect(scripts.errors.isEmpty)
  }

  @Test func aStoreIsMadeInsideAnObserver() throws {
    let scripts = try Scripts(Self.bank, workers: 2)
    let store = try scripts.store()
    let made = Recorder<Store>()
    let host = scripts.host
    let make: @Sendable () -> Void = {
      guard let store = try? host.store("app") else { return }
      made.record(store)
      _ = store.send("look")
    }
    let value = host.shared("a").observe { _ in make() }
    let state = store.observe { _ in make() }
    try store.send("move", ["amount": 1])
    #expect(made.count == 2)
    #expect(made.all.allSatisfy { $0.state["a"] == 999 && $0.state["wrong"] == 0 })
    state.cancel()
    value.cancel()
    made.clear()
  }

  @Test func anUpdateInsideADependencyIsAnErrorOfItsAction() throws {
    let host = Mutex<ScriptHost?>(nil)
    var dependencies = Dependencies()
    let meddle = Dependency.function { () throws -> Int in
      try host.withLock { $0 }?.shared("a").update { $0 = 7 }
      return 0
    }
    dependencies.register("meddle", live: meddle)
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = {}, shared = { a = scripted.shared.inMemory("a", 1) }, dependencies = { "meddle" },
          on = { go = function(state, _, deps) state.a = 2 deps.meddle() end },
        }
        """
      ], dependencies: dependencies)
    host.withLock { $0 = scripts.host }
    defer { host.withLock { $0 = nil } }
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.errors.first?.message.contains("cannot update a shared value") == true)
    #expect(store.state["a"] == 1)
    #expect(scripts.host.shared("a").value == 1)
  }

  /// A value that a store has to itself goes with the store.
  @Test func whatStoresHaveToThemselvesGoesWithThem() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = {}, shared = { own = scripted.shared.inherited("own", { 1, 2, 3 }) },
          on = { add = function(state) table.insert(state.own, 4) end },
        }
        """)
    let store = try scripts.store()
    let before = scripts.host.sharedValues(shownBy: store).map(\.key)
    #expect(before.count == 1)
    for _ in 0..<10_000 {
      let other = try scripts.store()
      other.send("add")
      #expect(other.state["own"] == [1, 2, 3, 4])
    }
    #expect(scripts.host.sharedValues(shownBy: store).map(\.key) == before)
    #expect(store.state["own"] == [1, 2, 3])
  }
}

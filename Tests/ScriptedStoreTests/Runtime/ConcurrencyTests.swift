import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Stores under many threads: nothing lost, nothing out of order, nobody stuck.
struct ConcurrencyTests {
  private static let counter = """
    return scripted.feature {
      name = "Counter", state = { n = 0, echo = 0 },
      on = {
        up = function(state) state.n = state.n + 1 end,
        ask = function() return effect.send("up") end,
        fail = function(state) state.n = state.n + 1000; error("no") end,
        echo = function(state) state.echo = state.echo + 1 end,
      },
    }
    """

  /// Runs `body` on eight threads and waits for all.
  private func onThreads(_ body: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: 8, execute: body)
  }

  @Test func eightThreadsOnOneStore() throws {
    let scripts = try Scripts(app: Self.counter)
    let store = try scripts.store()
    let told = Recorder<Int>()
    let numbers = Recorder<Int>()
    let observations = [
      store.observe("n") { told.record($0.int ?? -1) },
      store.onAction { numbers.record($0.number) },
    ]
    onThreads { thread in
      for turn in 0..<200 {
        _ = store.send(turn % 20 == 0 ? "fail" : turn % 2 == 0 ? "ask" : "up")
        _ = store.state
      }
    }
    for observation in observations { observation.cancel() }
    #expect(store.state["n"].int == 8 * 190)
    #expect(scripts.errors.count == 8 * 10)
    // Each change was told once, in order.
    #expect(told.all == Array(1...(8 * 190)))
    #expect(numbers.all == Array(1...(8 * 200 + 8 * 90)))
  }

  @Test(arguments: [1, 3]) func eightThreadsOnManyStores(_ workers: Int) throws {
    let scripts = try Scripts(["app": Self.counter], workers: workers)
    let stores = try (0..<24).map { _ in try scripts.store() }
    onThreads { thread in
      for turn in 0..<240 { _ = stores[(turn + thread) % stores.count].send("ask") }
    }
    #expect(stores.map { $0.state["n"] } == Array(repeating: 80, count: 24))
    #expect(scripts.errors.isEmpty)
  }

  @Test func actionsOfOneThreadKeepTheirOrder() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { last = {} }, on = { at = function(state, action)
          local last = state.last[action.thread] or -1
          if action.turn ~= last + 1 then error("out of order") end
          state.last[action.thread] = action.turn
        end } }
        """)
    let store = try scripts.store()
    onThreads { thread in
      for turn in 0..<200 {
        _ = try? store.send("at", ["thread": .string("t\(thread)"), "turn": .integer(Int64(turn))])
      }
    }
    #expect(scripts.errors.isEmpty, "\(String(describing: scripts.errors.first))")
    #expect(store.state["last"].object?.count == 8)
  }

  @Test func handlersThatSendAcrossStoresAndWorkers() throws {
    let scripts = try Scripts(["app": Self.counter], workers: 2)
    let (a, b) = (try scripts.store(), try scripts.store())
    let observations = [
      a.observe("n") { _ in _ = b.send("echo") },
      b.observe("n") { _ in _ = a.send("echo") },
    ]
    onThreads { thread in for _ in 0..<100 { _ = (thread % 2 == 0 ? a : b).send("up") } }
    for observation in observations { observation.cancel() }
    #expect(a.state["n"] == 400 && b.state["n"] == 400)
    #expect(a.state["echo"] == 400 && b.state["echo"] == 400)
  }

  @Test func storesComeAndGoWhileOthersRun() throws {
    let scripts = try Scripts(["app": Self.counter], workers: 2)
    let wrong = Atomic<Int>(0)
    onThreads { thread in
      for turn in 0..<40 {
        guard let store = try? scripts.store(state: ["n": .integer(Int64(turn))]) else {
          wrong.add(1, ordering: .relaxed)
          continue
        }
        let last = Mutex(-1)
        let observation = store.observe("n") { value in last.withLock { $0 = value.int ?? -1 } }
        _ = store.send("up")
        observation.cancel()
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(scripts.errors.isEmpty)
    #expect(try scripts.store().state == ["n": 0, "echo": 0])
  }

  @Test func observersComeAndGoWhileActionsRun() throws {
    let scripts = try Scripts(app: Self.counter)
    let store = try scripts.store()
    let heard = Atomic<Int>(0)
    onThreads { thread in
      for _ in 0..<100 {
        if thread % 2 == 0 {
          _ = store.send("up")
        } else {
          let observation = store.observe("n") { _ in heard.add(1, ordering: .relaxed) }
          _ = store.send("up")
          observation.cancel()
        }
      }
    }
    #expect(store.state["n"] == 800)
    let before = heard.load(ordering: .relaxed)
    store.send("up")
    #expect(heard.load(ordering: .relaxed) == before)
  }

  @Test func snapshotsAreReadWhileActionsRun() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { rows = {} }, on = {
          add = function(state) table.insert(state.rows, { id = #state.rows + 1, text = "row" }) end,
        } }
        """)
    let store = try scripts.store()
    let wrong = Atomic<Int>(0)
    onThreads { thread in
      for _ in 0..<100 {
        if thread < 2 {
          _ = store.send("add")
        } else {
          let rows = store.state["rows"].array ?? []
          for (index, row) in rows.enumerated() where row["id"].int != index + 1 {
            wrong.add(1, ordering: .relaxed)
          }
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(store.state["rows"].array?.count == 200)
  }

  @Test func asyncTasksSendAndRead() async throws {
    let store = try Scripts(app: Self.counter).store()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = store.send("ask") } }
    }
    #expect(store.state["n"] == 50)
  }

  // MARK: Inside

  @Test(arguments: [1, 2]) func aReducerCannotMakeStores(_ workers: Int) throws {
    final class Outer: Sendable {
      let scripts = Mutex<Scripts?>(nil)
    }
    let outer = Outer()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.combine { scripted.feature { state = { n = 0 }, on = {} }, require "native" }
        """
      ], workers: workers,
      reducers: [
        "native": .reduce { state, _ in
          state["n"] = 1
          let scripts = outer.scripts.withLock { $0 }
          _ = try scripts?.host.store("app")
          return .none
        }
      ])
    outer.scripts.withLock { $0 = scripts }
    defer { outer.scripts.withLock { $0 = nil } }
    let store = try scripts.store()
    store.send("go")
    store.send("go")
    #expect(store.state == ["n": 0])
    #expect(scripts.errors.count == 2)
    #expect(scripts.errors.allSatisfy { $0.message.contains("a reducer cannot make stores") })
  }

  @Test func aReducerCannotMakeStoresOfAnotherHost() throws {
    let other = try Scripts(app: Self.counter)
    let scripts = try Scripts([:])
    let store = try scripts.host.store(
      .reduce { _, _ in
        _ = try other.store()
        return .none
      }, state: [:])
    store.send("go")
    #expect(scripts.errors.first?.message.contains("a reducer cannot make stores") == true)
  }

  /// Whoever is inside one worker only enqueues to others, else a handler of theirs could run inside.
  @Test func whatAReducerSendsToAnotherWorkerWaitsForItsEnd() throws {
    let scripts = try Scripts(["app": Self.counter], workers: 2)
    let other = try scripts.store()
    let seen = Recorder<Value>()
    let told = Recorder<Value>()
    let observation = other.observe("n") { told.record($0) }
    let store = try scripts.host.store(
      .reduce { _, _ in
        other.send("up")
        other.send("up")
        seen.record(other.state["n"])
        return .none
      }, state: [:])
    store.send("go")
    #expect(seen.all == [0])
    #expect(other.state["n"] == 2)
    #expect(told.all == [1, 2])
    observation.cancel()
  }

  @Test func reducersOfTwoWorkersThatSendToEachOther() throws {
    let scripts = try Scripts([:], workers: 2)
    final class Peers: Sendable {
      let stores = Mutex<[Store]>([])
    }
    let peers = Peers()
    func peer(_ index: Int) throws -> Store {
      try scripts.host.store(
        .reduce { state, action in
          state["n"] = .integer(Int64((state["n"].int ?? 0) + 1))
          if action.path == "pass" {
            peers.stores.withLock { $0[1 - index] }.send("catch")
          }
          return .none
        }, state: ["n": 0])
    }
    let stores = [try peer(0), try peer(1)]
    peers.stores.withLock { $0 = stores }
    onThreads { thread in for _ in 0..<100 { _ = stores[thread % 2].send("pass") } }
    peers.stores.withLock { $0 = [] }
    #expect(stores.map { $0.state["n"] } == [800, 800])
  }

  @Test func aReducerMaySendAndObserve() throws {
    let heard = Recorder<Value>()
    let kept = Recorder<StoreObservation>()
    let scripts = try Scripts([:])
    final class Place: Sendable {
      let store = Mutex<Store?>(nil)
    }
    let place = Place()
    let reducer = Reducer.reduce { state, action in
      state["n"] = .integer(Int64((state["n"].int ?? 0) + 1))
      if action.path == "go", let store = place.store.withLock({ $0 }) {
        kept.record(store.observe("n") { heard.record($0) })
        store.send("later")
        // What is queued waits its turn; the state is still the one before.
        state["before"] = store.state["n"]
      }
      return .none
    }
    let store = try scripts.host.store(reducer, state: ["n": 0])
    place.store.withLock { $0 = store }
    store.send("go")
    place.store.withLock { $0 = nil }
    #expect(store.state == ["n": 2, "before": 0])
    #expect(heard.all == [2])
    for observation in kept.all { observation.cancel() }
  }
}

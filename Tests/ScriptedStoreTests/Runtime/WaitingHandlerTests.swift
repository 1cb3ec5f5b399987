import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// A handler that takes long, or waits, keeps nobody else waiting.
@Suite(.timeLimit(.minutes(30))) struct WaitingHandlerTests {
  private static let app = """
    return scripted.feature {
      name = "App", dependencies = { "pause" }, state = { n = 0 },
      on = {
        up = function(state) state.n = state.n + 1 end,
        go = function()
          return effect.run(function(send, deps) deps.pause() send("up") deps.pause() end)
        end,
        warn = function() return effect.run(function() error("no") end) end,
        cross = function(state, _, deps) state.n = state.n + 1 deps.pass() end,
      },
    }
    """

  private func scripts(
    workers: Int = 1, _ configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws -> Scripts {
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async throws -> Void in await Task.yield() })
    return try Scripts(
      ["app": Self.app], workers: workers, dependencies: dependencies, configure: configure)
  }

  @Test func anObserverMayWaitForTheEffectsOfAnotherStore() async throws {
    let scripts = try scripts()
    let (store, other) = (try scripts.store(), try scripts.store())
    let heard = Recorder<Value>()
    let observations = [
      store.observe("n") { _ in
        let done = DispatchSemaphore(value: 0)
        Task {
          await other.send("go").finish()
          await other.finish()
          done.signal()
        }
        done.wait()
      },
      other.observe("n") { heard.record($0) },
    ]
    await onOwnThread { _ = store.send("up") }
    #expect(heard.all == [1])
    for observation in observations { observation.cancel() }
  }

  @Test func aSlowHandlerDelaysNoOtherStoreAndNoStream() async throws {
    let gate = Gate()
    let scripts = try scripts { $0.onWarning = { _ in gate.wait() } }
    let (slow, other) = (try scripts.store(), try scripts.store())
    let heard = AsyncStream.makeStream(of: Value.self)
    let observation = other.observe("n") { heard.continuation.yield($0) }
    var streams = [slow, other].map { $0.values(at: "n").makeAsyncIterator() }
    var actions = slow.actions.makeAsyncIterator()
    for index in streams.indices { #expect(await streams[index].next() == 0) }
    let sender = Task { await onOwnThread { _ = slow.send("warn") } }
    await gate.arrival()
    #expect(await actions.next()?.action.path == "warn")
    slow.send("up")
    other.send("up")
    for index in streams.indices { #expect(await streams[index].next() == 1) }
    #expect(await actions.next()?.action.path == "up")
    for await value in heard.stream {
      #expect(value == 1)
      break
    }
    await other.finish()
    gate.open()
    await sender.value
    observation.cancel()
  }

  /// What a reducer sends to another worker does not wait for the handlers of its own.
  @Test func anObserverMayWaitForWhatAnActionSendsToAnotherWorker() async throws {
    let scripts = try scripts(workers: 2)
    let other = try scripts.store()
    let store = try scripts.host.store(
      .reduce { state, action in
        if action.path == "begin" { state["n"] = 1 } else { other.send("up") }
        return .none
      }, state: ["n": 0])
    let gate = Gate()
    let observations = [
      store.observe("n") { _ in gate.wait() }, other.observe("n") { _ in gate.open() },
    ]
    let sender = Task { await onOwnThread { _ = store.send("begin") } }
    await gate.arrival()
    store.send("go")
    await sender.value
    #expect(other.state["n"] == 1)
    for observation in observations { observation.cancel() }
  }

  @Test func finishReturnsWhenItsTaskIsCancelled() async throws {
    let never = AsyncStream.makeStream(of: Void.self)
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async -> Void in for await _ in never.stream {} })
    let store = try Scripts(["app": Self.app], dependencies: dependencies).store()
    let task = store.send("go")
    let waiter = Task { await store.finish() }
    waiter.cancel()
    await waiter.value
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await store.finish()
    }.value
    #expect(store.effects.count == 1)
    task.cancel()
    await store.finish()
    #expect(store.effects.isEmpty)
  }

  /// The store had the only task that was waited for.
  @Test func aStoreThatIsClosedKeepsNobodyWaitingForItsTask() async throws {
    let never = AsyncStream.makeStream(of: Void.self)
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async -> Void in for await _ in never.stream {} })
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.app], dependencies: dependencies, clock: clock)
    var store: Store? = try scripts.store()
    store?.send("go")
    let settled = AsyncStream.makeStream(of: Void.self)
    clock.whenSettled { settled.continuation.finish() }
    store = nil
    for await _ in settled.stream {}
    #expect(!Task.isCancelled)
  }

  /// As many tasks as there are threads for them wait for a VM that is busy.
  @Test func tasksThatNeedABusyVMBlockNoThread() async throws {
    let gate = Gate()
    let scripts = try scripts()
    let busy = try scripts.host.store(
      .reduce { _, _ in
        gate.wait()
        return .none
      }, state: [:])
    let store = try scripts.store()
    let sender = Task { await onOwnThread { _ = busy.send("block") } }
    await gate.arrival()
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    let made = try await withThrowingTaskGroup(of: Value.self) { group in
      for number in 0..<count {
        group.addTask {
          #expect(await store.effectsInFlight().isEmpty)
          return try await scripts.host.makeStore("app", state: ["n": .integer(Int64(number))])
            .state["n"]
        }
      }
      group.addTask {
        gate.open()
        return -1
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await sender.value
    #expect(Set(made) == Set((-1..<count).map { .integer(Int64($0)) }))
  }

  /// Scripts that go on after a task, and their handlers, may block: they run on no thread for tasks.
  @Test func whatFollowsATaskMayBlock() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount
    let left = Atomic<Int>(count)
    let gate = DispatchSemaphore(value: 0)
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async throws -> Void in await Task.yield() })
    let scripts = try Scripts(
      ["app": Self.app], workers: count, dependencies: dependencies)
    let stores = try (0..<count).map { _ in try scripts.store() }
    let observations = stores.map { store in
      store.observe("n") { _ in
        if left.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
          Task { for _ in 0..<count { gate.signal() } }
        }
        gate.wait()
      }
    }
    let tasks = stores.map { $0.send("go") }
    for task in tasks { await task.finish() }
    #expect(stores.allSatisfy { $0.state["n"] == 1 })
    for observation in observations { observation.cancel() }
  }
}

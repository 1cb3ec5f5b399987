import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Custom keys whose functions are Swift closures of the host.
struct ServedKeyTests {
  private static let app = """
    local rates = scripted.shared.custom { name = "rates", default = { usd = 1 } }
    return scripted.feature {
      name = "App", state = { log = {} }, shared = { rates = rates, status = rates:status() },
      on = {
        set = function(state, action) state.rates = action.rates end,
        drop = function(state) state.rates = nil end,
        task = function(_, action)
          return effect.run(function(send)
            send("done", { result = effect.result(function() rates[action.what](rates) end) })
          end)
        end,
        done = function(state, action) table.insert(state.log, action.result) end,
      },
    }
    """

  /// What a program would have somewhere else.
  private final class Service: Sendable {
    let stored: Mutex<Value?>
    let saves = Recorder<Value?>()
    let failure = Mutex<(any Error)?>(nil)
    let subscriber = Mutex<(@Sendable (Value?) -> Void)?>(nil)
    let hasEnded = Atomic<Bool>(false)
    /// Whether nothing is loaded or saved for now.
    let isHeld = Atomic<Bool>(false)

    init(_ stored: Value?) { self.stored = Mutex(stored) }

    private func pass() async throws {
      repeat { await Task.yield() } while isHeld.load(ordering: .sequentiallyConsistent)
      if let failure = failure.withLock({ $0 }) { throw failure }
    }

    var dependencies: Dependencies {
      var dependencies = Dependencies()
      dependencies.register(
        sharedKey: "rates",
        load: { [self] in
          try await pass()
          return stored.withLock { $0 }
        },
        save: { [self] value in
          try await pass()
          stored.withLock { $0 = value }
          saves.record(value)
        },
        subscribe: { [self] yield in
          subscriber.withLock { $0 = yield }
          defer { hasEnded.store(true, ordering: .sequentiallyConsistent) }
          try await Task.sleep(for: .seconds(1_000_000))
        })
      return dependencies
    }
  }

  private func scripts(_ dependencies: Dependencies) throws -> Scripts {
    try Scripts(["app": Self.app], dependencies: dependencies)
  }

  /// Waits until a condition holds, without a limit of its own.
  private func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func closuresLoadAndSave() async throws {
    let service = Service(["usd": 2])
    service.isHeld.store(true, ordering: .sequentiallyConsistent)
    let scripts = try scripts(service.dependencies)
    let store = try scripts.store()
    #expect(store.state["rates"] == ["usd": 1])
    #expect(store.state["status"] == ["isLoading": true])
    service.isHeld.store(false, ordering: .sequentiallyConsistent)
    await until { store.state["rates"] == ["usd": 2] }
    #expect(store.state["status"] == ["isLoading": false])
    try store.send("set", ["rates": ["usd": 3]])
    try await scripts.host.shared("rates", kind: .custom).save()
    #expect(service.stored.withLock { $0 } == ["usd": 3])
    store.send("drop")
    try await scripts.host.shared("rates", kind: .custom).save()
    #expect(service.saves.all == [["usd": 3], nil])
    service.stored.withLock { $0 = ["usd": 4] }
    try await store.send("task", ["what": "load"]).finish()
    #expect(store.state["rates"] == ["usd": 4])
  }

  @Test func whatASubscriptionYieldsIsTheValue() async throws {
    let service = Service(["usd": 2])
    do {
      let scripts = try scripts(service.dependencies)
      let store = try scripts.store()
      await until { store.state["rates"] == ["usd": 2] }
      await until { service.subscriber.withLock { $0 } != nil }
      service.subscriber.withLock { $0 }?(["usd": 5])
      await until { store.state["rates"] == ["usd": 5] }
      service.subscriber.withLock { $0 }?(nil)
      await until { store.state["rates"] == ["usd": 1] }
      #expect(service.saves.all.isEmpty)
    }
    // Cancelled with the host.
    await until { service.hasEnded.load(ordering: .sequentiallyConsistent) }
  }

  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "the service refuses" }
  }

  @Test func whatIsThrownIsTheStatus() async throws {
    let service = Service(["usd": 2])
    let store = try scripts(service.dependencies).store()
    await until { store.state["rates"] == ["usd": 2] }
    let offline = SharedStorageError(code: "offline", message: "no network")
    service.failure.withLock { $0 = offline }
    try await store.send("task", ["what": "load"]).finish()
    #expect(
      store.state["status"]["loadError"]
        == ["code": "offline", "message": "no network", "path": "rates"])
    try store.send("set", ["rates": ["usd": 3]])
    await until { store.state["status"]["saveError"]["code"] == "offline" }
    #expect(store.state["rates"] == ["usd": 3])
    service.failure.withLock { $0 = Refusal() }
    try await store.send("task", ["what": "load"]).finish()
    let failure = store.state["status"]["loadError"]
    #expect(failure["code"] == "failed")
    #expect(failure["message"].string?.contains("the service refuses") == true, "\(failure)")
  }

  @Test func closuresThatAreLeftOutDoNothing() async throws {
    var dependencies = Dependencies()
    dependencies.register(sharedKey: "rates")
    let scripts = try scripts(dependencies)
    let store = try scripts.store()
    await until { store.state["status"] == ["isLoading": false] }
    try store.send("set", ["rates": ["usd": 3]])
    try await store.send("task", ["what": "save"]).finish()
    try await store.send("task", ["what": "load"]).finish()
    #expect(store.state["log"] == [["success": .null], ["success": .null]])
    #expect(store.state["rates"] == ["usd": 3])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func testsLoadAndSaveNothingUnlessTheySay() async throws {
    let service = Service(["usd": 2])
    let scripts = try Scripts(
      ["app": Self.app], dependencies: service.dependencies, context: .test)
    let store = try scripts.store()
    try store.send("set", ["rates": ["usd": 3]])
    try await store.send("task", ["what": "save"]).finish()
    #expect(service.saves.all.isEmpty)
    let other = try Scripts(
      ["app": Self.app], dependencies: service.dependencies, context: .test)
    let overridden = try other.host.store(
      "app", dependencies: ["rates": .sharedKey(load: { ["usd": 9] })])
    try await overridden.send("task", ["what": "load"]).finish()
    #expect(overridden.state["rates"] == ["usd": 9])
  }

  /// A script can be tested without its host.
  @Test func inTestsAKeyNeedNotBeServed() async throws {
    let spec = try await Spec(
      """
      local store = make()
      store:send({ type = "set", rates = { usd = 3 } }, function(state) state.rates = { usd = 3 } end)
      store:send({ type = "task", what = "load" }):finish { timeout = 600 }
      store:skipReceivedActions()
      assert.same({ usd = 3 }, store.state.rates)
      """, before: "", app: Self.app)
    #expect(spec.result == "passed")
  }

  @Test func aScriptMayBeTheDependency() async throws {
    let app = """
      scripted.dependency {
        name = "rates",
        live = { load = function() return { usd = 8 } end, save = function() end,
          subscribe = function() return function() end end },
      };
      """
    let scripts = try Scripts(["app": app + Self.app])
    let store = try scripts.store()
    await until { store.state["rates"] == ["usd": 8] }
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aKeyThatNobodyServesIsRefused() throws {
    let message = scriptError { _ = try scripts(Dependencies()).store() }?.message ?? ""
    #expect(message.contains("none of the functions load, save and subscribe"), "\(message)")
    #expect(message.contains("no dependency of that name"), "\(message)")
    #expect(message.contains("shared.inMemory"), "\(message)")
  }
}

import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Shared values that functions of the script load, save and subscribe to.
struct CustomKeyTests {
  /// A service of the host with one value, as a script's key reaches it through `deps.api`.
  private final class Service: Sendable {
    private struct State {
      var stored: Value?
      var saves: [Value] = []
      var loads = 0
      var failure: String?
      var held: [CheckedContinuation<Void, Never>] = []
      var isHeld = false
      var subscriber: AsyncStream<Value>.Continuation?
    }

    private let state = Mutex(State())

    init(_ stored: Value?) { state.withLock { $0.stored = stored } }

    var stored: Value? { state.withLock { $0.stored } }
    var saves: [Value] { state.withLock { $0.saves } }
    var loads: Int { state.withLock { $0.loads } }

    func store(_ value: Value?) { state.withLock { $0.stored = value } }
    func fail(_ message: String?) { state.withLock { $0.failure = message } }
    func publish(_ value: Value) { _ = state.withLock { $0.subscriber }?.yield(value) }
    var hasSubscriber: Bool { state.withLock { $0.subscriber != nil } }

    /// From now on calls wait until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }
    var waiting: Int { state.withLock { $0.held.count } }

    func release() {
      let held = state.withLock { state in
        defer { state.held = [] }
        state.isHeld = false
        return state.held
      }
      for continuation in held { continuation.resume() }
    }

    private func pass() async throws {
      if state.withLock({ $0.isHeld }) {
        await withCheckedContinuation { continuation in
          let isHeld = state.withLock { state in
            if state.isHeld { state.held.append(continuation) }
            return state.isHeld
          }
          if !isHeld { continuation.resume() }
        }
      }
      if let failure = state.withLock({ $0.failure }) {
        throw ScriptError(failure, value: ["code": "offline", "message": .string(failure)])
      }
    }

    var dependencies: Dependencies {
      var dependencies = Dependencies()
      let api: [String: Dependency] = [
        "load": .asyncFunction { [self] () async throws -> Value? in
          let stored = state.withLock { state in
            state.loads += 1
            return state.stored
          }
          try await pass()
          return stored
        },
        "save": .asyncFunction { [self] (value: Value) async throws in
          try await pass()
          state.withLock { state in
            state.stored = value
            state.saves.append(value)
          }
        },
        "changes": .stream { [self] in
          AsyncStream<Value> { continuation in state.withLock { $0.subscriber = continuation } }
        },
      ]
      dependencies.register("api", live: .client(api))
      return dependencies
    }
  }

  private static let key = """
    local rates = scripted.shared.custom {
      name = "rates", default = { usd = 1 }, dependencies = { "api" },
      load = function(deps) return deps.api.load() end,
      save = function(value, deps) deps.api.save(value) end,
      subscribe = function(yield, deps) for value in deps.api.changes() do yield(value) end end,
    };
    """

  private static let app =
    key + """
      return scripted.feature {
        name = "App", state = { log = {} },
        shared = { rates = rates, status = rates:status() },
        on = {
          set = function(state, action) state.rates[action.name] = action.rate end,
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

  private func scripts(_ service: Service, app: String = app, workers: Int = 1) throws -> Scripts {
    try Scripts(["app": app], workers: workers, dependencies: service.dependencies)
  }

  /// Waits until a condition holds, without a limit of its own.
  private func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func aValueIsLoadedWhenAStoreSharesIt() async throws {
    let service = Service(["usd": 2, "eur": 3])
    service.hold()
    let store = try scripts(service).store()
    // The default, until the value is there.
    #expect(store.state["rates"] == ["usd": 1])
    #expect(store.state["status"] == ["isLoading": true])
    await until { service.waiting > 0 }
    service.release()
    await until { store.state["status"]["isLoading"] == false }
    #expect(store.state["rates"] == ["usd": 2, "eur": 3])
    #expect(service.saves.isEmpty)
    #expect(service.loads == 1)
  }

  @Test func nothingStoredLeavesTheDefault() async throws {
    let service = Service(nil)
    let store = try scripts(service).store()
    await until { store.state["status"]["isLoading"] == false }
    #expect(store.state["rates"] == ["usd": 1])
    #expect(service.saves.isEmpty)
  }

  @Test func aChangeIsSavedAndOnlyOneSaveRunsAtATime() async throws {
    let service = Service(["usd": 2])
    let store = try scripts(service).store()
    await until { store.state["rates"]["usd"] == 2 }
    service.hold()
    try store.send("set", ["name": "a", "rate": 1])
    await until { service.waiting == 1 }
    for rate in 2...9 { try store.send("set", ["name": "a", "rate": .integer(Int64(rate))]) }
    #expect(service.waiting == 1)
    service.release()
    await until { service.stored == ["usd": 2, "a": 9] }
    // The first one, and then the newest.
    #expect(service.saves == [["usd": 2, "a": 1], ["usd": 2, "a": 9]])
  }

  @Test func aLoadDoesNotUndoWhatWasWrittenMeanwhile() async throws {
    let service = Service(["usd": 2, "eur": 3])
    service.hold()
    let store = try scripts(service).store()
    await until { service.waiting > 0 }
    try store.send("set", ["name": "chf", "rate": 4])
    service.release()
    await until { service.stored == ["usd": 2, "eur": 3, "chf": 4] }
    // The step of the store may come after the request for saving.
    await until { store.state["rates"] == ["usd": 2, "eur": 3, "chf": 4] }
  }

  @Test func whatASubscriptionYieldsIsAStep() async throws {
    let service = Service(["usd": 2])
    let scripts = try scripts(service)
    let store = try scripts.store()
    await until { service.hasSubscriber && store.state["status"]["isLoading"] == false }
    let actions = Recorder<ActionRecord.Source>()
    let observation = store.onAction { actions.record($0.source) }
    service.publish(["usd": 7])
    await until { store.state["rates"] == ["usd": 7] }
    await until { !actions.all.isEmpty }
    #expect(actions.all == [.shared])
    #expect(service.saves.isEmpty)
    withExtendedLifetime((observation, scripts)) {}
  }

  @Test func aFailureIsShownAndTriedAgain() async throws {
    let service = Service(["usd": 2])
    let clock = VirtualClock()
    let scripts = try Scripts(
      ["app": Self.app], dependencies: service.dependencies, clock: clock)
    let store = try scripts.store()
    await until { store.state["rates"] == ["usd": 2] }
    service.fail("no network")
    try store.send("set", ["name": "a", "rate": 1])
    await until { store.state["status"]["saveError"] != .null }
    #expect(
      store.state["status"]["saveError"]
        == ["code": "offline", "message": "no network", "path": "rates"])
    #expect(store.state["rates"] == ["usd": 2, "a": 1])
    service.fail(nil)
    clock.advance(by: .seconds(1))
    await until { store.state["status"] == ["isLoading": false] }
    #expect(service.stored == ["usd": 2, "a": 1])
    // The feature shows the failure.
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aFailureEndsWhenTheValueIsAgainWhatIsStored() async throws {
    let service = Service(["usd": 2])
    // Its time stands still, so that nothing is tried again.
    let scripts = try Scripts(
      ["app": Self.app], dependencies: service.dependencies, clock: VirtualClock())
    let store = try scripts.store()
    await until { store.state["rates"] == ["usd": 2] }
    service.fail("no network")
    try store.send("set", ["name": "a", "rate": 1])
    await until { store.state["status"]["saveError"] != .null }
    try store.send("set", ["name": "a"])
    try await store.send("task", ["what": "save"]).finish()
    #expect(store.state["rates"] == ["usd": 2])
    #expect(store.state["status"] == ["isLoading": false])
    #expect(service.saves.isEmpty)
  }

  @Test func aFailureThatNoFeatureShowsIsAWarning() async throws {
    let service = Service(nil)
    service.fail("no network")
    let app =
      Self.key + "return scripted.feature { state = {}, shared = { rates = rates } }"
    let scripts = try scripts(service, app: app)
    let store = try scripts.store()
    await until { !scripts.warnings.isEmpty }
    #expect(scripts.warnings.map(\.kind) == [.sharedStorage])
    let message = scripts.warnings.first?.message ?? ""
    #expect(message.contains("custom \"rates\" cannot be loaded: no network (offline)"))
    #expect(message.contains("share the key's status()"))
    #expect(store.state["rates"] == ["usd": 1])
  }

  @Test func aKeyThatNothingSavesIsForReading() throws {
    let app = """
      local rates = scripted.shared.custom { name = "rates", default = { usd = 1 }, load = function() return nil end }
      return scripted.feature {
        state = {}, shared = { rates = rates }, on = { set = function(state) state.rates.usd = 2 end },
      }
      """
    let scripts = try Scripts(["app": app])
    let store = try scripts.store()
    store.send("set")
    #expect(store.state["rates"] == ["usd": 1])
    #expect(scripts.errors.count == 1)
    try scripts.host.shared("rates", kind: .custom).update { $0 = ["usd": 3] }
    #expect(store.state["rates"] == ["usd": 3])
  }

  /// A limit stops a function with an error that no script can catch.
  @Test func aFunctionThatDoesNotEndIsStoppedAndCalledAgain() async throws {
    let app = """
      local calls = { load = 0, save = 0, subscribe = 0 }
      local function called(name)
        calls[name] = calls[name] + 1
        if calls[name] == 1 then while true do end end
      end
      local n = scripted.shared.custom {
        name = "n", default = 1, dependencies = { "api" },
        load = function(deps) called("load") return deps.api.load() end,
        save = function(value, deps) called("save") deps.api.save(value) end,
        subscribe = function(yield, deps)
          called("subscribe")
          for value in deps.api.changes() do yield(value) end
        end,
      }
      return scripted.feature {
        name = "App", state = { log = {} }, shared = { n = n, status = n:status() },
        on = {
          set = function(state, action) state.n = action.n end,
          task = function(_, action)
            return effect.run(function(send) send("done", { result = effect.result(n[action.what], n) }) end)
          end,
          done = function(state, action) table.insert(state.log, action.result) end,
        },
      }:onChange("status.loadError", function(state, old, new) table.insert(state.log, new and new.message or "none") end)
      """
    let service = Service(7)
    let clock = VirtualClock()
    let scripts = try Scripts(["app": app], dependencies: service.dependencies, clock: clock) {
      $0.limits = Limits(time: .milliseconds(200), loadTime: .seconds(5))
    }
    let store = try scripts.store()
    await until { store.state["status"]["loadError"]["code"] == "failed" }
    let message = store.state["status"]["loadError"]["message"].string ?? ""
    #expect(message.contains("longer than 0.2 s"), "\(message)")
    await until { store.state["status"]["isLoading"] == false }
    // The other functions are called again after a pause, and a load when somebody asks for it.
    await until {
      clock.advance(by: .seconds(1))
      return service.hasSubscriber
    }
    try await store.send("task", ["what": "load"]).finish()
    #expect(store.state["n"] == 7)
    try store.send("set", ["n": 8])
    try await store.send("task", ["what": "save"]).finish()
    await until {
      clock.advance(by: .seconds(1))
      return service.stored == 8
    }
    await until { store.state["status"] == ["isLoading": false] }
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty, "\(scripts.warnings)")
  }

  @Test func effectsLoadAndSave() async throws {
    let service = Service(["usd": 2])
    let store = try scripts(service).store()
    await until { store.state["rates"] == ["usd": 2] }
    service.store(["usd": 5])
    try await store.send("task", ["what": "load"]).finish()
    #expect(store.state["rates"] == ["usd": 5])
    service.hold()
    try store.send("set", ["name": "a", "rate": 1])
    let task = try store.send("task", ["what": "save"])
    await until { service.waiting > 0 }
    service.release()
    await task.finish()
    #expect(service.stored == ["usd": 5, "a": 1])
    // With nothing to save it returns as well.
    try await store.send("task", ["what": "save"]).finish()
    service.fail("no network")
    try await store.send("task", ["what": "load"]).finish()
    let failure: Value = ["code": "offline", "message": "no network", "path": "rates"]
    #expect(
      store.state["log"]
        == [["success": .null], ["success": .null], ["success": .null], ["failure": failure]])
  }

  @Test func whatIsLoadedMustHaveTheTypeOfTheDefault() async throws {
    let service = Service("text")
    let store = try scripts(service).store()
    await until { store.state["status"]["loadError"] != .null }
    #expect(store.state["status"]["loadError"]["code"] == "invalid")
    #expect(store.state["rates"] == ["usd": 1])
  }

  @Test func storesOfAllWorkersHaveOneKeeper() async throws {
    let service = Service(["usd": 2])
    let scripts = try scripts(service, workers: 3)
    let stores = try (0..<6).map { _ in try scripts.store() }
    for store in stores { await until { store.state["rates"] == ["usd": 2] } }
    #expect(service.loads == 1)
    try stores[4].send("set", ["name": "a", "rate": 1])
    await until { service.saves.count == 1 }
    for store in stores { await until { store.state["rates"]["a"] == 1 } }
  }

  @Test func theHostWritesWhatIsNotSavedYetWhenItEnds() async throws {
    let service = Service(["usd": 2])
    do {
      let scripts = try scripts(service)
      let store = try scripts.store()
      await until { store.state["rates"] == ["usd": 2] }
      try store.send("set", ["name": "a", "rate": 1])
      // A flush waits for five seconds, which a busy machine may need for something else.
      await until {
        scripts.host.flush()
        return service.stored == ["usd": 2, "a": 1]
      }
    }
  }

  @Test func aReloadBringsNewFunctionsAndKeepsTheValue() async throws {
    let service = Service(["usd": 2])
    let scripts = try scripts(service)
    let store = try scripts.store()
    await until { service.hasSubscriber && store.state["rates"] == ["usd": 2] }
    try scripts.folder.write(
      Scripts.locals
        + Self.app.replacing("deps.api.save(value)", with: "deps.api.save({ new = value })"),
      to: "app.lua")
    _ = try await scripts.host.reload()
    #expect(store.state["rates"] == ["usd": 2])
    try store.send("set", ["name": "a", "rate": 1])
    await until { service.saves == [["new": ["usd": 2, "a": 1]]] }
    #expect(service.loads == 1)
    // The keeper of a key that no feature shares any more has ended.
    try scripts.folder.write(
      Scripts.locals + "return scripted.feature { state = {} }", to: "app.lua")
    _ = try await scripts.host.reload()
    try store.send("set", ["name": "a", "rate": 2])
    scripts.host.flush()
    #expect(service.saves.count == 1)
  }

  @Test(arguments: [
    ("{ default = 1, load = print }", "shared.custom needs the field 'name'"),
    ("{ name = \"\", load = print }", "shared.custom needs the field 'name'"),
    ("{ name = \"a\" }", "has none of the functions load, save and subscribe"),
    (
      "{ name = \"a\", dependencies = { \"api\" } }",
      "has `dependencies`, and none of the functions"
    ),
    ("{ name = \"a\", laod = print }", "has no field 'laod'; did you mean 'load'?"),
    ("{ name = \"a\", load = 1 }", "the field 'load' of shared.custom must be a function"),
    ("{ name = \"a\", load = print, dependencies = { 1 } }", "is a list of names"),
    ("{ name = \"a\", load = print, dependencies = { \"apy\" } }", "there is no dependency 'apy'"),
    ("3", "bad argument #1 to 'shared.custom' (table expected, got number)"),
  ])
  func aWrongDescriptionIsRefused(description: String, reason: String) throws {
    let scripts = try Scripts(
      app: """
        local key = scripted.shared.custom(\(description))
        return scripted.feature { state = {}, shared = { key = key } }
        """)
    let error = #expect(throws: ScriptError.self) { try scripts.store() }
    #expect("\(error.map { "\($0)" } ?? "")".contains(reason))
  }
}

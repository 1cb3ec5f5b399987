import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Actions that follow from one another without a wait come to an end; others go on for ever.
@Suite(.timeLimit(.minutes(30))) struct BurstTests {
  private static let app = """
    local function up(state) state.count = state.count + 1 end
    local function sends(action) return function(send) send(action) end end
    return scripted.feature {
      name = "App", state = { count = 0 }, dependencies = { "clock", "api" },
      on = {
        up = up,
        ping = function(state) up(state) return effect.send("ping") end,
        a = function(state) up(state) return effect.send("b") end,
        b = function(state) up(state) return effect.run(sends("a")) end,
        runs = function(state) up(state) return effect.run(sends("runs")) end,
        forks = function(state)
          up(state)
          return effect.merge(effect.run(sends("forks")), effect.run(sends("forks")))
        end,
        doubles = function(state)
          up(state)
          return effect.merge(effect.send("doubles"), effect.send("doubles"))
        end,
        many = function()
          local sent = {}
          for i = 1, 50 do sent[i] = effect.send("up") end
          return effect.merge(sent)
        end,
        yields = function()
          return effect.run(function(send)
            while true do pcall(send, "up") pcall(effect.yield) end
          end)
        end,
        parts = function()
          return effect.run(function(send)
            while true do effect.all { function() send("up") end, function() effect.yield() end } end
          end)
        end,
        naps = function()
          return effect.run(function(send, deps)
            while true do send("up") deps.clock.sleep(0) end
          end)
        end,
        follows = function(state)
          up(state)
          return effect.concatenate(effect.run(function() end), effect.send("follows"))
        end,
        debounces = function(state)
          up(state)
          return effect.send("debounces"):debounce("id", 0)
        end,
        sleeps = function(state)
          up(state)
          return effect.run(function(send, deps) deps.clock.sleep(1) send("sleeps") end)
        end,
        ticks = function()
          return effect.run(function(send, deps)
            for _ in deps.clock.timer(1) do send("up") end
          end)
        end,
        asks = function()
          return effect.run(function(send, deps)
            for _ = 1, 50 do deps.api.ask() send("up") end
          end)
        end,
        waitsInParts = function()
          return effect.run(function(send, deps)
            while true do
              effect.all { function() deps.clock.sleep(1) end, function() end }
              send("up")
            end
          end)
        end,
        waitsInNestedParts = function()
          return effect.run(function(send, deps)
            while true do
              effect.timeout(9, function() effect.all { function() deps.clock.sleep(1) end } end)
              send("up")
            end
          end)
        end,
        races = function()
          return effect.run(function(send, deps)
            while true do
              effect.race { function() deps.clock.sleep(1) end, function() deps.clock.sleep(9) end }
              send("up")
            end
          end)
        end,
      },
    }
    """

  private func scripts(
    _ actions: Int? = 20, time: Duration? = nil, clock: VirtualClock? = nil
  ) throws -> Scripts {
    var dependencies = Dependencies()
    dependencies.register(
      "api", live: .client(["ask": .asyncFunction { () async throws -> Int in 1 }]))
    return try Scripts(["app": Self.app], dependencies: dependencies, clock: clock) {
      $0.limits = Limits(time: time, actions: actions)
    }
  }

  @Test func ifSlowObserversUseUpTheTimeFirstTheErrorOfTheTimeLimitShowsTheCycle() throws {
    let scripts = try scripts(1_000_000, time: .seconds(1))
    let store = try scripts.store()
    let observation = store.observe { _ in Thread.sleep(forTimeInterval: 0.001) }
    store.send("ping")
    observation.cancel()
    let error = try #require(scripts.errors.first)
    #expect(error.kind == .time)
    #expect(error.message.hasPrefix("this takes longer than 1 s; effects have sent "))
    #expect(error.message.contains("actions in a row without a wait: ping sends ping. Send it"))
  }

  @Test(arguments: [
    ("ping", "ping sends ping"), ("a", "a sends b, b sends a"), ("runs", "runs sends runs"),
    ("follows", "follows sends follows"), ("doubles", "doubles sends doubles"),
  ])
  func aCycleEndsAndIsShown(_ action: String, _ cycle: String) throws {
    let scripts = try scripts()
    let store = try scripts.store()
    try store.send(action)
    #expect(store.state["count"] == 21)
    #expect(store.effects.isEmpty)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    let message = try #require(scripts.warnings.first).message
    #expect(message.contains("20 actions in a row without a wait: \(cycle). "))
    #expect(message.contains("Limits.actions, --max-actions"))
    #expect(scripts.errors.isEmpty)
    store.send("up")
    #expect(store.state["count"] == 22)
  }

  @Test func aCycleIsShownWhereTheLimitIsFar() throws {
    let scripts = try scripts(20_000, clock: VirtualClock())
    for action in ["a", "doubles", "forks"] {
      let store = try scripts.store()
      try store.send(action)
      #expect(store.effects.isEmpty)
    }
    let messages = scripts.warnings.map(\.message)
    for cycle in ["a sends b, b sends a", "doubles sends doubles", "forks sends forks"] {
      #expect(
        messages.contains { $0.contains("20000 actions in a row without a wait: \(cycle). ") })
    }
  }

  @Test func effectsThatStartTwoEachComeToAnEnd() throws {
    let scripts = try scripts()
    let store = try scripts.store()
    store.send("forks")
    #expect(store.effects.isEmpty)
    #expect(store.state["count"] == 21)
    #expect(scripts.warnings.allSatisfy { $0.message.contains("forks sends forks") })
    #expect(!scripts.warnings.isEmpty)
  }

  @Test(arguments: ["yields", "parts"])
  func anEffectThatSendsWithoutAWaitIsStopped(_ action: String) throws {
    let scripts = try scripts(clock: VirtualClock())
    let store = try scripts.store()
    store.send("sleeps")
    try store.send(action)
    #expect(store.state["count"] == 21)
    #expect(store.effects.map(\.waitingOn) == ["clock.sleep"])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1)
    #expect(warning.message.contains("app.lua:"))
    #expect(warning.message.contains(" sends up. "))
    #expect(warning.effect?.action == action)
  }

  @Test(arguments: ["naps", "debounces"])
  func toSleepForNoTimeIsNoWait(_ action: String) async throws {
    let scripts = try scripts()
    let store = try scripts.store()
    try store.send(action)
    await store.finish()
    #expect(scripts.warnings.count == 1)
    #expect(store.state["count"].int ?? 0 <= 21)
  }

  @Test(arguments: ["sleeps", "ticks", "debounces"])
  func aClockThatPassesAtOnceIsNoWait(_ action: String) throws {
    let scripts = try scripts()
    let store = try scripts.host.store("app", dependencies: ["clock": .immediateClock()])
    try store.send(action)
    #expect(store.effects.isEmpty)
    #expect(scripts.warnings.count == 1)
    #expect(store.state["count"].int ?? 0 <= 21)
  }

  @Test(arguments: ["sleeps", "ticks", "waitsInParts", "waitsInNestedParts", "races"])
  func whatWaitsGoesOn(_ action: String) throws {
    let clock = VirtualClock()
    let scripts = try scripts(5, clock: clock)
    let store = try scripts.store()
    try store.send(action)
    let before = store.state["count"].int ?? 0
    clock.advance(by: .seconds(500))
    #expect(store.state["count"].int == before + 500)
    #expect(store.effects.count == 1)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func theHostsAnswersAreWaits() async throws {
    let scripts = try scripts()
    let store = try scripts.store()
    store.send("asks")
    await store.finish()
    #expect(store.state["count"] == 50)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func whatComesBeforeTheLimitIsReduced() throws {
    let scripts = try scripts()
    let store = try scripts.store()
    store.send("many")
    #expect(store.state["count"] == 20)
    #expect(scripts.warnings.count == 1)
    #expect(scripts.warnings.first?.message.contains("sends up") == true)
  }

  @Test func actionsOfTheHostAreNotCounted() throws {
    let scripts = try scripts(1)
    let store = try scripts.store()
    for _ in 0..<50 { store.send("up") }
    #expect(store.state["count"] == 50)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aSwiftReducerThatSendsToItselfEndsItsTurn() throws {
    let reducer = Reducer.reduce { state, _ in
      state["count"] = .integer(Int64((state["count"].int ?? 0) + 1))
      return .send(try Action(path: "again"))
    }
    let scripts = try scripts()
    let store = try scripts.host.store(reducer, state: ["count": 0])
    store.send("again")
    #expect(store.state["count"] == 21)
    #expect(scripts.warnings.first?.message.contains("again sends again") == true)
  }

  @Test func aStoreHasLimitsOfItsOwn() throws {
    let scripts = try scripts(nil)
    let store = try scripts.host.store("app", limits: Limits(actions: 3))
    store.send("ping")
    #expect(store.state["count"] == 4)
  }

  /// Nodes that make each other appear, and one that makes more of its kind appear.
  private static let appearing = """
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "App", state = { count = 0, rows = {} },
      on = {
        flip = function(state) state.count = state.count + 1 end,
        grow = function(state)
          state.count = state.count + 1
          for _ = 1, 2 do state.rows[#state.rows + 1] = { id = #state.rows + 1 } end
        end,
        go = function(state) state.rows = { { id = 0 } } end,
      },
      view = function(state, env)
        if env.shows == "rows" then
          return ui.forEach(state.rows, function() return ui.row { onAppear = "grow" } end)
        end
        if state.count % 2 == 0 then return ui.row { onAppear = "flip" } end
        return ui.column { ui.row { onAppear = "flip" } }
      end,
    }
    """

  @Test func nodesThatMakeEachOtherAppearComeToAnEnd() throws {
    let scripts = try Scripts(["app": Self.appearing]) { $0.limits = Limits(actions: 20) }
    let store = try scripts.store()
    let tree = store.view()
    #expect(store.state["count"] == 20)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    let message = try #require(scripts.warnings.first).message
    #expect(message.hasPrefix("the view of App failed: the action \"flip\" is refused, because "))
    #expect(
      message.contains(
        "effects and nodes that appear have sent 20 actions in a row without a wait: flip sends flip."
      ))
    // What a person does next begins another burst.
    store.send("flip")
    #expect(store.state["count"] == 41)
    withExtendedLifetime(tree) {}
  }

  @Test func aNodeThatMakesMoreNodesAppearComesToAnEnd() throws {
    let scripts = try Scripts(["app": Self.appearing]) { $0.limits = Limits(actions: 20) }
    let store = try scripts.store()
    let tree = store.view(environment: ["shows": "rows"])
    store.send("go")
    #expect(store.state["count"] == 20)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    withExtendedLifetime(tree) {}
  }
}

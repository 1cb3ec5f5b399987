import LuaBridge
import ScriptedStore
import Testing

/// A store has no more effects in flight than it may.
@Suite(.timeLimit(.minutes(30))) struct EffectCountTests {
  private static let app = """
    local function sleep(send, deps) deps.clock.sleep(1) send("up") end
    return scripted.feature {
      name = "App", state = { count = 0 }, dependencies = { "clock" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        one = function() return effect.run(sleep) end,
        named = function(_, action) return effect.run(sleep):cancellable(action.value) end,
        cancel = function(_, action) return effect.cancel(action.value) end,
        five = function()
          local runs = {}
          for i = 1, 5 do runs[i] = effect.run(sleep) end
          return effect.merge(runs)
        end,
        parts = function()
          return effect.run(function(send, deps)
            local function part() deps.clock.sleep(1) end
            pcall(effect.all, { part, part, part })
            send("up")
          end)
        end,
        grows = function()
          local function grow() effect.all { grow, grow } end
          return effect.run(grow)
        end,
        debounced = function(_, action)
          return effect.send("up"):debounce(action.value, 1)
        end,
        throttled = function(_, action)
          return effect.send("up"):throttle(action.value, 1, { latest = true })
        end,
      },
    }
    """

  private let clock = VirtualClock()

  private func scripts(_ effects: Int) throws -> Scripts {
    try Scripts(["app": Self.app], clock: clock) { $0.limits = Limits(effects: effects) }
  }

  @Test func oneMoreIsNotStarted() throws {
    let scripts = try scripts(3)
    let (store, other) = (try scripts.store(), try scripts.store())
    for _ in 0..<4 { store.send("one") }
    #expect(store.effects.count == 3)
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1)
    #expect(warning.kind == .effectError)
    #expect(warning.origin.contains("app.lua:"))
    #expect(
      warning.message.contains("an effect of App failed: it is not started, because 3 effects"))
    #expect(warning.message.contains("Limits.effects, --max-effects"))
    other.send("one")
    #expect(other.effects.count == 1)
    clock.advance(by: .seconds(1))
    #expect(store.state["count"] == 3)
    store.send("five")
    #expect(store.effects.count == 3)
  }

  @Test func whatIsCancelledMakesRoom() throws {
    let scripts = try scripts(2)
    let store = try scripts.store()
    for id in Int64(0)..<10 {
      try store.send("named", .integer(id))
      try store.send("named", "other")
      try store.send("cancel", .integer(id))
      try store.send("cancel", "other")
    }
    #expect(scripts.warnings.isEmpty)
    #expect(store.effects.isEmpty)
    store.send("five")
    #expect(store.effects.count == 2)
  }

  @Test(arguments: ["parts", "grows"])
  func anEffectWithTooManyPartsIsStopped(_ action: String) throws {
    let scripts = try scripts(3)
    let store = try scripts.store()
    try store.send(action)
    #expect(store.effects.isEmpty)
    #expect(store.state["count"] == 0)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings.first?.message.contains("app.lua:") == true)
    store.send("five")
    #expect(store.effects.count == 3)
  }

  @Test func delayedEffectsAreCounted() throws {
    let scripts = try scripts(3)
    let store = try scripts.store()
    for id in Int64(0)..<5 { try store.send("debounced", .integer(id)) }
    #expect(store.effects.count == 3)
    #expect(scripts.warnings.count == 2)
    clock.advance(by: .seconds(1))
    #expect(store.state["count"] == 3)
    try store.send("debounced", 9)
    #expect(store.effects.count == 1)
  }

  @Test func intervalsOfThrottleAreCounted() throws {
    let scripts = try scripts(3)
    let store = try scripts.store()
    for id in Int64(0)..<5 { try store.send("throttled", .integer(id)) }
    #expect(store.state["count"] == 3)
    #expect(scripts.warnings.count == 2)
    // One that goes on is no new one.
    try store.send("throttled", 0)
    #expect(scripts.warnings.count == 2)
    clock.advance(by: .seconds(5))
    #expect(store.state["count"] == 4)
    store.send("five")
    #expect(store.effects.count == 3)
  }
}

import LuaBridge
import ScriptedStore
import Testing

@Suite struct ImmediateClockTests {
  private func app(_ on: String) throws -> DoubleApp {
    try DoubleApp(on, doubles: [("clock", "test.immediateClock()")])
  }

  @Test func everySleepPassesAtOnceAndTheTimeJumpsToItsEnd() throws {
    let app = try app(
      """
      go = function()
        return effect.run(function(_, deps)
          deps.clock.sleep(60); note(deps.clock.now())
          deps.clock.sleep(0); note(deps.clock.now())
          for n in deps.clock.timer(0.5) do note(n .. " " .. deps.clock.now()) if n == 2 then break end end
        end)
      end,
      """)
    try app.send("go")
    #expect(app.trace == ["60.0", "60.0", "1 60.5", "2 61.0"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func whoSleepsGoesOnInTheNextTurn() throws {
    let app = try app(
      """
      go = function()
        local function body(name)
          return effect.run(function(_, deps) note(name) deps.clock.sleep(1) note(name .. " on") end)
        end
        return effect.merge { body "a", body "b" }
      end,
      """)
    try app.send("go")
    #expect(app.trace == ["a", "b", "a on", "b on"])
  }

  @Test func debouncesAndThrottlesDoNotHoldUp() throws {
    let app = try app(
      """
      debounce = function() return effect.send("note", { value = "debounced" }):debounce("d", 1) end,
      throttle = function() return effect.send("note", { value = "throttled" }):throttle("t", 1, { latest = false }) end,
      note = function(_, action) note(action.value) end,
      """)
    try app.send("debounce", "debounce", "throttle", "throttle")
    #expect(app.trace == ["debounced", "debounced", "throttled", "throttled"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aDebounceThatIsCancelledInTheSameActionDoesNotStart() throws {
    let app = try app(
      """
      go = function()
        return effect.merge { effect.send("note"):debounce("d", 1), effect.cancel("d") }
      end,
      note = function() note("note") end,
      """)
    try app.send("go")
    #expect(app.trace == [])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aTimerThatNeverEndsRaises() throws {
    let app = try app(
      """
      go = function()
        return effect.run(function(_, deps) for _ in deps.clock.timer(1) do end end)
      end,
      """)
    let message = "app.lua:6: effects have waited 100 times on a clock that passes at once"
    try EndlessWaits.$bound.withValue(100) {
      try app.send("go")
      #expect(app.problems?.contains(message) == true)
      // Whoever comes later may sleep again.
      try app.send("go")
      #expect(app.problems?.contains(message) == true)
    }
  }

  @Test func itIsNotAdvanced() throws {
    let app = try app("go = function() end,")
    #expect(app.failure("clock:advance(1)") == "a test immediateClock has no 'advance'")
  }
}

import ScriptedStore
import Testing

/// The alarms of a store under test.
@Suite struct AlarmsInTests {
  private static let app = """
    local Row = scripted.feature {
      name = "Row", dependencies = { "clock" },
      on = {
        set = function() return effect.alarm("a", 5, "rang", { from = "row" }) end,
        rang = function() end,
      },
    }
    return scripted.feature {
      name = "App", state = { rows = { { id = 1 } } }, dependencies = { "clock", "date" },
      on = {
        set = function(_, action) return effect.alarm("a", action.seconds or 10, "rang") end,
        at = function(_, action) return effect.alarm("b", { at = action.date }, "rang") end,
        stop = function() return effect.cancelAlarm("a") end,
        rang = function(state) state.rang = true end,
        close = function() return effect.dismiss() end,
        remove = function(state) state.rows = {} end,
      },
    }:forEach("rows", Row)
    """

  private static let make = """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock, date = test.constantDate(1000) } }

    """

  /// What passes.
  @Test(arguments: [
    // The clock brings its action.
    """
    store:send("set")
    clock:advance(10)
    store:receive("rang", function(state) state.rang = true end)
    """,
    """
    store:send("set")
    clock:run()
    store:receive("rang", function(state) state.rang = true end)
    store:finish()
    """,
    // Alarms that were read are asserted.
    """
    store:send("set")
    store:send("rows[1].set")
    store:send("at", { date = 1007.5 })
    store:finish()
    clock:advance(1)
    assert.same({
      { id = "a", action = "rows[1].rang", payload = { from = "row" }, seconds = 4, place = "rows[1]" },
      { id = "b", action = "rang", at = 1007.5 },
      { id = "a", action = "rang", seconds = 9 },
    }, store.alarms)
    """,
    """
    assert.same({}, store.alarms)
    store:send("set")
    store:skipAlarms()
    store:skipAlarms { strict = false }
    """,
    """
    store:send("set")
    store:send("stop")
    """,
    """
    store:send("rows[1].set")
    store:send("remove", function(state) state.rows = {} end)
    """,
    // A dismissal ends all that belongs to the feature.
    """
    store:send("set")
    store:send("rows[1].set")
    store:send("close")
    clock:advance(60)
    """,
    """
    store:withExhaustivity("off", function() store:send("set") end)
    store.exhaustivity = "off"
    """,
    """
    store.dependencies.clock = test.immediateClock()
    store:send("set")
    store:receive("rang", function(state) state.rang = true end)
    assert.same({}, store.alarms)
    """,
  ])
  func whatPasses(_ body: String) async throws {
    #expect(try await Spec(Self.make + body, app: Self.app).result == "passed")
  }

  @Test(arguments: [
    (
      "store:send('set')",
      """
      app_test.lua:1: 1 alarm is still set at the end of the test:
        - App, alarm "a", rang in 10 s

      Let time pass by clock:advance(…) and receive what comes, or cancel them (effect.cancelAlarm). If they are to be set \
      then, assert that by reading store.alarms, or leave them out by skipAlarms().
      """
    ),
    // Another one has taken the place of the one that was read.
    (
      "store:send('set') assert.equal(1, #store.alarms) store:send('set', { seconds = 0.5 })",
      "1 alarm is still set at the end of the test:\n  - App, alarm \"a\", rang in 0.5 s"
    ),
    ("store:skipAlarms()", "there were no alarms to skip"),
    ("store:send('set') store:skipAlarms() store:skipAlarms()", "there were no alarms to skip"),
    (
      "store:send('set') store:receive('rang')",
      """
      No effect is in flight that could send one.

      Set alarms:
        - App, alarm "a", rang in 10 s

      clock:advance(…) lets their time come.
      """
    ),
    ("store:send('set') clock:advance(10)", "1 action was received and not asserted:\n  - rang"),
    ("store.alarms = {}", "'alarms' of a test store can only be read"),
  ])
  func whatFails(_ body: String, _ message: String) async throws {
    let result = try await Spec(Self.make + body, app: Self.app).result
    #expect(result.contains(message), "\(result)")
  }

  @Test(arguments: [
    (
      "make():send('set')", "unimplemented: effect.alarm in App waits on deps.clock",
      "clock = test.clock()"
    ),
    (
      "make { dependencies = { clock = test.clock() } }:send('at', { date = 3 })",
      "unimplemented: effect.alarm in App reads deps.date", "date = test.constantDate(0)"
    ),
  ])
  func aClockAndADateAreNeeded(
    _ body: String, _ message: String, _ remedy: String
  ) async throws {
    let result = try await Spec(body, app: Self.app).result
    #expect(result.contains(message) && result.contains(remedy), "\(result)")
  }
}

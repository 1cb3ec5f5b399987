import LuaBridge
import ScriptedStore
import Testing

@Suite struct TestClockTests {
  @Test func sleepersWakeInTheOrderOfTimeAndOfFallingAsleep() throws {
    let app = try DoubleApp(
      """
      go = function()
        local function sleeper(name, seconds)
          return effect.run(function(_, deps) deps.clock.sleep(seconds); note(name .. " " .. deps.clock.now()) end)
        end
        return effect.merge { sleeper("c", 2), sleeper("a", 1), sleeper("b", 1), sleeper("d", 3) }
      end,
      """)
    try app.send("go")
    #expect(app.trace == [])
    try app.test("clock:advance(0.999999)")
    #expect(app.trace == [])
    try app.test("clock:advance(0.000001)")
    #expect(app.trace == ["a 1.0", "b 1.0"])
    try app.test("clock:advance(5)")
    #expect(app.trace == ["a 1.0", "b 1.0", "c 2.0", "d 3.0"])
    #expect(try app.test("return clock.now()") == 6.0)
  }

  @Test func whatBecomesDueOnTheWayRunsAtItsTime() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(send, deps)
          for _ = 1, 3 do deps.clock.sleep(1); note("a " .. deps.clock.now()); send("more") end
        end)
      end,
      more = function()
        return effect.run(function(_, deps) deps.clock.sleep(0.5); note("b " .. deps.clock.now()) end)
      end,
      """)
    try app.send("go")
    try app.test("clock:advance(10)")
    #expect(app.trace == ["a 1.0", "b 1.5", "a 2.0", "b 2.5", "a 3.0", "b 3.5"])
  }

  @Test func theNthTickOfATimerIsDueAtItsStartPlusNIntervals() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(send, deps)
          for _ in deps.clock.timer(0.1) do send("tick") end
        end)
      end,
      tick = function(state) state.count = state.count + 1 end,
      """)
    try app.send("go")
    try app.test("for _ = 1, 9 do clock:advance(0.1) end")
    #expect(app.store.state["count"] == 9)
    try app.test("clock:advance(3599.1)")
    #expect(app.store.state["count"] == 36_000)
  }

  /// A clock shows microseconds, but does not add up what it has rounded away.
  @Test func timesThatAreNoMicrosecondsAddUp() throws {
    let app = try DoubleApp(
      """
      once = function()
        return effect.run(function(_, deps) deps.clock.sleep(1) note("slept at " .. deps.clock.now()) end)
      end,
      thrice = function()
        return effect.run(function(_, deps)
          for _ = 1, 3 do deps.clock.sleep(2 / 3) end
          note("woke at " .. deps.clock.now())
        end)
      end,
      ticks = function()
        return effect.run(function(send, deps) for _ in deps.clock.timer(1 / 30) do send("tick") end end)
      end,
      tick = function(state) state.count = state.count + 1 end,
      """)
    try app.send("once", "thrice", "ticks")
    try app.test("for _ = 1, 3 do clock:advance(1 / 3) end")
    #expect(app.trace == ["slept at 1.0"])
    #expect(app.store.state["count"] == 30)
    try app.test("for _ = 1, 30 do clock:advance(1 / 30) end")
    #expect(app.trace == ["slept at 1.0", "woke at 2.0"])
    #expect(app.store.state["count"] == 60)
  }

  @Test func aTimerBeginsAtTheExactTime() throws {
    let app = try DoubleApp(
      """
      ticks = function()
        return effect.run(function(send, deps) for _ in deps.clock.timer(1 / 3) do send("tick") end end)
      end,
      tick = function(state) state.count = state.count + 1 end,
      """)
    try app.test("for _ = 1, 2 do clock:advance(1 / 3) end")
    try app.send("ticks")
    for count in 1...9 {
      try app.test("clock:advance(1 / 3)")
      #expect(app.store.state["count"].int == count)
    }
  }

  @Test func timesOfTheHostsClockAddUp() throws {
    let clock = VirtualClock()
    clock.advance(by: .seconds(2.0 / 3))
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { count = 0 }, dependencies = { "clock" },
          on = {
            start = function()
              return effect.run(function(send, deps) for _ in deps.clock.timer(1 / 3) do send("tick") end end)
            end,
            tick = function(state) state.count = state.count + 1 end,
          },
        }
        """
      ], clock: clock)
    let store = try scripts.store()
    store.send("start")
    for count in 1...30 {
      clock.advance(by: .seconds(1.0 / 3))
      #expect(store.state["count"].int == count)
    }
    #expect(clock.now == .microseconds(10_666_667))
  }

  @Test func sleepingForNoTimeWaitsForAnAdvance() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(_, deps)
          for n = 1, 3 do deps.clock.sleep(0); note(n) end
        end)
      end,
      """)
    try app.send("go")
    #expect(app.trace == [])
    try app.test("clock:advance()")
    #expect(app.trace == ["1"])
    try app.test("clock:advance(0) clock:advance(1)")
    #expect(app.trace == ["1", "2", "3"])
  }

  @Test func effectsOfAllStoresOfTheVMGoOn() throws {
    let app = try DoubleApp(
      """
      go = function(_, action)
        return effect.run(function(_, deps) deps.clock.sleep(action.value); note(action.value) end)
      end,
      """)
    let other = try app.scripts.store()
    try app.store.send("go", 2)
    try other.send("go", 1)
    try app.test("clock:advance(2)")
    #expect(app.trace == ["1", "2"])
  }

  @Test func aCancelledSleeperIsNotWoken() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(_, deps) deps.clock.sleep(1); note("woken") end):cancellable("id")
      end,
      stop = function() return effect.cancel("id") end,
      """)
    try app.send("go", "stop")
    try app.test("clock:advance(2) clock:checkSuspension()")
    #expect(app.trace == [])
  }

  @Test func runGoesOnUntilNobodySleeps() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(_, deps)
          deps.clock.sleep(0); deps.clock.sleep(60); deps.clock.sleep(3600); note(deps.clock.now())
        end)
      end,
      """)
    try app.send("go")
    try app.test("clock:run()")
    #expect(app.trace == ["3660.0"])
    #expect(try app.test("return clock.now()") == 3660.0)
  }

  @Test func runGivesUpOnATimerThatNeverEnds() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(_, deps) for _ in deps.clock.timer(1) do end end)
      end,
      """)
    try app.send("go")
    let failure = EndlessWaits.$bound.withValue(100) { app.failure("clock:run()") }
    let message = try #require(failure).replacing("\(app.scripts.folder.path)/", with: "")
    #expect(message.hasPrefix("run() has let time pass 100 times, and still App (app.lua:"))
    #expect(message.contains(") sleeps until 101 s; a timer goes on until it is cancelled"))
  }

  @Test func checkSuspensionNamesWhoSleepsAndUntilWhen() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.merge {
          effect.run(function(_, deps) deps.clock.sleep(2) end),
          effect.send("late"):debounce("d", 1.5),
          effect.run(function(_, deps) effect.all { function() deps.clock.sleep(3) end } end),
        }
      end,
      late = function() end,
      """)
    #expect(try app.test("clock:checkSuspension() return 'none'") == "none")
    try app.send("go")
    try app.test("clock:advance(1)")
    let message = try #require(app.failure("clock:checkSuspension()"))
    let lines = message.split(separator: "; ").map { $0.replacing(/\(.*\//, with: "(") }
    #expect(lines.count == 3)
    #expect(lines[0] == "at 1 s App (app.lua:5) waits in a debounce until 1.5 s")
    #expect(lines[1] == "App (app.lua:7) sleeps until 2 s")
    #expect(lines[2] == "App (app.lua:9) sleeps until 3 s")
    try app.test("clock:run() clock:checkSuspension()")
  }

  @Test(arguments: [
    "clock:advance(-1)", "clock:advance(0/0)", "clock:advance(1/0)", "clock:advance('1')",
    "clock:advance({})", "clock.advance(1)", "clock.run()", "clock.checkSuspension({})",
    "clock:advanced(1)",
  ])
  func misuseIsRefusedAtTheLineOfTheTest(_ statement: String) throws {
    let app = try DoubleApp("go = function() end,")
    let error = try #require(scriptError { try app.test("\n" + statement) })
    #expect(error.script?.hasSuffix("statement1.lua") == true)
    #expect(error.line == 2)
  }

  @Test func timeDoesNotOverflow() throws {
    let app = try DoubleApp(
      "go = function() return effect.run(function(_, deps) deps.clock.sleep(1e300); note('woken') end) end,"
    )
    try app.test("for _ = 1, 4 do clock:advance(4e12) end")
    try app.send("go")
    try app.test("for _ = 1, 4 do clock:advance(1e300) end clock:advance(1) clock.now()")
    #expect(app.trace == ["woken"])
  }

  @Test(arguments: ["clock:advance(1)", "clock:run()"])
  func onlyATestCanLetTimePass(_ call: String) throws {
    let app = try DoubleApp(
      """
      handler = function() \(call) end,
      effect = function() return effect.run(function() \(call) end) end,
      map = function() return effect.send("nothing"):map(function(action) \(call) return action end) end,
      later = function()
        return effect.run(function(send) send("nothing") end):map(function(action) \(call) return action end)
      end,
      nothing = function() end,
      """)
    for path in ["handler", "effect", "map", "later"] {
      try app.send(path)
      let problem = path == "handler" ? app.scripts.errors.last?.message : app.problems
      #expect(problem?.contains("() lets effects go on, so only a test may call it") == true)
    }
    #expect(
      app.failure("test.store(require('app')):send('nothing', function() \(call) end)")?
        .contains("so only a test may call it") == true)
  }

  @Test func aParentsClockIsItsChildrensAndAFeatureMayHaveItsOwn() throws {
    let app = try DoubleApp(
      "go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note('app') end) end,",
      doubles: [("clock", "test.clock()"), ("other", "test.clock()")],
      locals: """
        local function child(name)
          return scripted.feature {
            name = name, state = {}, dependencies = { "clock" },
            on = { go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note(name) end) end },
          }
        end
        """,
      operators: """
        :scope("same", child "same", { action = "same" })
        :scope("own", child("own"):dependency("clock", other), { action = "own" })
        :dependency("clock", clock)
        """)
    let store = try app.scripts.store(state: ["same": [:], "own": [:]])
    for path in ["go", "same.go", "own.go"] { try store.send(path) }
    try app.test("clock:advance(1)")
    #expect(app.trace == ["app", "same"])
    try app.test("other:advance(1)")
    #expect(app.trace == ["app", "same", "own"])
  }
}

import LuaBridge
import ScriptedStore
import Testing

/// What waits by itself waits on the clock that its feature has.
@Suite struct FeatureClockTests {
  private static let handlers = """
    debounce = function() return effect.send("note"):debounce("d", 1) end,
    throttle = function(_, action)
      return effect.send("note", { value = action.value }):throttle("t", 1, { latest = true })
    end,
    timeout = function()
      return effect.run(function(_, deps)
        local ok, raised = pcall(effect.timeout, 1, deps.never)
        note(raised.code)
      end)
    end,
    note = function(_, action) note(action.value or "note") end,
    """

  private func app() throws -> DoubleApp {
    try DoubleApp(
      FeatureClockTests.handlers, overrides: ["clock": "clock", "never": "test.never"],
      dependencies: Dependencies(["never": .never]))
  }

  @Test func aDebounceWaitsOnIt() throws {
    let app = try app()
    try app.send("debounce")
    try app.test("clock:advance(0.5)")
    try app.send("debounce")
    try app.test("clock:advance(0.999)")
    #expect(app.trace == [])
    try app.test("clock:advance(0.001)")
    #expect(app.trace == ["note"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aThrottleWaitsOnIt() throws {
    let app = try app()
    for value in 1...3 { try app.store.send("throttle", Value(value)) }
    #expect(app.trace == ["1"])
    #expect(
      app.failure("clock:checkSuspension()")?.hasSuffix("waits in a throttle until 1 s") == true)
    try app.test("clock:advance(1)")
    #expect(app.trace == ["1", "3"])
    // An interval that holds nothing is nobody's.
    try app.test("clock:checkSuspension() clock:advance(1)")
    try app.store.send("throttle", 4)
    #expect(app.trace == ["1", "3", "4"])
  }

  @Test func aTimeoutWaitsOnIt() throws {
    let app = try app()
    try app.send("timeout")
    try app.test("clock:advance(1)")
    #expect(app.trace == ["timeout"])
  }

  @Test func partsOfAClockAreEnough() throws {
    let app = try DoubleApp(
      FeatureClockTests.handlers, overrides: ["clock": "{ sleep = clock.sleep }"])
    try app.send("debounce")
    try app.test("clock:advance(1)")
    #expect(app.trace == ["note"])
  }

  @Test func aFeatureNeedNotDeclareIt() throws {
    let app = try DoubleApp(
      FeatureClockTests.handlers, overrides: [:], operators: ":dependency('clock', clock)")
    try app.send("debounce")
    try app.test("clock:advance(1)")
    #expect(app.trace == ["note"])
  }

  @Test(arguments: ["debounce", "throttle"])
  func inATestItIsUnimplementedUnlessItIsOverridden(_ path: String) throws {
    for operators in ["", ":dependency('clock', { sleep = function() end })"] {
      let app = try DoubleApp(FeatureClockTests.handlers, overrides: [:], operators: operators)
      try app.send(path)
      let line = path == "debounce" ? 5 : 6
      #expect(
        app.problems == """
          unimplemented: \(path) in App waits on deps.clock (app.lua:\(line)). \
          Override it in the test: dependencies = { clock = test.clock() }
          """)
      #expect(app.store.effects.isEmpty)
      #expect(try app.test("return #doubles.trace") == 0)
    }
  }

  @Test func aTimeoutThatIsUnimplementedRaisesInTheEffect() throws {
    let app = try DoubleApp(
      "go = function() return effect.run(function() note(select(2, pcall(effect.timeout, 1, test.never))) end) end,",
      overrides: [:])
    try app.send("go")
    #expect(
      try #require(app.trace.first).hasSuffix(
        """
        app.lua:5: unimplemented: effect.timeout in App waits on deps.clock. Override it in the test: \
        dependencies = { clock = test.clock() }
        """))
  }

  @Test(arguments: [DependencyContext.live, .preview])
  func elsewhereTheStoresClockIsIt(_ context: DependencyContext) throws {
    for operators in ["", ":dependency('clock', { sleep = function() end })"] {
      let clock = VirtualClock()
      let scripts = try Scripts(
        [
          "app": """
          return scripted.feature {
            state = { count = 0 },
            on = {
              go = function() return effect.send("up"):debounce("d", 1) end,
              up = function(state) state.count = state.count + 1 end,
            },
          }\(operators)
          """
        ], context: context, clock: clock)
      let store = try scripts.store()
      store.send("go")
      clock.advance(by: .seconds(1))
      #expect(store.state["count"] == 1)
      #expect(scripts.warnings.isEmpty)
    }
  }
}

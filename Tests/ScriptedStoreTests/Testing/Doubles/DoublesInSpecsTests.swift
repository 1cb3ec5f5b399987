import LuaBridge
import Testing

/// Doubles beside test stores, as scripts' tests use them.
@Suite struct DoublesInSpecsTests {
  private static let app = """
    scripted.dependency { name = "source", live = { updates = function() end, fetch = function() end } }
    return scripted.feature {
      name = "App", state = { values = {} }, dependencies = { "clock", "source", "uuid", "random", "date" },
      actions = { "late" },
      on = {
        listen = function()
          return effect.run(function(send, deps)
            for value in deps.source.updates() do send("got", { value = value }) end
          end)
        end,
        got = function(state, action) table.insert(state.values, action.value) end,
        fetch = function()
          return effect.run(function(send, deps) send("got", { value = deps.source.fetch() }) end):cancellable("fetch")
        end,
        stop = function() return effect.cancel("fetch") end,
        fails = function()
          return effect.run(function(_, deps) deps.clock.sleep(1) error("no luck") end)
        end,
        search = function()
          return effect.send("got", { value = "found" }):debounce("search", 0.3)
        end,
        ticks = function()
          return effect.run(function(send, deps)
            for tick in deps.clock.timer(1) do
              if tick % 900 == 0 then send("got", { value = tick }) end
              if tick == 3600 then break end
            end
          end)
        end,
        caught = function()
          return effect.run(function(_, deps) pcall(deps.source.fetch, 1) end)
        end,
        fetchesBoth = function()
          return effect.run(function(send, deps)
            local fetch = deps.source.fetch
            local first, second = effect.all { fetch, fetch }
            local third = effect.withCancellation("fetch", fetch)
            send("got", { value = { first, second, third, effect.timeout(1, fetch), effect.result(fetch).success } })
          end)
        end,
        draws = function(state, _, deps)
          state.values = { deps.uuid(), deps.date.now(), deps.random.integer(1, 1) }
        end,
      },
    }
    """

  private func result(_ body: String) async throws -> String {
    try await Spec(body, app: DoublesInSpecsTests.app).result.replacing(/[^ (]*\//, with: "")
  }

  @Test func whatIsSentOverAStreamIsReceivedAtOnce() async throws {
    #expect(
      try await result(
        """
        local stream = test.stream()
        local store = make { dependencies = { source = { updates = function() return stream end } } }
        store:send("listen")
        stream:send(1)
        store:receive("got", function(state) state.values = { 1 } end)
        stream:send({ a = 1 })
        store:receive("got", { value = { a = 1 } }, function(state) state.values[2] = { a = 1 } end)
        stream:finish()
        store:finish()
        """) == "passed")
  }

  @Test func aWaitThatOnlyATestCouldEndFailsAtOnce() async throws {
    let result = try await result(
      """
      local store = make { timeout = 1000, dependencies = { source = { fetch = test.never } } }
      store:send("fetch")
      store:receive("got")
      """)
    #expect(result.contains("app_test.lua:5: expected to receive"))
    #expect(result.contains("test.never"))
  }

  @Test func aTimerOfAnHourTakesNoTime() async throws {
    #expect(
      try await result(
        """
        local clock = test.clock()
        local store = make { dependencies = { clock = clock } }
        store:send("ticks")
        for n = 1, 4 do
          clock:advance(900)
          store:receive("got", { value = 900 * n }, function(state) state.values[n] = 900 * n end)
        end
        clock:checkSuspension()
        """) == "passed")
  }

  @Test func aDebounceIsDrivenByTheClock() async throws {
    #expect(
      try await result(
        """
        local clock = test.clock()
        local store = make { dependencies = { clock = clock } }
        store:send("search")
        clock:advance(0.2)
        store:send("search")
        clock:advance(0.299)
        clock:advance(0.001)
        store:receive("got", function(state) state.values = { "found" } end)
        """) == "passed")
  }

  @Test func anErrorOfAnEffectFailsTheAdvanceThatSetItOff() async throws {
    let result = try await result(
      """
      local clock = test.clock()
      local store = make { dependencies = { clock = clock } }
      store:send("fails")
      clock:advance(0.5)
      clock:advance(0.5)
      """)
    #expect(result.hasPrefix("app_test.lua:7: error[effectError]: an effect of App failed: "))
    #expect(result.contains("no luck"))
  }

  @Test func whatIsUnimplementedFailsATestThatCatchesIt() async throws {
    #expect(
      try await result("make():send('caught')")
        == """
        app_test.lua:3: unimplemented: App called deps.source.fetch() (app.lua:31). \
        Override it in the test: dependencies = { source = { fetch = function(…) … end } }
        """)
    let waiting = try await result("make():send('search')")
    #expect(
      waiting == """
        app_test.lua:3: unimplemented: debounce in App waits on deps.clock (app.lua:19). \
        Override it in the test: dependencies = { clock = test.clock() }
        """)
  }

  @Test func theOtherDoublesAreWhatTheSuggestionsSay() async throws {
    #expect(
      try await result(
        """
        local store = make { dependencies = {
          uuid = test.incrementingUUID(), date = test.constantDate(0), random = test.seededRandom(0),
        } }
        store:send("draws", function(state) state.values = { test.uuid(0), 0, 1 } end)
        """) == "passed")
  }

  @Test func aSpyIsAFunctionForEffects() async throws {
    #expect(
      try await result(
        """
        local calls = 0
        local fetch = spy(function() calls = calls + 1 return calls end)
        local store = make { dependencies = { clock = test.clock(), source = { fetch = fetch } } }
        store:send("fetchesBoth")
        store:receive("got", function(state) state.values = { { 1, 2, 3, 4, 5 } } end)
        assert.spy(fetch).was.called(5)
        """) == "passed")
  }
}

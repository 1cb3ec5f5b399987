import ScriptedStore
import Testing

/// A test store that wants everything said, as it does unless it is told otherwise.
@Suite struct ExhaustiveTests {
  /// What passes.
  @Test(arguments: [
    """
    make():send("up", function(state) state.count = 1 end)
    """,
    "make():send(\"nothing\")",
    """
    local store = make()
    store:send("rename", { name = "a" }, function(state) state.name = "a" end)
    store:send({ type = "rename", name = "b" }, function(state) state.name = "b" end)
    store:send("rows[2].toggle", function(state) state.rows[2].done = true end)
    assert.are.equal("b", store.state.name)
    """,
    """
    local store = make()
    store:send("sendsTwo")
    store:receive("up", function(state) state.count = 1 end)
    store:receive("rename", { name = "b" }, function(state) state.name = "b" end)
    """,
    """
    local store = make()
    store:send("sendsTwo")
    store:receive({ type = "up" }, function(state) state.count = 1 end)
    store:receive(function(action) return action.name == "b" end, function(state) state.name = "b" end)
    """,
    """
    local store = make { state = { count = 5 } }
    assert.are.same({ count = 5, rows = { { id = 1, done = false }, { id = 2, done = false } } }, store.state)
    store:send("up", function(state) state.count = 6 end)
    """,
    """
    local store = make()
    store:assert(function(state) state.count = 0 end)
    """,
    """
    local store = make()
    store:send("leaves")
    assert.is_true(store.isDismissed)
    """,
    // Such a function may look at the store.
    """
    local store = make { dependencies = { uuid = function() return "a" end } }
    store:send("identifies", function(state)
      assert.is_false(store.isDismissed)
      state.id = store.dependencies.uuid()
    end)
    """,
    // The store's state in a function that says what is expected is the one before the action.
    """
    local store = make()
    local function counts(before, after)
      return function(state)
        assert.are.equal(before, store.state.count)
        state.count = after
        assert.are.equal(before, store.state.count)
      end
    end
    store:send("sendsUp", function(state) assert.is_nil(store.state.sent) state.sent = true end)
    assert.is_true(store.state.sent)
    store:receive("up", counts(0, 1))
    assert.are.equal(1, store.state.count)
    store:send("up", counts(1, 2))
    pcall(store.send, store, "up", function() error("no luck") end)
    assert.are.equal(3, store.state.count)
    store:assert(counts(3, 3))
    """,
  ])
  func passesWhatSaysEverything(_ body: String) async throws {
    #expect(try await Spec(body).result == "passed")
  }

  @Test func aWrongExpectationShowsWhatDiffersTheRestElided() async throws {
    #expect(
      try await Spec(
        """
        make():send("rows[2].toggle", function(state)
          state.rows[2].done = false
          state.count = 1
        end)
        """
      ).result == """
        app_test.lua:3: the state is not what was expected (- expected, + actual):

          {
        -   count = 1,
        +   count = 0,
            rows = {
              -- 1 unchanged
              [2] = {
                id = 2,
        -       done = false,
        +       done = true,
              },
            },
          }
        """)
  }

  @Test func aChangeThatIsNotSaidFails() async throws {
    #expect(
      try await Spec("make():send('up')").result == """
        app_test.lua:3: the state was not expected to change, but it did (- expected, + actual):

          {
        -   count = 0,
        +   count = 1,
            -- 1 unchanged
          }
        """)
  }

  @Test func anExpectationThatChangesNothingFails() async throws {
    #expect(
      try await Spec("make():send('nothing', function(state) state.count = 0 end)").result
        .hasPrefix(
          "app_test.lua:3: the state was expected to change, but it did not"))
  }

  @Test func anExpectationThatRaisesFailsWithItsOwnLine() async throws {
    let result = try await Spec(
      """
      make():send("up", function(state)
        state.missing.field = 1
      end)
      """
    ).result
    #expect(result == "app_test.lua:4: attempt to index a nil value (field 'missing')")
  }

  // MARK: Received actions

  @Test func sendingWhileAnActionWaitsToBeReceivedIsRefusedAndDoesNotRun()
    async throws
  {
    let spec = try await Spec(
      """
      local store = make()
      store:send("sendsUp", function(state) state.sent = true end)
      local ok, failure = pcall(store.send, store, "rename", { name = "x" })
      print(failure)
      store:receive("up", function(state) state.count = 1 end)
      assert.is_nil(store.state.name)
      """)
    #expect(spec.result == "passed")
    #expect(
      spec.output == """
        app_test.lua:5: the action rename { name = "x" } was not sent. 1 action was received and not asserted:
          - up (from an effect of App)

        Assert each by receive(…), or leave them out: by skipReceivedActions() after what let them arrive, or by an exhaustivity of "off" for the whole store.
        """)
  }

  @Test func anActionThatIsNotReceivedFailsTheEndOfTheTest() async throws {
    let result = try await Spec(
      """
      local store = make()
      store:send("sendsUp", function(state) state.sent = true end)
      """
    ).result
    #expect(
      result.hasPrefix(
        "app_test.lua:4: 1 action was received and not asserted:\n  - up (from an effect of App)"))
  }

  @Test func theLineOfWhatIsNotReceivedIsThatOfTheStatementThatLetItArrive()
    async throws
  {
    let result = try await Spec(
      """
      local clock = test.clock()
      local store = make { dependencies = { clock = clock } }
      store:send("sendsUp", function(state) state.sent = true end)
      store:receive("up", function(state) state.count = 1 end)
      store:send("sleeps")
      clock:advance(1)
      store = nil
      """
    ).result
    #expect(
      result.hasPrefix("app_test.lua:8: 1 action was received and not asserted:"), "\(result)")
  }

  @Test func anotherActionThanTheExpectedOneFailsAndCountsAsAsserted() async throws {
    let spec = try await Spec(
      """
      local store = make()
      store:send("sendsTwo")
      print(select(2, pcall(store.receive, store, "ticks")))
      assert.are.equal(1, store.state.count)
      store:receive("rename", function(state) state.name = "b" end)
      """)
    #expect(spec.result == "passed")
    #expect(
      spec.output == """
        app_test.lua:5: expected an action "ticks", but received up

        Received after it:
          - rename { name = "b" } (from an effect of App)
        """)
  }

  @Test func anotherPayloadThanTheExpectedOneIsShownAsADifference() async throws {
    let result = try await Spec(
      """
      local store = make()
      store:send("sendsTwo")
      store:skipReceivedActions()
      store:send("sendsTwo")
      store:receive("up", function(state) state.count = 2 end)
      store:receive("rename", { name = "c" })
      """
    ).result
    #expect(
      result == """
        app_test.lua:8: the received action rename is not what was expected (- expected, + actual):

          {
        -   name = "c",
        +   name = "b",
            -- 1 unchanged
          }
        """)
  }

  @Test func receivingWhatNobodySendsSaysSoAtOnce() async throws {
    #expect(
      try await Spec("make():receive('up')").result == """
        app_test.lua:3: expected to receive an action "up", but no action was received

        No effect is in flight that could send one.
        """)
  }

  @Test func receivingWhatWaitsForATestClockNamesWhoWaits() async throws {
    let result = try await Spec(
      """
      local store = make { dependencies = { clock = test.clock() } }
      store:send("sleeps")
      store:receive("up")
      """
    ).result
    #expect(
      result.hasPrefix(
        "app_test.lua:5: expected to receive an action \"up\", but no action was received"))
    #expect(result.contains("In flight:\n  - App (app.lua:"))
    #expect(result.contains("id \"sleeper\""))
    #expect(result.contains("waits for clock.sleep, returned for sleeps"))
    #expect(result.contains("Let time pass"))
  }

  // MARK: Effects

  @Test func anEffectInFlightFailsTheEndOfTheTestWithItsLineAndWhatItWaitsFor()
    async throws
  {
    let result = try await Spec(
      """
      make { dependencies = { clock = test.clock() } }:send("sleeps")
      """
    ).result
    #expect(
      result.hasPrefix(
        "app_test.lua:1: 1 effect is still in flight at the end of the test:\n  - App (app.lua:"))
    #expect(result.contains("waits for clock.sleep, returned for sleeps"))
  }

  @Test func aDebounceThatWaitsIsInFlight() async throws {
    let result = try await Spec(
      "make { dependencies = { clock = test.clock() } }:send('waits')"
    ).result
    #expect(result.contains("waits for debounce"))
    #expect(result.contains("Let time pass"))
  }

  @Test(arguments: [
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    local task = store:send("sleeps")
    clock:advance(1)
    task:finish()
    store:receive("up", function(state) state.count = 1 end)
    """,
    """
    local store = make { dependencies = { clock = test.immediateClock() } }
    store:send("sleeps")
    store:receive("up", function(state) state.count = 1 end)
    """,
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    local task = store:send("ticks")
    clock:advance(2)
    store:receive("up", function(state) state.count = 1 end)
    store:receive("up", function(state) state.count = 2 end)
    assert.is_false(task.isCancelled)
    task:cancel()
    assert.is_true(task.isCancelled)
    """,
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    store:send("waits")
    clock:advance(0.5)
    store:send("waits")
    clock:advance(0.5)
    clock:advance(0.5)
    store:receive("up", function(state) state.count = 1 end)
    """,
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    store:send("ticks")
    clock:advance(3600)
    for n = 1, 3600 do store:receive("up", function(state) state.count = n end) end
    store:send("stops")
    """,
    """
    local store = make { dependencies = { clock = test.clock() } }
    store:send("ticks")
    store:skipInFlightEffects()
    """,
    """
    local store = make { timeout = 1e6 }
    store:send("asks")
    store:receive("rename", { name = "7 is a number" }, function(state) state.name = "7 is a number" end)
    """,
    """
    local store = make { timeout = 1e6 }
    store:send("asks")
    store:finish()
    store:receive("rename", function(state) state.name = "7 is a number" end)
    """,
  ])
  func effectsAreDrivenByTheTest(_ body: String) async throws {
    #expect(try await Spec(body).result == "passed")
  }

  @Test func finishingFailsAtItsLineWhileAnActionWaitsToBeReceived() async throws {
    let result = try await Spec(
      """
      local store = make { dependencies = { clock = test.clock() } }
      store:send("ticks")
      store:send("sendsUp", function(state) state.sent = true end)
      store:finish()
      """
    ).result
    #expect(
      result == """
        app_test.lua:6: 1 action was received and not asserted:
          - up (from an effect of App)

        Assert each by receive(…), or leave them out: by skipReceivedActions() after what let them arrive, or by an exhaustivity of "off" for the whole store.
        """)
  }

  @Test func finishingWhatOnlyATestClockCanEndFailsAtOnce() async throws {
    let result = try await Spec(
      """
      local store = make { dependencies = { clock = test.clock() }, timeout = 1000 }
      store:send("sleeps")
      store:finish()
      """
    ).result
    #expect(
      result.hasPrefix(
        "app_test.lua:5: effects were expected to finish, but 1 effect is in flight:\n"))
  }

  @Test func finishingATaskNamesItsOwnEffectsAlsoIfTheyWereSkipped() async throws {
    let result = try await Spec(
      """
      local store = make { dependencies = { clock = test.clock() } }
      store:send("ticks")
      local task = store:send("sleeps")
      store:skipInFlightEffects()
      task:finish()
      """
    ).result
    #expect(
      result.hasPrefix(
        "app_test.lua:7: effects were expected to finish, but 1 effect is in flight:\n"))
    #expect(result.contains("sleeper") && !result.contains("ticks"), "\(result)")
  }

  @Test func waitingForTheHostEndsWithTheTimeout() async throws {
    var dependencies = Dependencies()
    let never = Dependency.client([
      "fetch": .asyncFunction("number") { (_: Int) async throws -> String in
        try await Task.sleep(for: .seconds(3600))
        return ""
      }
    ])
    dependencies.register("fact", live: never, test: never)
    let result = try await Spec(
      """
      local store = make()
      store:send("asks")
      store:receive("rename", nil, nil, { timeout = 0.05 })
      """, dependencies: dependencies
    ).result
    #expect(result.contains("but no action was received"))
    #expect(result.contains("waits for fact.fetch"))
  }

  // MARK: What goes wrong in the feature

  @Test func whatAReducerRaisesIsRaisedByTheSendAndRolledBack() async throws {
    let spec = try await Spec(
      """
      local store = make()
      print(select(2, pcall(store.send, store, "raises")))
      assert.are.equal(0, store.state.count)
      """)
    #expect(spec.result == "passed")
    #expect(spec.output.hasSuffix(": no luck") && spec.output.hasPrefix("app.lua:"))
  }

  @Test func whatAReducerRaisesForAnEffectsActionIsRaisedByTheReceive() async throws {
    let result = try await Spec(
      """
      local store = make()
      store:send("sendsRaises")
      store:receive("raises")
      """
    ).result
    #expect(result.contains("no luck"))
  }

  @Test func anErrorOfAnEffectFailsTheStatementDuringWhichItIsRaised() async throws {
    let result = try await Spec("make():send('fails')").result
    #expect(result.hasPrefix("app_test.lua:3: "))
    #expect(result.contains("an effect of App failed: app.lua:"))
    #expect(result.contains("no luck in the effect"))
  }

  @Test func anErrorOfAnEffectThatGoesOnLaterFailsTheAdvance() async throws {
    let app = """
      return scripted.feature { name = "App", dependencies = { "clock" }, on = {
        go = function() return effect.run(function(_, deps) deps.clock.sleep(1) error("late") end) end } }
      """
    let result = try await Spec(
      """
      local clock = test.clock()
      make { dependencies = { clock = clock } }:send("go")
      clock:advance(1)
      """, app: app
    ).result
    #expect(result.hasPrefix("app_test.lua:5: "))
    #expect(result.contains("late"))
  }

  @Test func aDependencyWithoutATestValueFailsWithTheLineToWrite() async throws {
    let result = try await Spec("make():send('identifies')").result
    #expect(result.contains("unimplemented: App called deps.uuid()"))
    #expect(result.contains("dependencies = { uuid = test.incrementingUUID() }"))
  }

  @Test func anUnimplementedDependencyFailsEvenWhereTheEffectCatchesIt() async throws {
    let app = """
      return scripted.feature { name = "App", dependencies = { "uuid" }, on = {
        go = function() return effect.run(function(_, deps) pcall(deps.uuid) end) end } }
      """
    let result = try await Spec("make():send('go')", app: app).result
    #expect(result.contains("unimplemented: App called deps.uuid()"))
  }

  @Test func aRuntimeWarningFailsTheStatement() async throws {
    let result = try await Spec("make():send('upp')").result
    #expect(
      result.hasPrefix(
        "app_test.lua:3: warning[unknownAction]: App has no handler for the action \"upp\""))
  }
}

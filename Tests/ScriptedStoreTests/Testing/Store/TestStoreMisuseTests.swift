import ScriptedStore
import Testing

/// What a test store says to who uses it wrongly.
@Suite struct TestStoreMisuseTests {
  @Test(arguments: [
    ("make():sent('up')", "a test store has no member 'sent'; did you mean 'send'?"),
    ("make().stat = 1", "a test store has no field 'stat'; did you mean 'state'?"),
    (
      "make().state = {}",
      "'state' of a test store can only be read; send an action, or begin with another state: "
        + "test.store(Feature, { state = { … } })"
    ),
    ("make().isDismissed = true", "'isDismissed' of a test store can only be read"),
    (
      "make().state.count = 1",
      "are read-only; send an action, whose handler writes, or let a test begin"
    ),
    ("test.store(App, { stat = {} })", "'test.store' has no option 'stat'; did you mean 'state'?"),
    (
      "test.store(App, { initialState = {} })",
      "'test.store' has no option 'initialState'; it has dependencies, durable, exhaustivity, state, timeout"
    ),
    (
      "make():send('up', function(state) return { count = 1 } end)",
      "changed nothing and returned a table; it has to change its argument"
    ),
    (
      "make():send('up', function(state) state = { count = 1 } end)",
      "The function that says what is expected changed nothing; it has to change its argument"
    ),
    (
      "make():assert(function(state) return state.count == 7 end)",
      "The function that says what is expected changed nothing and returned a boolean"
    ),
    (
      "make { exhaustivity = 'off' }:send('up', function(state) return state.count == 7 end)",
      "changed nothing and returned a boolean"
    ),
    ("test.store(App, { timeout = -1 })", "zero or more seconds"),
    (
      "test.store(App, { exhaustivity = 'of' })",
      "the exhaustivity of a test store is \"on\", \"off\""
    ),
    (
      "test.store(App, { dependencies = { clok = 1 } })",
      "there is no dependency 'clok'; did you mean 'clock'?"
    ),
    (
      "test.store(App, { dependencies = { clock = test.clock } })",
      "the dependency 'clock' is a function; did you mean test.clock()?"
    ),
    (
      "make().dependencies.uuid = test.incrementingUUID",
      "the dependency 'uuid' is a function; did you mean test.incrementingUUID()?"
    ),
    (
      "make():send('rename', { name = 'b' })",
      "{ name = \"b\" } was sent as the payload; say what changes by a function."
    ),
    (
      "assert.equal({ 1 }, { 1 })",
      "another that looks like it: { 1 }; assert.same compares contents"
    ),
    ("test.store({})", "reducer"),
    ("test.stores(App)", "scripted.test has no 'stores'; did you mean 'store'?"),
    ("make():send()", "an action is a table with a type, or a path, not nil"),
    ("make():send('up', {}, 3)", "what is expected is a function"),
    ("make():send('a..b')", "malformed action path"),
    ("make().send('up')", "with a colon"),
    ("make():receive(nil)", "an action is a table with a type, or a path, not nil"),
    ("make():assert()", "needs a function"),
    ("make():skipReceivedActions()", "there were no received actions to skip"),
    ("make():skipInFlightEffects()", "there were no effects in flight to skip"),
    ("make():skipReceivedActions { stric = false }", "did you mean 'strict'?"),
    ("make():finish { timeout = 0/0 }", "zero or more seconds"),
    (
      "local store = make() store:send('up', function() store:send('up') end)",
      "can only change the state that it gets"
    ),
    (
      "make():send('up', function() test.store(App) end)", "can only change the state that it gets"
    ),
    (
      "make():send('up', function() test.shared(require('scripted').shared.inMemory('n', 0)):set(1) end)",
      "can only change the state that it gets"
    ),
    (
      "make { dependencies = { uuid = function() test.store(App) end } }:send('identifies')",
      "a store is tested from its test, not from a reducer or an effect"
    ),
    (
      "local key = require('scripted').shared.inMemory('n', 0) "
        + "make { dependencies = { uuid = function() test.shared(key):set(1) end } }:send('identifies')",
      "test.shared changes values for the test, not for reducers or effects"
    ),
    ("test.expectWarning('x', function() end)", "was expected, but there was none"),
    (
      "test.expectWarning('other', function() make():send('upp') end)",
      "was expected, but there was this one:\nApp has no handler"
    ),
  ])
  func misuseIsNamedAtItsLine(_ body: String, _ message: String) async throws {
    let result = try await Spec(body).result
    #expect(result.hasPrefix("app_test.lua:3: "), "\(result)")
    #expect(result.contains(message), "\(result)")
  }

  @Test func aLenientSkipFindsNothingWithoutFailing() async throws {
    #expect(
      try await Spec(
        """
        local store = make()
        store:skipReceivedActions { strict = false }
        store:skipInFlightEffects { strict = false }
        """
      ).result == "passed")
  }

  @Test func anExpectedWarningFailsNothing() async throws {
    #expect(
      try await Spec("test.expectWarning('no handler', function() make():send('upp') end)").result
        == "passed")
  }

  @Test func aStoreOfATestThatIsOverIsRefused() async throws {
    let result = try await Spec(
      "kept:send('up')",
      before: "local kept; it('makes it', function() kept = make() end);"
    ).result
    #expect(result.hasSuffix("the test of this store is over"))
  }

  @Test func anAssertionThatFailedAndWasCaughtTakesThePlaceOfTheChecksAtTheEnd()
    async throws
  {
    #expect(
      try await Spec(
        """
        local store = make()
        store:send("sendsUp", function(state) state.sent = true end)
        pcall(store.send, store, "up")
        """
      ).result == "passed")
  }

  @Test func aDependencyIsChangedOnTheWay() async throws {
    #expect(
      try await Spec(
        """
        local store = make { dependencies = { uuid = function() return "a" end } }
        store:send("identifies", function(state) state.id = "a" end)
        assert.are.equal("a", store.dependencies.uuid())
        store.dependencies.uuid = function() return "b" end
        store:send("identifies", function(state) state.id = "b" end)
        """
      ).result == "passed")
  }

  @Test func whatAStatementRaisesIsMatchedByItsText() async throws {
    #expect(
      try await Spec(
        """
        assert.error_matches(function() make():send("up") end, "not expected to change")
        assert.error_matches(function() make():send("identifies") end, "unimplemented: App called")
        """
      ).result == "passed")
  }

  @Test func testsThatUseDoublesAreShuffledLikeOthers() async throws {
    #expect(
      try await Spec(
        "make():send('nothing')",
        before: "for n = 1, 5 do it('is one of many ' .. n, function() end) end", seed: 7
      ).result == Array(repeating: "passed", count: 6).joined(separator: "\n"))
  }

  @Test func anActionThatAFunctionWasAskedAboutMayBeReadUntilTheTestIsOver()
    async throws
  {
    #expect(
      try await Spec(
        """
        local store, kept = make(), nil
        store:send("sendsTwo")
        store:skipReceivedActions()
        store.exhaustivity = "off"
        store:send("sendsTwo")
        store:receive(function(action) kept = action return action.name == "b" end)
        store = nil
        for n = 1, 1000 do make():send("rename", { name = "x" .. n }, function(s) s.name = "x" .. n end) end
        assert.are.same({ type = "rename", name = "b" }, kept)
        """
      ).result == "passed")
  }

  @Test func anEarlierStateIsNotChangedByLaterActions() async throws {
    #expect(
      try await Spec(
        """
        local store = make()
        local before = store.state
        store:send("up", function(state) state.count = before.count + 1 end)
        store:send("up", function(state) state.count = before.count + 2 end)
        assert.are.equal(0, before.count)
        """
      ).result == "passed")
  }

  @Test func twoUnicodeFormsOfOneTextAreTwoActions() async throws {
    let app = """
      return scripted.feature {
        state = { log = {} },
        on = {
          ["caf\\u{e9}"] = function(state) table.insert(state.log, "one") end,
          ["cafe\\u{301}"] = function(state) table.insert(state.log, "two") end,
          ["group.caf\\u{e9}"] = function(state) table.insert(state.log, "group one") end,
          ["group.cafe\\u{301}"] = function(state) table.insert(state.log, "group two") end,
        },
      }
      """
    let spec = try await Spec(
      """
      local store = make()
      store:send("caf\\u{e9}", function(state) state.log = { "one" } end)
      store:send("cafe\\u{301}", function(state) state.log = { "one", "two" } end)
      store:send("group.caf\\u{e9}", function(state) state.log = { "one", "two", "group one" } end)
      store:send("group.cafe\\u{301}", function(state) state.log = { "one", "two", "group one", "group two" } end)
      """, app: app)
    #expect(spec.result == "passed")
  }
}

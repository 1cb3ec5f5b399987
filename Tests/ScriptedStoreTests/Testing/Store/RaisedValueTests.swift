import ScriptedStore
import Testing

/// What a test shows of errors that are tables with a text of their own, as those of failed assertions are.
@Suite struct RaisedValueTests {
  private static let app = """
    local function raised(text)
      return setmetatable({ code = 7 }, { __tostring = function() return text end })
    end
    local Broken = setmetatable({}, { __tostring = function() error("no text") end })
    return scripted.feature {
      name = "App", state = { count = 0 }, dependencies = { "fact" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        sendsUp = function() return effect.send("up") end,
        check = function() assert.are.equal(1, 2) end,
        raise = function() error(raised("no luck")) end,
        raiseBroken = function() error(Broken) end,
        raiseLater = function() return effect.run(function() error(raised("no luck")) end) end,
        raiseInPart = function()
          return effect.run(function() effect.all { function() error(raised("no luck")) end } end)
        end,
        map = function() return effect.send("up"):map(function() error(raised("no luck")) end) end,
        ask = function() return effect.run(function(_, deps) deps.fact.fetch(1) end) end,
        try = function(state)
          state.plain = effect.result(error, raised("no luck")).failure
          state.own = effect.result(error, setmetatable({ message = "mine" }, getmetatable(raised("no luck")))).failure
          state.broken = effect.result(error, Broken).failure
        end,
      },
    }
    """

  /// The text of the test begins in its third line.
  @Test(arguments: [
    (
      "make():send('up', function(state)\n assert.are.equal(1, state.count) end)",
      "app_test.lua:4: expected 1, got 0"
    ),
    (
      "local store = make() store:send('sendsUp')\nstore:receive(function(action)\n assert.is_nil(action.type) end)",
      "app_test.lua:5: expected nil, got \"up\""
    ),
    ("make():send('check')", "app.lua:10: expected 1, got 2"),
    ("make():send('raise')", "app.lua:11: no luck"),
    (
      "make():send('raiseLater')",
      "app_test.lua:3: error[effectError]: an effect of App failed: app.lua:13: no luck"
    ),
    (
      "make():send('raiseInPart')",
      "app_test.lua:3: error[effectError]: an effect of App failed: app.lua:15: no luck"
    ),
    (
      "make():send('map')",
      "app_test.lua:3: error[effectError]: an effect of App failed: app.lua:17: no luck"
    ),
    (
      """
      local store = make { dependencies = { fact = { fetch = function(number)
      assert.are.equal(2, number) end } } }
      store:send('ask')
      """,
      "app_test.lua:5: error[effectError]: an effect of App failed: app_test.lua:4: expected 2, got 1"
    ),
    (
      "make():send('raiseBroken')",
      "app.lua:12: error value: table, whose `__tostring` failed: app.lua:4: no text"
    ),
    (
      "error(setmetatable({}, { __tostring = function() error('no text') end }))",
      "app_test.lua:3: error value: table, whose `__tostring` failed: app_test.lua:3: no text"
    ),
  ])
  func isTheirTextWithItsLine(_ body: String, _ expected: String) async throws {
    let result = try await Spec(body, app: Self.app).result
    #expect(result.split(separator: "\nstack traceback:").first.map(String.init) == expected)
  }

  @Test(arguments: [
    "assert.has_error(function() make():send('raise') end, 'no luck')",
    "assert.has_error(function() make():send('check') end, 'expected 1, got 2')",
    "assert.has_error(function() assert.are.equal(1, 2) end, 'app_test.lua:3: expected 1, got 2')",
    "assert.has_error(function() error(setmetatable({}, { __tostring = function() return 'a' end })) end, 'a')",
    """
    local hidden = setmetatable({}, { __metatable = false, __tostring = function() return "hidden" end })
    assert.has_error(function() error(hidden) end, "hidden")
    """,
    """
    local broken = setmetatable({}, { __tostring = function() error("no text") end })
    assert.has_error(function() error(broken) end)
    assert.error_matches(function()
      assert.has_error(function() error(broken) end, "other")
    end, "got error value: table, whose `__tostring` failed: app_test.lua:3: no text", 1, true)
    """,
    """
    make():send("try", function(state)
      state.plain = { code = 7, message = "no luck" }
      state.own = { message = "mine" }
      state.broken = { message = "error value: table, whose `__tostring` failed: app.lua:4: no text" }
    end)
    """,
  ])
  func isWhatAssertionsAndResultsCompare(_ body: String) async throws {
    #expect(try await Spec(body, app: Self.app).result == "passed")
  }
}

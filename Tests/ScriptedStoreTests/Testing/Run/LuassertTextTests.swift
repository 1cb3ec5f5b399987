import ScriptedStore
import Testing

/// The texts of failed assertions: Lua code of a plain library that catches a failure sees luassert's,
/// and reports have our own.
@Suite struct LuassertTextTests {
  private static func plain(_ source: String) throws -> [ScriptTestResult] {
    try TestFolder(source, configuration: .init(plainLua: PlainLua())).run()
  }

  private static func failures(_ source: String) throws -> [String] {
    try plain(source).flatMap(\.failures).map(\.message)
  }

  private static let caught = """
    local function caught(assertion, ...)
      local _, failure = pcall(assertion, ...)
      return (tostring(failure):gsub("^[^:]*:%d+: ", ""))
    end

    """

  @Test func caughtFailuresOfEqualityHaveTheTextsOfLuassert() throws {
    let failures = try Self.failures(
      Self.caught + """
        it("is as in luassert", function()
          assert.are.equal(
            "Expected objects to be equal.\\nPassed in:\\n(number) 2\\nExpected:\\n(string) 'a'",
            caught(assert.are.equal, "a", 2))
          assert.are.equal(
            "why\\nExpected objects to not be equal.\\nPassed in:\\n(nil)\\nDid not expect:\\n(nil)",
            caught(assert.are_not.equal, nil, nil, "why"))
          assert.are.equal(
            "(number) 7\\nExpected to be truthy, but value was:\\n(nil)", caught(assert.is_truthy, nil, 7))
          assert.are.equal(
            "Expected objects to be the same.\\nPassed in:\\n(boolean) false\\nExpected:\\ntype table",
            caught(assert.is_table, false))
          assert.are.equal(
            "Expected values to be near.\\nPassed in:\\n(number) 5\\nExpected:\\n(number) 1.0 +/- 0.5",
            caught(assert.is_near, 1.0, 5, 0.5))
          local a, b = { 1, { x = true } }, { 1, { x = "y" } }
          assert.are.equal(
            ("Expected objects to be the same.\\nPassed in:\\n(%s) {\\n  [1] = 1\\n *[2] = {\\n   *[x] = 'y' } }"
              .. "\\nExpected:\\n(%s) {\\n  [1] = 1\\n *[2] = {\\n   *[x] = true } }"):format(tostring(b), tostring(a)),
            caught(assert.are.same, a, b))
        end)
        """)
    #expect(failures == [])
  }

  @Test func caughtFailuresOfErrorsAndSpiesHaveTheTextsOfLuassert() throws {
    let failures = try Self.failures(
      Self.caught + """
        it("is as in luassert", function()
          assert.are.equal(
            "Expected a different error.\\nCaught:\\n(no error)\\nExpected:\\n(error)",
            caught(assert.has_error, function() end))
          assert.are.equal(
            "Expected a different error.\\nCaught:\\n(string) 'b'\\nExpected:\\n(string) 'a'",
            caught(assert.has_error, function() error("b") end, "a"))
          assert.are.equal(
            "Expected no error, but caught:\\n(nil)", caught(assert.has_no_error, function() error(nil) end))
          local s = spy.new(function() end)
          s("first", nil)
          s(2)
          assert.are.equal(
            "Expected to be called 1 time(s), but was called 2 time(s)", caught(assert.spy(s).was.called, 1))
          assert.are.equal(
            "Expected to be called 0 time(s), but was called 2 time(s)", caught(assert.spy(s).was_not.called))
          assert.are.equal(
            "Expected to be called less than 2 time(s), but was called 2 time(s)",
            caught(assert.spy(s).was_not.called_at_least, 2))
          assert.are.equal(
            "Function was never called with matching arguments.\\nCalled with (last call if any):\\n"
              .. "(values list) ((number) 2)\\nExpected:\\n(values list) ()",
            caught(assert.spy(s).was.called_with))
          assert.are.equal(
            "Function was called with matching arguments at least once.\\nCalled with (last matching call):\\n"
              .. "(values list) ((string) 'first', (nil))\\nDid not expect:\\n"
              .. "(values list) ((matcher) is.match((string) 'f'), (matcher) _ *anything*)",
            caught(assert.spy(s).was_not.called_with, match.match("f"), match._))
        end)
        """)
    #expect(failures == [])
  }

  @Test func customAssertionsHaveTheTextsOfLuassertForCatchers() throws {
    let failures = try Self.failures(
      Self.caught + """
        local say = require "say"
        say:set("assertion.small.positive", "Expected %s to be below %s")
        assert:register("assertion", "small", function(state, arguments)
          return arguments[1] < arguments[2]
        end, "assertion.small.positive")
        it("is as in luassert", function()
          assert.are.equal("Expected (number) 3 to be below (number) 2", caught(assert.is_small, 3, 2))
        end)
        it("reports", function() assert.is_small(3, 2) end)
        """)
    #expect(failures == ["Expected 3 to be below 2"])
  }

  @Test func reportsHaveOurTextsAlsoOfFailuresInOtherFailures() throws {
    let failures = try Self.failures(
      """
      it("fails", function() assert.are.equal(1, 2) end)
      it("fails inside", function()
        assert.has_no.errors(function() assert.are.equal(1, 2) end)
      end)
      it("raises again", function()
        local _, failure = pcall(assert.are.equal, 1, 2)
        error(failure)
      end)
      """)
    #expect(
      failures == [
        "expected 1, got 2",
        "expected no error, got app_test.lua:3: expected 1, got 2",
        "expected 1, got 2",
      ])
  }

  @Test func valuesAreFormattedAsInLuassert() throws {
    let failures = try Self.failures(
      """
      local function text(...) return assert:format({ n = 1, ... })[1] end
      it("formats", function()
        assert.are.equal("(number) 1.0", text(1.0))
        assert.are.equal("(number) -Inf", text(-math.huge))
        local own = setmetatable({}, { __tostring = function() return "own" end })
        assert.matches("^%(table: 0x%x+%) { }$", text(own))
        assert.are.equal("own", tostring(own))
        local deep = { { { { 1 } } } }
        assert.matches("{ ... more } } } }$", text(deep))
        deep[2] = deep
        assert:set_parameter("TableFormatShowRecursion", true)
        assert.matches("%[2%] = { ... recursive } }$", text(deep))
        assert:add_formatter(function(value) if value == 1 then return "one" end end)
        assert.are.equal("one", text(1))
        local list = require("luassert.util").make_arglist(1, nil)
        assert.are.equal("(values list) (one, (nil))", text(list))
      end)
      """)
    #expect(failures == [])
  }

  @Test func aFileInTheSandboxSeesOurTexts() throws {
    let tests = try TestFolder(
      """
      it("catches", function()
        assert.has_error(function() assert.are.equal(1, 2) end, "app_test.lua:2: expected 1, got 2")
      end)
      """)
    #expect(tests.run().map(\.word) == ["passed"])
  }

  @Test func aMessageOfMatchesMayFollowItsOptions() throws {
    let failures = try Self.failures(
      """
      it("fails", function() assert.matches("%d", "1a", 2, "why") end)
      it("checks", function() assert.matches("a", "a", "why", "b") end)
      it("passes", function() assert.matches("%d", "1a", "why") end)
      """)
    #expect(
      failures == [
        "why\nexpected a text that matches \"%d\", got \"1a\"",
        "bad argument to assert.matches (position expected, got \"b\")",
      ])
  }
}

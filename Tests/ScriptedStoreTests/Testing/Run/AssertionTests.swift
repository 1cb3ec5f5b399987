import ScriptedStore
import Testing

/// What failed assertions say.
@Suite struct AssertionTests {
  /// The message of the only failure of a test with this body.
  private func message(_ body: String, before: String = "") throws -> String {
    let app = try TestFolder(
      """
      \(before)
      it("fails", function()
      \(body)
      end)
      """)
    let failures = try #require(app.run().first).failures
    try #require(failures.count == 1)
    #expect(failures[0].kind == .failure)
    #expect(failures[0].script == "app_test.lua")
    return failures[0].message
  }

  @Test func aMessageMayHaveAnyBytes() throws {
    #expect(try message("assert.are.equal('left\\xff', 'right')").contains("left"))
    #expect(try message("assert.is_true(false, 'left\\xff')").contains("left"))
  }

  @Test(arguments: [
    ("assert.is_true(false)", "expected true, got false"),
    ("assert.is_nil(5)", "expected nil, got 5"),
    ("assert.is_not_nil(nil)", "expected anything but nil"),
    ("assert.is_string({})", "expected a string, got {}"),
    ("assert.is_truthy(nil)", "expected a value that counts as true, got nil"),
    ("assert.are.equal(1, 2)", "expected 1, got 2"),
    ("assert.are.equal(\"a\", \"b\")", "expected \"a\", got \"b\""),
    ("assert.are_not.equal(1, 1)", "expected anything but 1"),
    ("assert.near(1, 2, 0.5)", "expected a number within 0.5 of 1, got 2"),
    ("assert.matches(\"^a\", \"b\")", "expected a text that matches \"^a\", got \"b\""),
    ("assert.has_error(function() end)", "expected an error, nothing was raised"),
    ("assert.has_no.errors(function() error(\"e\") end)", "expected no error, got \"e\""),
    (
      "assert.has_error(function() error(\"e\") end, \"f\")",
      "expected the error \"f\", got \"e\""
    ),
    ("assert.is_true(false, \"mine\")", "mine\nexpected true, got false"),
    ("assert.message(\"mine\").is_true(false)", "mine\nexpected true, got false"),
    ("assert(false, \"mine\")", "mine"),
    ("assert(nil)", "assertion failed"),
    (
      "assert.spy(spy.new(print)).was.called(2)",
      "expected the spy to be called 2 times, it was called 0 times"
    ),
  ])
  func anAssertionSaysWhatWasExpectedAndWhatThereWas(body: String, expected: String) throws {
    #expect(try message(body) == expected)
  }

  @Test func whatAFailedAssertOfAModuleRaisesIsThatOfTheLiveStore() throws {
    let app = try TestFolder(
      """
      local caught = require "caught"
      it("is the same", function()
        assert.are.equal("caught.lua:2: m", caught.text())
        assert.are.equal("caught.lua:3: assertion failed!", caught.none())
        assert.are.equal("m", caught.withoutCaller())
        assert.are.equal(5, caught.number())
        assert.are.same({ code = 7 }, caught.code())
        assert.is_nil(caught.missing())
      end)
      it("fails", function() caught.check("m") end)
      it("fails with a table", function() caught.check({}) end)
      """,
      modules: [
        "caught": """
        return {
          text = function() return select(2, pcall(function() assert(false, "m") end)) end,
          none = function() return select(2, pcall(function() assert(nil) end)) end,
          withoutCaller = function() return select(2, pcall(assert, false, "m")) end,
          number = function() return select(2, pcall(assert, false, 5)) end,
          code = function() return select(2, pcall(assert, nil, { code = 7 })) end,
          missing = function() return select(2, pcall(assert, nil, nil)) end,
          check = function(message) assert(false, message) end,
        }
        """
      ])
    let results = app.run()
    #expect(results.first?.outcome == .passed)
    let failures = results.dropFirst().flatMap(\.failures)
    #expect(failures.map(\.message) == ["m", "{}"])
    #expect(failures.map(\.kind) == [.failure, .failure])
    #expect(failures.map(\.script) == ["caught.lua", "caught.lua"])
  }

  @Test func anErrorThatIsNoAssertionIsNone() throws {
    let app = try TestFolder(
      """
      it("raises", function()
        pcall(require "checks", "m")
        error("another")
      end)
      it("raises nil", function() error(nil) end)
      """, modules: ["checks": "return function(message) assert(false, message) end"])
    #expect(app.run().map { $0.failures.first?.kind } == [.error, .error])
  }

  @Test func aSpySaysHowItWasCalled() throws {
    let text = try message(
      """
      local s = spy.new(function() end)
      s(1, "two")
      s()
      assert.spy(s).was.called_with(3)
      """)
    #expect(
      text == """
        expected the spy to have been called with (3); its calls:
          1: (1, "two")
          2: ()
        """)
  }

  @Test func aDifferenceOfTablesLeavesOutWhatIsTheSame() throws {
    let text = try message(
      """
      local expected, actual = {}, {}
      for i = 1, 200 do expected[i], actual[i] = { id = i }, { id = i } end
      actual[100].id = 0
      assert.same(expected, actual)
      """)
    #expect(text.hasPrefix("not as expected (- expected, + actual)\n"))
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("-") && $0.contains("100") })
    #expect(lines.contains { $0.hasPrefix("+") && $0.contains("0") })
    #expect(lines.count < 20)
  }

  @Test func aDifferenceOfTablesWithFunctionsIsToldByItsPath() throws {
    let text = try message(
      "assert.same({ a = { print, { b = 1 } } }, { a = { print, { b = 2 } } })")
    #expect(text == "not as expected at .a[2].b: expected 1, got 2")
  }

  @Test func aMessageIsAScreenAtMost() throws {
    let text = try message(
      """
      local large = {}
      for i = 1, 10000 do large[i] = { id = i, name = "name" .. i } end
      assert.is_nil(large)
      """)
    #expect(text.split(separator: "\n").count <= 45)
    #expect(text.utf8.count <= 5000)
  }

  @Test func theLineIsThatOfATailCallToo() throws {
    let app = try TestFolder(
      """
      it("fails", function()

        return assert.is_true(false)
      end)
      """)
    let failure = try #require(app.run().first?.failures.first)
    #expect(failure.description == "app_test.lua:3: expected true, got false")
  }

  @Test func stateIsComparedAsTheTablesItIs() throws {
    let app = try TestFolder(
      """
      local scripted = require "scripted"

      it("compares a snapshot of state", function()
        local value = scripted.snapshot({ list = { 1, 2 }, nothing = scripted.null })
        assert.same({ list = { 1, 2 }, nothing = scripted.null }, value)
        assert.are_not.same({ list = { 1, 3 }, nothing = scripted.null }, value)
        assert.is_table(value.list)
        local s = spy.new(function() end)
        s(value)
        assert.spy(s).was.called_with({ list = { 1, 2 }, nothing = scripted.null })
      end)
      """)
    #expect(words(app.run()) == ["compares a snapshot of state: passed"])
  }

  /// As trees these tables have 2^60 fields.
  private static let shared = """
    local function shared(key)
      local t = { [key] = 1 }
      for _ = 1, 60 do t = { a = t, b = t } end
      return t
    end
    """

  @Test func tablesThatShareTheirFieldsAreCompared() throws {
    let text = try message("assert.same(shared('x'), shared('y'))", before: Self.shared)
    let path = String(repeating: ".a", count: 60) + "."
    #expect(text.hasPrefix("not as expected at \(path)x: expected 1, got nil"))
  }

  @Test(arguments: ["3", "-1"]) func tablesThatShareTheirFieldsAreShown(_ level: String) throws {
    let before = Self.shared + "\nassert:set_parameter('TableFormatLevel', \(level))"
    let text = try message("assert.is_nil(shared('x'))", before: before)
    #expect(text.hasPrefix("expected nil\ngot {\n  a = {\n    a = {"))
    #expect(text.count < 4200)
  }

  /// A table that stands twice is no reason to show less.
  @Test func aTableThatStandsTwiceIsShownTwice() throws {
    let text = try message("local t = { 1 } assert.same({ t, t }, { t, { 2 } })")
    #expect(text.contains("-     [1] = 1,\n+     [1] = 2,"))
  }
}

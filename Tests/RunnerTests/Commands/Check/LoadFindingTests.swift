import Foundation
import Testing

/// What loading scripts finds.
struct LoadFindingTests {
  @Test(arguments: [
    CheckCase(
      "syntax", ["a.lua": "local x = 1\nlocal y = = 2"],
      ["a.lua:2: error: unexpected symbol near '=' [syntax]"]),
    CheckCase(
      "an operator of another language", ["a.lua": "local x = 1\nx += 1"],
      ["a.lua:2: error: syntax error near '+'; write 'a = a + b' for 'a += b' [syntax]"]),
    CheckCase(
      "a word of another language, which is an unknown global too", ["a.lua": "let n = 2"],
      [
        "a.lua:1: error: syntax error near 'n'; write 'local x = …' [syntax]",
        "a.lua:1:1: error: global 'let' is not declared [unknown-global]",
        "a.lua:1:5: error: global 'n' is not declared; use 'local' [unknown-global]",
      ]),
    CheckCase(
      "a byte order mark and a #! line are passed over",
      ["a.lua": "\u{FEFF}#!/usr/bin/env lua\nreturn function() return foo end"],
      ["a.lua:2:26: error: global 'foo' is not declared [unknown-global]"]),
    CheckCase(
      "a column behind a byte order mark", ["a.lua": "\u{FEFF}return function() return foo end"],
      ["a.lua:1:26: error: global 'foo' is not declared [unknown-global]"]),
    CheckCase(
      "raises", ["a.lua": "\nerror('no luck')"], ["a.lua:2: error: no luck [load]"]),
    CheckCase("loads", ["a.lua": "local x = 1\nreturn x"], []),
    CheckCase(
      "once, where it is, however many require it",
      [
        "a.lua": "require 'c'", "b.lua": "return require 'c'", "c.lua": "\nerror('no luck')",
        "d_test.lua": "require 'a'",
      ], ["c.lua:2: error: no luck [load]"]),
    CheckCase(
      "a missing module, where it is required",
      ["a.lua": "local x = require 'lists'", "list.lua": "return {}"],
      ["a.lua:1:19: error: there is no module 'lists'; did you mean 'list'? [missing-module]"]),
    CheckCase(
      "a missing module in a function that never runs",
      ["a.lua": "return function()\n  return require(\"shop.cart\")\nend"],
      ["a.lua:2:18: error: there is no module 'shop.cart' [missing-module]"]),
    CheckCase(
      "a module that is there",
      [
        "a.lua": "return function() return require 'shop', require 'shop.cart' end",
        "shop/init.lua": "", "shop/cart.lua": "",
      ], []),
    CheckCase(
      "a cycle, once",
      ["a.lua": "require 'b'", "b.lua": "require 'c'", "c.lua": "\nrequire 'a'"],
      [
        "c.lua:2: error: these modules require each other: a.lua → b.lua → c.lua → a.lua [cycle]"
      ]),
    CheckCase(
      "no cycle where a child is a function",
      [
        "a.lua": """
        local scripted = require "scripted"
        return scripted.feature {}:ifLet("child", function() return require "b" end)
        """,
        "b.lua": """
        local scripted = require "scripted"
        return scripted.feature {}:ifLet("parent", require "a")
        """,
      ], []),
    CheckCase(
      "a pattern that nothing knows", feature: #"on = { ["child.bng"] = function() end },"#,
      above: #"local Child = scripted.feature { on = { bang = function() end } }"#,
      below: #":scope("child", Child)"#, beside: ["use_test.lua": "local _ = 'bang'"],
      [
        "app.lua:5: error: the pattern \"child.bng\" of App names \"bng\", which no reducer there "
          + "handles; did you mean \"bang\"? [composition]"
      ]),
    CheckCase(
      "a pattern that a child knows", feature: #"on = { ["child.bang"] = function() end },"#,
      above: #"local Child = scripted.feature { on = { bang = function() end } }"#,
      below: #":scope("child", Child)"#, beside: ["use_test.lua": "local _ = 'bang'"], []),
    CheckCase(
      "a child that is given as a function, and cannot be composed",
      [
        "app.lua": """
        local App = require("scripted").feature { name = "App" }
        return App:ifLet("child", function() return 3 end)
        """
      ],
      [
        "app.lua:2: error: ifLet at scripts/app.lua:2: the function that stands for a reducer must return "
          + "one, not a number [composition]"
      ]),
    CheckCase(
      "state that is no JSON", feature: "state = {\n  onTap = print,\n},",
      [
        "app.lua:4: error: state.onTap: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name [initial-state]"
      ]),
    CheckCase(
      "state that no store can have",
      [
        "app.lua": """
        local scripted = require "scripted"
        local App = scripted.feature { name = "App", state = { one = {}, two = {} } }
        return App:ifCaseLet("one", scripted.feature {})
        """
      ],
      [
        "app.lua:3: error: ifCaseLet at scripts/app.lua:3: a tagged state has exactly one key, a case, when "
          + "an action ends; this one has 'one' and 'two'. To switch cases assign a new table, as in "
          + "state.destination = { edit = { … } } [initial-state]"
      ]),
    CheckCase(
      "state that a parent gives", feature: "", below: ":ifCaseLet('one', scripted.feature {})",
      []),
    CheckCase("state of JSON", feature: "state = { list = {}, none = scripted.null },", []),
  ])
  func aScriptThatDoesNotLoadOrWhoseFeatureCannotBeComposedIsAnErrorAtItsLine(_ example: CheckCase)
    throws
  {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test func aScriptWhoseLoadNeverEndsIsStopped() throws {
    let example = CheckCase("", ["a.lua": "local n = 0\nwhile true do n = n + 1 end"], [])
    #expect(
      try example.found("--timeout", "0.2") == [
        "a.lua:2: error: this takes longer than 0.2 s [load]"
      ])
  }

  @Test func whatAScriptPrintsIsNoPartOfTheReport() throws {
    let example = CheckCase(
      "", ["a.lua": "print('hello')", "b_test.lua": "print('hello')"], [])
    let outcome = try example.run()
    #expect(outcome.output == "nothing found in 2 scripts\n")
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func eachScriptIsLoadedByItselfWhatOneDeclaresNoOtherSeesNorIsItInItsWay() throws {
    let declaration = """
      local scripted = require "scripted"
      scripted.dependency { name = "api", live = {} }
      """
    let example = CheckCase(
      "",
      [
        "a.lua": declaration, "b.lua": declaration,
        "c.lua": """
        require "scripted".dependency { name = "api", live = {} }
        return require "scripted".feature { dependencies = { "api" } }
        """,
        "d.lua": """
        local scripted = require "scripted"
        return scripted.feature { dependencies = { "api" } }
        """,
      ], [])
    let found = try example.found()
    #expect(
      found == [
        "d.lua:2:44: error: there is no dependency 'api'; require the module that declares it "
          + "[unknown-dependency]"
      ])
  }

  @Test func testsAreLoadedAsTestsAreAsIsWhatOnlyTheyRequireNoTestRuns() throws {
    let example = CheckCase(
      "",
      [
        "support.lua": """
        local test = require "scripted.test"
        return function() return test.clock() end
        """,
        "more_support.lua": "return require 'support'",
        "a_test.lua": """
        local support = require "more_support"
        describe("a", function() it("fails", function() error(support) end) end)
        function helper() end
        helper()
        """,
        "broken_spec.lua": "describe('a', function()\n  error('no luck')\nend)\nfoo()",
      ], [])
    #expect(
      try example.found() == [
        "broken_spec.lua:4:1: error: global 'foo' is not declared [unknown-global]"
      ])
  }

  @Test func stubsWhichGetDepsAndDefinitionsForEditorsAreNotLoaded() throws {
    let example = CheckCase(
      "",
      [
        "stub.lua": "local deps = ...\nlocal sleep = deps.clock.sleep\nreturn deps.clok",
        "types.lua": "---@meta\nlocal types = {}\nfunction undeclared() end\nreturn types.x.y",
      ], [])
    #expect(
      try example.found() == [
        "stub.lua:3:13: error: there is no dependency 'clok'; did you mean 'clock'? "
          + "[unknown-dependency]"
      ])
  }
}

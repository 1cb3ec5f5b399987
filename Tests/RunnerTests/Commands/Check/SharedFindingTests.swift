import Testing

/// Mistakes in shared state.
struct SharedFindingTests {
  private static let keys = """
    local shared = require("scripted").shared
    return {
      settings = shared.fileStorage("settings.json", { size = 1 }, { version = 2 }),
      count = shared.inMemory("count", 0),
    }
    """

  /// A feature that shares keys of its own, beside one that uses those of `keys.lua`.
  private static func beside(_ fields: String, others: [String: String] = [:]) -> CheckCase {
    var files = others
    files["keys.lua"] = keys
    files["main.lua"] = """
      local keys = require "keys"
      return require("scripted").feature {
        shared = { settings = keys.settings, count = keys.count },
        on = { go = function(state) state.settings.size = state.count end },
      }
      """
    return CheckCase(
      fields,
      feature: """
        shared = { \(fields) },
        on = { go = function(state) print(state) end },
        """, above: "local shared = scripted.shared", beside: files, [])
  }

  @Test func oneKeyWithDefaultsOfOtherTypesOrWithAnotherVersionIsAnErrorAtTheSecond() throws {
    #expect(
      try Self.beside("a = shared.inMemory('count', 'x')").found() == [
        "keys.lua:4:27: error: the default of the shared value 'count' is a number here and a string at "
          + "scripts/app.lua:5; give one of the two keys another name, or declare the key once in a module "
          + "[shared-conflict]"
      ])
    #expect(
      try Self.beside("a = shared.fileStorage('settings.json', {})").found() == [
        "keys.lua:3:33: error: the shared value 'settings.json' has version 2 here and 1 at "
          + "scripts/app.lua:5; declare the key once, in a module that the features require [shared-conflict]"
      ])
  }

  @Test func whereOnlyOneOfTwoScriptsIsAskedForTheFindingIsAtItsKey() throws {
    let found = try Self.beside("a = shared.inMemory('count', 'x')").found("scripts/app.lua")
    #expect(
      found == [
        "app.lua:5:32: error: the default of the shared value 'count' is a string here and a number at "
          + "scripts/keys.lua:4; give one of the two keys another name, or declare the key once in a module "
          + "[shared-conflict]"
      ])
  }

  @Test func aConflictWithinAStoreIsToldOnceThoughMakingTheStoreFails() throws {
    let found = try Self.beside("a = shared.inMemory('n', 1), b = shared.inMemory('n', {})").found()
    #expect(
      found == [
        "app.lua:5:61: error: the default of the shared value 'n' is a table here and a number at "
          + "scripts/app.lua:5; give one of the two keys another name, or declare the key once in a module "
          + "[shared-conflict]"
      ])
  }

  @Test(arguments: [
    beside("a = shared.inMemory('count', 7), b = shared.inMemory('count', 1.5)"),
    beside("a = shared.inMemory('count', function() return 'x' end)"),
    beside("a = shared.appStorage('count', 'x'), b = shared.inMemory('Count', 'x')"),
    beside("a = shared.fileStorage('settings.json', {}, { version = 2 }):at('size')"),
    beside(
      "a = shared.inMemory('a', 1)",
      others: [
        "a_test.lua": """
        local scripted = require "scripted"
        it("shares", function()
          return scripted.feature { shared = { a = scripted.shared.inMemory("a", "x") } }
        end)
        """
      ]),
  ])
  func keysThatGoTogetherAreNotToldOf(_ example: CheckCase) throws {
    #expect(try example.found() == [])
  }

  @Test func namesOfStoredValuesThatDifferOnlyByCaseOrUnicodeFormAreAnError() throws {
    #expect(
      try Self.beside("a = shared.fileStorage('Settings.json', {}, { version = 2 })").found() == [
        "keys.lua:3:33: error: the name 'settings.json' differs from 'Settings.json' at scripts/app.lua:5 only by "
          + "case or Unicode form; give one of the two keys another name [shared-collision]"
      ])
    let own = Self.beside(
      "a = shared.appStorage('caf\u{E9}', 1), b = shared.appStorage('cafe\u{301}', 1)")
    let found = try own.found()
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix("another name [shared-collision]") == true)
  }

  @Test func aFieldInStateAndInSharedIsToldOnceAtItsKeyInShared() throws {
    let found = try CheckCase(
      "", feature: "state = { a = 1 }, shared = { a = scripted.shared.inMemory('a', 1) },", []
    ).found()
    #expect(
      found == [
        "app.lua:5:31: error: the field 'a' is in `state` and in `shared`; leave it out of `state`, as the key "
          + "has a default [shared-collision]"
      ])
    let computed = try CheckCase(
      "", feature: "state = initial(), shared = { a = scripted.shared.inMemory('a', 1) },",
      above: "local function initial() return { a = 1 } end", []
    ).found()
    #expect(computed.count == 1)
    #expect(computed.first?.hasSuffix("as the key has a default [shared-collision]") == true)
  }

  @Test func sharingInsideOfASharedValueIsToldOnceAtTheFieldInside() throws {
    let child = """
      local shared = require("scripted").shared
      return require("scripted").feature {
        name = "Child", state = { x = 1 },
        shared = { own = shared.inMemory("own", 1) },
        on = { go = function(state) state.own = state.x end },
      }
      """
    let parent = { (operators: String) in
      CheckCase(
        "",
        feature: "state = { page = {} }, shared = { value = scripted.shared.inMemory('v', {}) },",
        below: operators, beside: ["child.lua": child], [])
    }
    let finding = { (path: String) in
      "child.lua:4:14: error: the field '\(path).own' cannot be shared: it lies inside of 'value', which is shared "
        + "already; share it next to 'value' [shared-nested]"
    }
    #expect(try parent(":scope('value', require('child'))").found() == [finding("value")])
    #expect(
      try parent(":scope('value.deep.er', require('child'))").found() == [finding("value.deep.er")])
    #expect(
      try parent(":forEach('value', require('child'))").found() == [finding("value[*]")])
    #expect(
      try parent(":scope('value', function() return require('child') end)").found()
        == [finding("value")])
    #expect(
      try parent(
        ":scope('value', scripted.feature { on = {} }:ifLet('sheet', scripted.cases { edit = require('child') }))"
      ).found() == [finding("value.sheet.edit")])
    let beside = parent(":scope('value', scripted.feature {}):scope('page', require('child'))")
    #expect(try beside.found() == [])
  }

  @Test func theNameOfTheScriptWithTheFieldInsideMayHaveASpace() throws {
    let form = """
      local shared = require("scripted").shared
      return require("scripted").feature {
        name = "Form", state = { x = 1 },
        shared = { own = shared.inMemory("own", 1) },
        on = { go = function(state) state.own = state.x end },
      }
      """
    let example = CheckCase(
      "",
      feature: "state = { page = {} }, shared = { value = scripted.shared.inMemory('v', {}) },",
      below: ":scope('value', require('my form'))", beside: ["my form.lua": form], [])
    #expect(
      try example.found() == [
        "my form.lua:4:14: error: the field 'value.own' cannot be shared: it lies inside of 'value', which is shared "
          + "already; share it next to 'value' [shared-nested]"
      ])
  }

  // MARK: Unused fields

  private static func unused(
    _ description: String, _ on: String, keys: String = "scripted.shared.inMemory('total', 1)",
    above: String = "", below: String = "", beside files: [String: String] = [:]
  ) -> CheckCase {
    CheckCase(
      description, feature: "state = { text = '' }, shared = { total = \(keys) },\non = { \(on) },",
      above: above, below: below, beside: files, [])
  }

  private static let hint =
    "app.lua:5:35: hint: App shares 'total', which nothing in it uses; leave it out of `shared`; if the host shows "
    + "it, name it in a comment: -- total: shown by the host [unused-shared]"

  @Test(arguments: [
    unused("beside handlers", "go = function(state) state.text = 'a' end"),
    unused(
      "with a key from a module, used by another feature",
      "go = function(state) state.text = 'a' end", keys: "require('keys').total",
      beside: [
        "keys.lua": "return { total = require('scripted').shared.inMemory('total', 1) }",
        "other.lua": """
        return require("scripted").feature {
          shared = { total = require("keys").total }, on = { go = function(state) state.total = 2 end },
        }:onChange("total", function() end)
        """,
      ]),
    unused(
      "with a key from a local table", "go = function(state) state.text = 'a' end",
      keys: "keys.total",
      above: "local keys = { total = scripted.shared.inMemory('total', 1) }"),
    unused(
      "beside a child and onChange", "go = function(state) state.text = 'a' end",
      below:
        ":scope('page', scripted.empty):onChange('text', function(state) state.text = '' end)"
    ),
  ])
  func aSharedFieldThatNothingInItsFeatureUsesIsAHint(_ example: CheckCase) throws {
    #expect(try example.found() == [Self.hint])
  }

  @Test(arguments: [
    unused("read", "go = function(state) return print(state.total) end"),
    unused(
      "written in a function", "go = function(state) add(state) end",
      above: "local function add(state) state.total = state.total + 1 end"),
    unused("by onChange", "", below: ":onChange('total.x', function() end)"),
    unused("by a child", "", below: ":scope('total', scripted.empty)"),
    unused("replaced", "go = function(state) scripted.replace(state, { total = 1 }) end"),
    unused("by a name that is made", "go = function(state, action) state[action.key] = 1 end"),
    unused(
      "in code elsewhere", "go = function(state) require('help').change(state) end",
      beside: ["help.lua": "return { change = function(state) end }"]),
    unused(
      "by handlers from elsewhere", "go = require('help').change",
      beside: ["help.lua": "return { change = function(state) end }"]),
    unused(
      "through a table", "go = function(state) work { state = state } end",
      above: "local function work(of) end"),
    unused("by binding", "}, binding = true, actions = {"),
    unused("by the host, as a comment says", "", above: "-- total: shown by the host"),
    unused(
      "inherited elsewhere", "",
      beside: [
        "child.lua": """
        return require("scripted").feature {
          shared = { t = require("scripted").shared.inherited("total", 1) },
          on = { go = function(state) return state.t end },
        }
        """
      ]),
    unused(
      "by a parent", "",
      beside: [
        "parent.lua": """
        return require("scripted").feature {
          state = { app = {} }, on = { go = function(state) print(state.app.total) end },
        }:scope("app", require "app")
        """
      ]),
    unused(
      "by an operator elsewhere", "",
      beside: ["more.lua": "return require('app'):onChange('total', function() end)"]),
    unused(
      "in a group", "",
      beside: [
        "more.lua": """
        local scripted = require "scripted"
        return scripted.combine { require("app"), scripted.feature {
          name = "More", on = { listed = function(state) state.total = 2 end },
        } }
        """
      ]),
    unused(
      "in a test of the script", "",
      beside: ["b_test.lua": "it('b', function() return require('app').initial().total end)"]),
    unused(
      "the status of a value", "",
      keys: "scripted.shared.fileStorage('total.json', 1):status()"),
  ])
  func aSharedFieldThatMayBeUsedIsNotToldOf(_ example: CheckCase) throws {
    #expect(try example.found() == [])
  }
}

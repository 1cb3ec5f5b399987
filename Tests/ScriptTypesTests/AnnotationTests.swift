import Testing

/// Annotations.
struct AnnotationTests {
  @Test func fieldsOfAClassHaveTheTypesOfSwift() throws {
    let text = try TemporaryScripts.types(
      """
      ---@type Item
      state = {},
      """,
      below: """
        ---@class Item: Named
        ---@field count integer
        ---@field share? number how much of it
        ---@field tags string[]
        ---@field byKey table<string, Part>
        ---@field size "small"|"large"
        ---@field at { x: number, y: number }
        ---@field any any

        ---@class Named
        ---@field name string
        ---@class Part
        ---@field parts Part[]
        """)
    for line in [
      "struct FState: Codable, Sendable, Equatable {", "  var name: String", "  var count: Int",
      "  var share: Double?", "  var tags: [String]", "  var byKey: [String: Part]",
      "  var size: FState.Size", "  var at: FState.At", "  var `any`: Value?",
      "  enum Size: String, Codable, Sendable, CaseIterable {", "    case small",
      "    var x: Double",
      "struct Part: Codable, Sendable, Equatable {", "  var parts: [Part]",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  /// All that Lua takes for the end of a line.
  @Test(arguments: ["\r", "\r\n", "\n\r"])
  func annotationsEndWithTheirLine(_ lineBreak: String) throws {
    let script = """
      return require("scripted").feature {
        name = "F",
        state = {
          count = 0, ---@type integer how many
          names = {}, ---@type string[]
        },
      }
      """
    let scripts = try TemporaryScripts(["f.lua": script.replacing("\n", with: lineBreak)])
    #expect(try scripts.types("f").text == TemporaryScripts(["f.lua": script]).types("f").text)
    #expect(try scripts.types("f").text.contains("\n  var names: [String]\n"))
  }

  @Test func aFieldOfTheTableMayHaveItsOwnTypeAboveOrBehindIt() throws {
    let text = try TemporaryScripts.types(
      """
      state = {
        filter = "all", ---@type Filter
        -- what was found
        ---@type { id: integer }[]
        found = scripted.array {},
        maybe = scripted.null, ---@type string|nil
      },
      """,
      below: """
        ---@alias Filter
        ---| "all"
        ---| "not done" # with a name that Swift does not have
        """)
    for line in [
      "  var filter: Filter", "  var found: [FState.Found]", "  var maybe: String?",
      "  struct Found: Codable, Sendable, Equatable, Identifiable {",
      "enum Filter: String, Codable, Sendable, CaseIterable {", "  case all",
      "  case notDone = \"not done\"",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func withoutAnnotationsDefaultsTellWhatTheyCan() throws {
    let text = try TemporaryScripts.types(
      """
      state = {
        count = 0, share = 0.5, name = "", isOn = false, nothing = scripted.null, table = {},
        list = scripted.array {}, rows = { { a = 1 }, { a = 2.5, b = "x" } }, user = { age = 1 },
      },
      """)
    for line in [
      "  var count: Int", "  var share: Double", "  var name: String", "  var isOn: Bool",
      "  var nothing: Value?", "  var table: Value", "  var list: Value",
      "  var rows: [FState.Rows]",
      "  var user: FState.User", "    var a: Double", "    var b: String?", "    var age: Int",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func payloadsComeFromTheAnnotationOfTheAction() throws {
    let text = try TemporaryScripts.types(
      """
      on = {
        ---@param action { by?: integer }
        add = function(state, action) end,
        ---@param action Move
        move = function(state, action) end,
        plain = function(state) end,
        ignored = function(state, _, deps) end,
        unknown = function(state, action) end,
        ["note.saved"] = function(state) end,
        ["a-b"] = function(state) end,
        ["default"] = function(state) end,
      },
      actions = { "delegate", "report.done" },
      """,
      below: """
        ---@class Move: scripted.Action
        ---@field rows integer[]
        ---@field to "top"|"end"
        """)
    for line in [
      "  case add(by: Int? = nil)", "  case move(rows: [Int], to: FMoveTo)", "  case plain",
      "  case ignored", "  case unknown([String: Value] = [:])", "  case note(Note)", "  case aB",
      "  case `default`", "  case delegate([String: Value] = [:])", "  enum Note: ScriptAction {",
      "    case saved", "  case report(Report)", "    case done([String: Value] = [:])",
      "enum FMoveTo: String, Codable, Sendable, CaseIterable {",
      "    case .aB: return .action(\"a-b\")",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func anActionThatIsListedBelowATypeHasAPayloadAlsoOnTheLineOfAHandler() throws {
    let scripts = try TemporaryScripts([
      "f.lua": """
      return require("scripted").feature { name = "F", state = {}, \
      actions = { "delegate.saved", "delegate.row", "delegate.row.moved" }, \
      on = { tapped = function(state) end } }
      """
    ])
    let text = try scripts.types("f").text
    #expect(text.contains("\n  case tapped\n"))
    #expect(text.contains("\n    case saved([String: Value] = [:])\n"))
    #expect(text.contains(" case moved([String: Value] = [:])\n"))
  }

  @Test func anActionThatIsListedForElementsHasTheNamesWithoutTheId() throws {
    let scripts = try TemporaryScripts([
      "f.lua": """
      return require("scripted").feature { name = "F", state = {}, \
      actions = { "rows[*].moved", "rows[1.5].gone" } }
      """
    ])
    let text = try scripts.types("f").text
    #expect(text.contains(" case moved([String: Value] = [:])\n"))
    #expect(text.contains(" case gone([String: Value] = [:])\n"))
    #expect(!text.contains("rows["))
  }

  @Test(arguments: [
    (
      "---@type Itme\nstate = {},", "---@class Item\n---@field a string",
      "feature.lua:6: there is no type 'Itme'; did you mean 'Item'?"
    ),
    (
      "---@type Item\nstate = {},", "---@class Item\n---@field a Unheard",
      "feature.lua:3: there is no type 'Unheard'; declare it with ---@class or ---@alias, or write "
        + "any"
    ),
    (
      "state = { a = 1 }, ---@type { a: }", "",
      "feature.lua:4: the annotation '{ a: }' is no type: '}' begins no type"
    ),
    (
      "---@type Item\nstate = {},", "---@class Item\n---@field a fun(): string",
      "feature.lua:3: 'a' is a function here, which neither a state nor an action can hold; write "
        + "another type"
    ),
    (
      "---@type Item\nstate = {},",
      "---@class Item\n---@field a Part\n---@class Part\n---@field b Part?",
      "feature.lua:5: 'Part' contains itself, and a struct of Swift cannot; make the field a list"
    ),
    (
      "---@type Item\nstate = {},", "---@class Item\n---@field a Item?",
      "feature.lua:3: 'Item' contains itself, and a struct of Swift cannot; make the field a list"
    ),
    (
      "---@type Item\nstate = {},",
      "---@class Item\n---@field a Part\n---@class Part\n---@field b Item?",
      "feature.lua:5: 'Item' contains itself, and a struct of Swift cannot; make the field a list"
    ),
    (
      "---@type string\nstate = {},", "",
      "feature.lua:4: the type of a state is a class or { name: type, … }; declare one with ---@class"
    ),
    (
      "on = {\n---@param action string\ngo = function(state, action) end },", "",
      "feature.lua:5: the type of an action is a class or { name: type, … }; the fields are those of "
        + "its payload"
    ),
    (
      "---@type A\nstate = {},", "---@class A: B\n---@class B: A",
      "feature.lua:3: the class 'A' is a parent of itself"
    ),
  ])
  func whatMeansNothingIsAnErrorWithItsPlace(fields: String, lines: String, message: String) throws
  {
    #expect(try TemporaryScripts.error(fields, below: lines) == message)
  }

  @Test(arguments: ["[]", "?"])
  func aTypeWithTooManySuffixesNestsTooDeep(suffix: String) throws {
    let type = "integer" + String(repeating: suffix, count: 200)
    let error = try TemporaryScripts.error("state = { a = 1 }, ---@type \(type)")
    #expect(error.hasSuffix("the type nests too deep"))
  }

  @Test func theChildOfAPullbackHasAFieldAndACaseAndIsNotPartOfTheParent() throws {
    let scripts = try TemporaryScripts([
      "app.lua": """
      local scripted = require "scripted"
      local App = scripted.feature { name = "App", state = { title = "" } }
      return scripted.combine { require("counter"):pullback { state = "counter" }, App }
      """,
      "counter.lua": """
      return require("scripted").feature { name = "Counter", state = { count = 0 }, on = { up = function() end } }
      """,
    ])
    let text = try scripts.types("app").text
    let lines = text.split(separator: "\n")
    #expect(lines.contains("  var counter: CounterState"), "\(text)")
    #expect(lines.contains("  case counter(CounterAction)"), "\(text)")
    #expect(lines.count { $0 == "  var count: Int" } == 1, "\(text)")
  }

  @Test func anActionOfAnAlertMayHaveTheNameOfOneOfTheOperators() throws {
    let scripts = try TemporaryScripts([
      "app.lua": """
      local scripted = require "scripted"
      local App = scripted.feature {
        name = "App", state = {},
        on = { ["sheet.dismiss"] = function() end, ["sheet.alert.dismiss"] = function() end },
      }
      return App:ifLet("sheet", scripted.cases { alert = scripted.ephemeral })
      """
    ])
    let text = try scripts.types("app").text
    #expect(text.split(separator: "\n").count { $0 == "  case dismiss" } == 1, "\(text)")
  }

  @Test func namesThatSwiftCannotTellApartAreAnError() throws {
    #expect(
      try TemporaryScripts.error("state = {\n[\"a-b\"] = 1,\n[\"a b\"] = 2 },")
        == "feature.lua:6: the fields 'a b' and 'a-b' (feature.lua:5) both become 'aB' in Swift; rename "
        + "one of them")
    #expect(
      try TemporaryScripts.error(
        "on = {\n[\"a-b\"] = function() end,\n[\"a b\"] = function() end },")
        == "feature.lua:6: the actions 'a b' and 'a-b' (feature.lua:5) both become 'aB' in Swift; rename "
        + "one of them")
    #expect(
      try TemporaryScripts.error(
        "on = {\n[\"sync_up.save\"] = function() end,\n[\"syncUp.save\"] = function() end },")
        == "feature.lua:6: the types of 'syncUp' and 'sync_up' both become 'FAction.SyncUp'; rename one "
        + "of them")
    let scripts = try TemporaryScripts([
      "app.lua": """
      local scripted = require "scripted"
      local App = scripted.feature { name = "Row", state = {} }
      return App:ifLet("row", require "row")
      """,
      "row.lua": "return require('scripted').feature { name = 'Row', state = {} }",
    ])
    #expect {
      try scripts.types("app")
    } throws: { error in
      "\(error)"
        == "row.lua:1: the feature 'Row' and the feature 'Row' (app.lua:2) both become the "
        + "Swift type 'RowState'; rename one of them"
    }
  }

  @Test func noTypeHidesOneThatGeneratedCodeNames() throws {
    let text = try TemporaryScripts.types(
      "---@type A\nstate = {},",
      below: "---@class A\n---@field scope ScriptScope\n---@class ScriptScope\n---@field n integer")
    #expect(text.contains("struct ScriptScopeValue:"))
    let scripts = try TemporaryScripts([
      "f.lua": "return require('scripted').feature { name = 'Script', state = {} }"
    ])
    #expect {
      try scripts.types("f")
    } throws: { error in
      "\(error)"
        == "f.lua:1: the feature 'Script' and the protocol of all actions both become the Swift type "
        + "'ScriptAction'; rename one of them"
    }
    #expect(try scripts.types("f", name: "Lua").text.contains("struct LuaState:"))
  }

  @Test func aNameForOneFeatureBeginsItsTypesAnotherOneIsRefused() throws {
    let scripts = try TemporaryScripts([
      "f.lua": "return require('scripted').feature { state = {} }"
    ])
    #expect(try scripts.types("f").text.contains("struct FState:"))
    #expect(try scripts.types("f", name: "Inbox").text.contains("struct InboxState:"))
    #expect(throws: (any Error).self) { try scripts.types("f", name: "in box") }
  }
}

import Testing

/// Children that views place.
struct PlacementFindingTests {
  private static let children = """
    local Row = scripted.feature { name = "Row", view = function() return "row" end }
    """
  private static let attached = """
    :forEach("rows", Row):scope("settings", Row):ifLet("editor", Row):stack("path", Row)
    """
  private static let state = "state = { rows = {}, settings = {}, path = {} },"

  @Test(arguments: [
    CheckCase(
      "misspelt",
      view: """
        return ui.column {
          ui.child "setings", ui.forEach "row", ui.navigation { path = "pth", "root" },
          sheet = "edit", cover = "editr",
        }
        """, fields: state, above: children, below: attached,
      [
        "app.lua:6:12: error: ui.child \"setings\": App has no child with the action \"setings\"; did you "
          + "mean \"settings\"? [unknown-child]",
        "app.lua:6:34: error: ui.forEach \"row\": App has no child with the action \"row\"; did you mean "
          + "\"rows\"? [unknown-child]",
        "app.lua:6:64: error: ui.navigation \"pth\": App has no child with the action \"pth\"; did you "
          + "mean \"path\"? [unknown-child]",
        "app.lua:7:11: error: sheet \"edit\": App has no child with the action \"edit\"; did you mean "
          + "\"editor\"? [unknown-child]",
        "app.lua:7:27: error: cover \"editr\": App has no child with the action \"editr\"; did you mean "
          + "\"editor\"? [unknown-child]",
      ]),
    CheckCase(
      "placed in another way",
      view: """
        return ui.column {
          ui.child "rows", ui.child "path", ui.forEach "editor", ui.navigation { path = "rows", "root" },
          ui.child(), popover = "rows",
        }
        """, fields: state, above: children, below: attached,
      [
        "app.lua:6:12: error: ui.child \"rows\": \"rows\" is a list of App, not one child; place its rows "
          + "by ui.forEach \"rows\" [unknown-child]",
        "app.lua:6:29: error: ui.child \"path\": \"path\" is a list of App, not one child; place it by "
          + "ui.navigation { path = \"path\", … } [unknown-child]",
        "app.lua:6:48: error: ui.forEach \"editor\": App has one child under this action; place it by "
          + "ui.child \"editor\" [unknown-child]",
        "app.lua:6:81: error: ui.navigation \"rows\": \"rows\" is no stack; place its rows by "
          + "ui.forEach \"rows\" [unknown-child]",
        "app.lua:7:3: error: ui.child without a name shows the present case, and App has no cases; give it "
          + "the action name of a child, as ui.child \"settings\" [unknown-child]",
        "app.lua:7:25: error: popover \"rows\": \"rows\" is a list of App, not one child; place its rows "
          + "by ui.forEach \"rows\" [unknown-child]",
      ]),
    CheckCase(
      "a presentation of what is only a field of the state",
      view: #"return ui.screen { alert = "alert" }"#,
      fields: "state = {}, on = { go = function(state) state.alert = { title = 'Oops' } end },",
      beside: ["a_test.lua": "local _ = 'go'"],
      [
        "app.lua:5:28: error: alert \"alert\": App has no child with the action \"alert\"; attach it by an "
          + "operator, as scope, ifLet or forEach [unknown-child]"
      ]),
    CheckCase(
      "cases: one that is misspelt, and a value that is no alert",
      view: #"return ui.screen { alert = "destination.alrt", sheet = "destination.alert" }"#,
      above: """
        local Destination = scripted.cases { alert = scripted.ephemeral, add = scripted.ignored }
        """, below: #":ifLet("destination", Destination)"#,
      [
        "app.lua:5:28: error: alert \"destination.alrt\": cases at scripts/app.lua:3 has no child with "
          + "the action \"alrt\"; did you mean \"alert\"? [unknown-child]",
        "app.lua:5:56: error: sheet \"destination.alert\" is a value that no reducer runs on, so it has no "
          + "view; present it as an alert or a dialog [unknown-child]",
      ]),
    CheckCase(
      "a child without a view, and a case without one",
      view: """
        return ui.column { ui.child "mute", ui.forEach "mutes", ui.child "destination" }
        """,
      fields: "state = { mute = {}, mutes = {} },",
      above: """
        local Mute = scripted.feature { name = "Mute" }
        """,
      below:
        #":scope("mute", Mute):forEach("mutes", Mute):ifLet("destination", scripted.cases { a = Mute })"#,
      [
        "app.lua:5:29: error: ui.child \"mute\" shows Mute, which has no view; give it `view = "
          + "function(state) … end` [missing-view]",
        "app.lua:5:48: error: ui.forEach \"mutes\" shows Mute, which has no view; give it `view = "
          + "function(state) … end` [missing-view]",
        "app.lua:5:66: error: ui.child \"destination\" shows Mute, which has no view; give it `view = "
          + "function(state) … end` [missing-view]",
      ]),
  ])
  func aChildThatIsNotAttachedOrInAnotherWayIsAnErrorWithTheRemedy(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "each kind, and under another action",
      view: """
        local name = "set" .. "tings"
        return ui.column {
          ui.child "settings", ui.child "editor", ui.child(name), ui.forEach "rows",
          ui.forEach("page", { where = function(row) return row.isShown end }),
          ui.navigation { path = "path", ui.text "root" }, sheet = "editor", cover = state.cover,
        }
        """,
      fields: "state = { rows = {}, settings = {}, path = {}, pages = {}, cover = 'editor' },",
      above: children, below: attached + #":forEach("pages", Row, { action = "page" })"#,
      []),
    CheckCase(
      "cases, their alert, and an alert by itself",
      view: """
        return ui.screen {
          sheet = "destination.add", alert = "destination.alert", dialog = "question",
          ui.child "destination.add",
        }
        """,
      above: """
        local Row = scripted.feature { view = function() return "row" end }
        local Destination = scripted.cases { alert = scripted.ephemeral, add = Row }
        """, below: #":ifLet("destination", Destination):ifLet("question", scripted.ephemeral)"#,
      []),
    CheckCase(
      "the present case",
      [
        "app.lua": """
        local scripted, ui = require "scripted", require "scripted.ui"
        local One = scripted.feature { view = function() return "one" end }
        return scripted.cases { one = One, two = One }:view(function()
          return ui.column { "Above", ui.child() }
        end)
        """
      ], []),
    CheckCase(
      "attached where the feature is used, in another script",
      [
        "app.lua": """
        local ui = require "scripted.ui"
        return require("scripted").feature {
          name = "App", state = { rows = {} },
          view = function() return ui.list { ui.forEach "rows" } end,
        }
        """,
        "whole.lua": """
        local Row = require("scripted").feature { view = function() return "row" end }
        return require("app"):forEach("rows", Row)
        """,
      ], []),
    CheckCase(
      "a feature that contains itself",
      [
        "app.lua": """
        local scripted, ui = require "scripted", require "scripted.ui"
        local App
        App = scripted.feature {
          name = "App", state = { rows = {} }, view = function() return ui.list { ui.forEach "rows" } end,
        }:forEach("rows", function() return App end)
        return App
        """
      ], []),
    CheckCase(
      "a component of a module, whose feature is unknown",
      [
        "component.lua": """
        local ui = require "scripted.ui"
        return function(name) return ui.column { ui.child "anything", ui.child(name) } end
        """
      ], []),
  ])
  func aChildThatSomeScriptAttachesIsNoMistake(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}

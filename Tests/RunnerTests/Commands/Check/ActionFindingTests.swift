import Testing

/// What is found of actions.
struct ActionFindingTests {
  @Test(arguments: [
    CheckCase(
      "as text, as a table, as an effect, in a function that gets send",
      feature: """
        on = {
          tapped = function() return effect.merge(effect.send("gone"), effect.run(function(send)
            send("go.now")
            send { type = "tappd", by = 1 }
            tell(send)
          end)) end,
          go = function() end,
        },
        """,
      above: #"local function tell(send) send("listd", { x = 1 }) end"#,
      [
        "app.lua:3:32: warning: App sends \"listd\", which nothing handles; if it is meant for a "
          + "parent, list it in `actions` [unhandled-action]",
        "app.lua:6:55: warning: App sends \"gone\", which nothing handles; if it is meant for a "
          + "parent, list it in `actions` [unhandled-action]",
        "app.lua:8:10: warning: App sends \"tappd\", which nothing handles; did you mean "
          + "\"tapped\"? [unhandled-action]",
      ]),
    CheckCase(
      "of a child",
      feature: """
        on = { tapped = function() return effect.run(function(send)
          send("rows[3].bang")
          send("rows[3].bng")
          send { type = "rows", id = 3, action = { type = "pow" } }
          send("child.dismiss")
          send("child.bng")
        end) end },
        """,
      above: #"local Child = scripted.feature { on = { bang = function() end } }"#,
      below: #":forEach("rows", Child):ifLet("child", function() return Child end)"#,
      [
        "app.lua:7:8: warning: App sends \"bng\", in \"rows[3].bng\", which nothing handles; did you "
          + "mean \"bang\"? [unhandled-action]",
        "app.lua:8:8: warning: App sends \"pow\", in \"rows.pow\", which nothing handles; if it is "
          + "meant for a parent, list it in `actions` [unhandled-action]",
        "app.lua:10:8: warning: App sends \"bng\", in \"child.bng\", which nothing handles; did you "
          + "mean \"bang\"? [unhandled-action]",
      ]),
    CheckCase(
      "of an alarm",
      feature: """
        on = { tapped = function() return effect.alarm("a", 30, "goo") end, go = function() end },
        """,
      [
        "app.lua:5:57: warning: App sends \"goo\", which nothing handles; did you mean \"go\"? "
          + "[unhandled-action]"
      ]),
    CheckCase(
      "of a group of its own",
      feature: """
        on = {
          tapped = function() return effect.merge(effect.send("group.b"), effect.send("group.a")) end,
          ["group.a"] = function() end,
        },
        """,
      [
        "app.lua:6:55: warning: App sends \"b\", in \"group.b\", which nothing handles; did you "
          + "mean \"a\"? [unhandled-action]"
      ]),
    CheckCase(
      "a binding that nothing writes",
      feature: #"on = { tapped = function() return effect.send("binding.name", 3) end },"#,
      [
        "app.lua:5:47: warning: App sends \"binding.name\", which nothing handles; if it is meant "
          + "for a parent, list it in `actions` [unhandled-action]"
      ]),
    CheckCase(
      "a malformed path",
      feature: #"on = { tapped = function() return effect.send("go[") end },"#,
      [
        "app.lua:5:47: error: malformed action path \"go[\": a bracket is not closed "
          + "[unknown-action]"
      ]),
    CheckCase(
      "handled, listed, by a pattern, by a reducer beside, by any",
      feature: """
        actions = { "listed" }, binding = true,
        on = {
          tapped = function(state, action) return effect.run(function(send)
            send("go", { by = 1 })
            send("listed.any.thing")
            send("response", { result = effect.result(print) })
            send("beside")
            send("binding.user.name", 3)
            send(action.next)
            send(("row%d"):format(3))
            send("path.push", { state = {} })
          end) end,
          go = function() end,
          ["response.result.success"] = function() end,
        },
        """,
      above: #"local Beside = scripted.feature { on = { beside = function() end } }"#,
      below: #":stack("path", scripted.cases { any = scripted.reduce(function() end) })"#,
      beside: [
        "whole.lua": """
        local scripted = require "scripted"
        return scripted.combine { require "app", scripted.feature { on = { beside = function() end } } }
        """
      ],
      []),
    CheckCase(
      "mapped to others",
      feature: """
        on = {
          tapped = function() return load():map(function(a) return { type = "go", answer = a } end) end,
          go = function()
            return effect.run(function(send) send("inner") end):cancellable("x"):map(function() return "go" end)
          end,
        },
        """,
      above: #"local function load() return effect.run(function(send) send("loaded") end) end"#,
      []),
    CheckCase(
      "in Feature.actions",
      [
        "child.lua": """
        local scripted = require "scripted"
        return scripted.feature { name = "Child", on = { bang = function() end } }
        """,
        "a_test.lua": """
        local Child = require "child"
        it("bangs", function() return Child.actions.bang {}, Child.actions.bng {} end)
        """,
      ],
      ["a_test.lua:2:68: error: Child has no action 'bng'; did you mean 'bang'? [unknown-action]"]
    ),
    CheckCase(
      "in Feature.actions of the same script",
      feature: """
        on = { tapped = function()
          return effect.send { type = "row", action = Row.actions.bng() }, Row.actions.bang()
        end },
        """,
      above: #"local Row = scripted.feature { name = "Row", on = { bang = function() end } }"#,
      below: #":scope("row", Row)"#,
      ["app.lua:6:59: error: Row has no action 'bng'; did you mean 'bang'? [unknown-action]"]),
  ])
  func anActionThatNothingHandlesIsAWarningWhereItIsSent(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  private static let form = """
    local scripted = require "scripted"
    return scripted.feature { name = "Form",
      actions = { "delegate.saved", "listed" },
      on = { tapped = function() return scripted.effect.send("delegate.saved") end },
    }
    """

  @Test(arguments: [
    CheckCase(
      "no handler", feature: "on = {},", above: "local Form = require 'form'",
      below: ":scope('form', Form)", beside: ["form.lua": form],
      [
        "form.lua:3:15: hint: Form sends \"delegate.saved\" to its parent, and no feature handles it; "
          + "handle it in the parent, unless the host observes it [unheard-action]"
      ]),
    CheckCase(
      "a handler", feature: "on = { ['form.delegate.saved'] = function() end },",
      above: "local Form = require 'form'", below: ":scope('form', Form)",
      beside: ["form.lua": form], []),
    CheckCase(
      "a handler of the whole group",
      feature: "on = { ['forms[*].delegate'] = function() end }, state = { forms = {} },",
      above: "local Form = require 'form'", below: ":forEach('forms', Form)",
      beside: ["form.lua": form], []),
    CheckCase(
      "a handler of an action of any element",
      feature: "on = { ['form.rows[*].saved'] = function() end },",
      above: "local Form = require 'form'", below: ":scope('form', Form)",
      beside: [
        "form.lua": form.replacing("delegate.saved", with: "rows[3].saved")
      ], []),
    CheckCase(
      "a feature that sees all actions", feature: "reduce = function() end,",
      above: "local Form = require 'form'", below: ":scope('form', Form)",
      beside: ["form.lua": form], []),
    CheckCase(
      "no parent", ["form.lua": form, "a_test.lua": "it('x', function() return 'tapped' end)"], []
    ),
  ])
  func anActionThatAChildListsForItsParentAndNoFeatureHandlesIsAHint(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  private static let load = """
    tapped = function() return effect.run(function(send, deps)
      send("go", { result = effect.result(deps.http.get, "/") })
    end) end,
    """

  @Test(arguments: [
    CheckCase(
      "only its success",
      feature: """
        dependencies = { "http" }, on = { ["go.result.success"] = print,
        \(load)
        },
        """,
      [
        "app.lua:5:36: warning: App handles \"go.result.success\", and nothing handles the failure; handle "
          + "\"go.result.failure\" too [unhandled-failure]"
      ]),
    CheckCase(
      "its failure too",
      feature: """
        dependencies = { "http" }, on = { ["go.result.success"] = print, ["go.result.failure"] = print,
        \(load)
        },
        """, []),
    CheckCase(
      "the whole action",
      feature: """
        dependencies = { "http" }, on = { ["go.result.success"] = print, go = print,
        \(load)
        },
        """, []),
    CheckCase(
      "its parent handles the failure",
      feature: """
        dependencies = { "http" }, on = { ["go.result.success"] = print,
        \(load)
        },
        """,
      beside: [
        "whole.lua": """
        local scripted = require "scripted"
        return scripted.feature { on = { ["app.go.result"] = print } }:scope("app", require "app")
        """
      ], []),
    CheckCase(
      "a feature that sees all actions",
      feature: """
        dependencies = { "http" }, on = { ["go.result.success"] = print,
        \(load)
        }, reduce = function() end,
        """, []),
    CheckCase(
      "a result that the script looks at itself",
      feature: """
        on = { ["go.result.success"] = print, tapped = function()
          return effect.run(function(send)
            local result = effect.result(print)
            if result.success then send("go", { result = result }) end
          end)
        end },
        """, []),
  ])
  func aResultWhoseFailureNothingHandlesIsAWarning(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "nearly",
      feature: """
        on = {
          tapped = function() return effect.run(print):cancellable("search") end,
          go = function() return effect.cancel("serach") end,
        },
        """,
      [
        "app.lua:7:40: hint: effect.cancel gets the id \"serach\", which no effect here has; did you mean "
          + "\"search\"? [unknown-cancel]"
      ]),
    CheckCase(
      "nearly that of an alarm",
      feature: """
        on = {
          tapped = function() return effect.merge(effect.alarm("turnEnd", 1, "go"), effect.cancel("turnEdn")) end,
          go = function() return effect.cancelAlarm("turnEdn") end,
          listed = function() return effect.cancelAlarm("trunEnd") end,
        },
        """,
      [
        "app.lua:8:49: hint: effect.cancelAlarm gets the id \"trunEnd\", which no alarm here has; did you "
          + "mean \"turnEnd\"? [unknown-cancel]"
      ]),
    CheckCase(
      "an id of an effect, of another script, a short one, and another one",
      feature: """
        on = {
          tapped = function() return effect.run(print):cancellable("row1"):throttle("rows", 1) end,
          go = function() return effect.merge(effect.cancel("row1"), effect.cancel("row2"),
            effect.cancel("rows"), effect.cancel("roo"), effect.cancel("somewhere else")) end,
        },
        """, beside: ["more.lua": #"return "row2""#], []),
  ])
  func anIdOfEffectCancelThatIsNearlyOneOfAnEffectIsAHint(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "named nowhere", feature: "on = {\n  left = function() end,\n},",
      [
        "app.lua:6:3: hint: no script, test or file of actions sends \"left\"; test it if the host "
          + "sends it [unsent-action]"
      ]),
    CheckCase("the store sends it", feature: "on = { recovered = print },", []),
    CheckCase(
      "named in a script, a test, or a file of actions",
      feature: "on = { a = f, b = f, c = f, d = f, [\"x.y\"] = f },",
      above: """
        local function f() return effect.send("a") end
        """,
      beside: [
        "b_test.lua": "it('x', function(store) store:send(('x[%d].b'):format(3)) end)",
        "c.lua": "return function(Feature) return Feature.actions.c() end",
        "examples/d.jsonl": #"{ "type": "d" }"#,
      ], []),
  ])
  func aHandlerOfAnActionThatNobodyNamesIsAHint(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}

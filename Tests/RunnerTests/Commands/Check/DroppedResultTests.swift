import Testing

/// Results that a script makes and drops.
struct DroppedResultTests {
  @Test(arguments: [
    CheckCase(
      "a table", feature: "on = { go = function(state) state = { n = 1 } end },",
      [
        "app.lua:5:29: warning: this assigns a table to the handler's parameter, so the state stays as "
          + "it is; assign its fields, as in state.count = 0, or call scripted.replace(state, { … }) "
          + "[dropped-result]"
      ]),
    CheckCase(
      "a part of the state, and another local",
      feature: """
        state = { part = { n = 0 } },
        on = { go = function(state)
          local other
          other = { 1 }
          state = state.part
          state.n = other[1]
        end },
        """, []),
  ])
  func aTableThatAHandlerAssignsToItsParameterIsNotTheState(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "a statement",
      feature: #"on = { go = function() effect.send("tapped") end, tapped = print },"#,
      [
        "app.lua:5:24: warning: the effect that effect.send returns is dropped, so it never runs; "
          + "return it, several with effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "a statement with a method",
      feature: #"on = { go = function() effect.run(print):cancellable("go") end },"#,
      [
        "app.lua:5:24: warning: the effect that effect.run returns is dropped, so it never runs; "
          + "return it, several with effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "in a function that a handler calls", feature: "on = { go = function() finish() end },",
      above: "local function finish() effect.cancel('go') effect.merge(effect.none) end",
      [
        "app.lua:3:45: warning: the effect that effect.merge returns is dropped, so it never runs; "
          + "return it, several with effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "inside an effect",
      feature: """
        on = { go = function() return effect.run(function(send)
          effect.send("tapped")
          effect.cancel("x")
        end) end, tapped = print },
        """,
      [
        "app.lua:6:3: warning: the effect that effect.send returns is dropped, so it never runs; "
          + "inside an effect call send(…) [dropped-result]"
      ]),
    CheckCase(
      "an alarm, in a handler and inside an effect",
      feature: """
        on = { go = function()
          effect.alarm("a", 1, "tapped")
          return effect.run(function(send)
            effect.alarm("a", 1, "tapped")
            effect.cancelAlarm("a")
          end)
        end, tapped = print },
        """,
      [
        "app.lua:6:3: warning: the effect that effect.alarm returns is dropped, so it never runs; "
          + "return it, several with effect.merge(a, b) [dropped-result]",
        "app.lua:8:5: warning: the effect that effect.alarm returns is dropped, so it never runs; "
          + "inside an effect send an action, whose handler returns it [dropped-result]",
        "app.lua:9:5: warning: the effect that effect.cancelAlarm returns is dropped, so it never runs; "
          + "inside an effect send an action, whose handler returns it [dropped-result]",
      ]),
    CheckCase(
      "a cancellation in a handler",
      feature: #"on = { go = function() effect.cancel("x") end },"#,
      [
        "app.lua:5:24: warning: the effect that effect.cancel returns is dropped, so it never runs; "
          + "return it, several with effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "a second returned effect",
      feature: """
        on = { go = function()
          local again = effect.send("go")
          return effect.send("tapped"), again
        end, tapped = print },
        """,
      [
        "app.lua:7:33: warning: a handler returns one effect, so this one is dropped; "
          + "return effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "a second effect in onChange", feature: "state = { count = 0 },",
      below: ":onChange('count', function() return nil, effect.run(print) end)",
      [
        "app.lua:6:44: warning: a handler returns one effect, so this one is dropped; "
          + "return effect.merge(a, b) [dropped-result]"
      ]),
    CheckCase(
      "of a local function, and in a local that nothing uses",
      feature: """
        on = { go = function(state)
          local later = effect.send("tapped")
          save(state.title)
          save(state.title):cancellable("save")
        end, tapped = print },
        """,
      above: """
        local function save(title)
          if not title then return end
          return effect.run(function() print(title) end)
        end
        """,
      [
        "app.lua:9:17: warning: the effect that effect.send returns stays in the local 'later', so it never "
          + "runs; return it, several with effect.merge(a, b) [dropped-result]"
      ]
        + [10, 11].map { line in
          "app.lua:\(line):3: warning: the effect that save returns is dropped, so it never runs; return it, "
            + "several with effect.merge(a, b) [dropped-result]"
        }),
    CheckCase(
      "functions that return other values too, that cancel, and a local that is not needed",
      feature: """
        on = { go = function(state)
          local _later, used = effect.send("tapped"), effect.send("tapped")
          load(state)
          return effect.merge(used, effect.run(function() stop() end))
        end, tapped = print },
        """,
      above: """
        local function load(state) if state.a then return false end return effect.send("go") end
        local function stop() return effect.cancel("go") end
        """, []),
    CheckCase(
      "effects that are used",
      feature: """
        on = { go = function(state)
          local later = effect.send("tapped")
          if state.count then return effect.merge(later, both()) end
          local list = { effect.run(print) }
          return effect.merge(list)
        end, tapped = function() print(effect.send("go")) return (pair()) end },
        """,
      above: """
        local function both() return effect.concatenate { effect.send("go"), effect.none } end
        local function pair() return effect.send("go"), effect.send("tapped") end
        """, []),
    CheckCase(
      "a test may make one to see that it raises",
      [
        "a_test.lua": """
        local effect = require("scripted").effect
        it("raises", function() assert.has_error(function() effect.send(5) end) end)
        """
      ], []),
  ])
  func anEffectThatIsNotReturnedNeverRuns(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test func runnerTestAndRunnerDevWarnOfWhatTheScriptsThatTheyLoadDrop() throws {
    let project = try TestProject([
      "app.lua": """
      local scripted = require "scripted"
      local part = require "part"
      return scripted.feature { on = { go = function() part() end } }
      """,
      "part.lua": """
      local effect = require("scripted").effect
      return function() effect.send("done") end
      """,
      "other.lua": "require('scripted').effect.send('x')",
      "app_test.lua": "local App = require 'app' it('a', function() assert.is_table(App) end)",
    ])
    let warning = """
      warning[dropped-result]: scripts/part.lua:2: the effect that effect.send returns is dropped, so \
      it never runs; return it, several with effect.merge(a, b)

      """
    let tests = try project.run()
    #expect(tests.status == 0)
    #expect(tests.errors == warning)
    let dev = try RunnerProcess.run(
      ["dev", "app"], input: "go\n", environment: project.environment(),
      in: project.folder.folder)
    #expect(dev.status == 0)
    #expect(dev.output.hasPrefix(warning + "1 go\n"))
  }

  @Test(arguments: [
    CheckCase(
      "an operator as a statement",
      [
        "a.lua": """
        local scripted = require "scripted"
        local A = scripted.feature {}
        A:ifLet("sheet", scripted.empty)
        return A
        """
      ],
      [
        "a.lua:3:1: warning: the reducer that ifLet returns is dropped; return it: operators leave "
          + "their reducer as it is [dropped-result]"
      ]),
    CheckCase(
      "a view as a statement",
      [
        "a.lua": """
        local scripted = require "scripted"
        local A = scripted.feature {}
        A:view(function() return "A" end)
        return A
        """
      ],
      [
        "a.lua:3:1: warning: the reducer that view returns is dropped; return it: operators leave "
          + "their reducer as it is [dropped-result]"
      ]),
    CheckCase(
      "a feature as a statement",
      ["a.lua": "local scripted = require 'scripted'\nscripted.feature { name = 'A' }"],
      [
        "a.lua:2:1: warning: the reducer that scripted.feature returns is dropped; return it, or "
          + "assign it to a local [dropped-result]"
      ]),
    CheckCase(
      "a script without its return",
      [
        "a.lua": """
        local scripted = require "scripted"
        local A = scripted.feature { name = "A" }
        local B = A:ifLet("sheet", scripted.empty)
        """
      ],
      [
        "a.lua:2:11: warning: the script makes the feature A and returns nothing; end the script "
          + "with `return` and the feature [dropped-result]"
      ]),
    CheckCase(
      "features that are reached in another way, and scripts that only declare",
      [
        "a.lua": """
        local scripted = require "scripted"
        local list = require "list"
        local A = scripted.feature {}
        list.add(A)
        """,
        "b.lua": """
        local scripted = require "scripted"
        require("list").B = scripted.feature {}
        """,
        "c.lua": "require('scripted').dependency { name = 'api', live = {} }",
        "d.lua": """
        local scripted = require "scripted"
        local D = scripted.feature {}
        D = D:printActions()
        local function unused() scripted.equals(1, 2) end
        return D, unused
        """,
        "list.lua": "local list = { add = function() end } return list",
      ], []),
  ])
  func aReducerThatIsNotReturnedIsNotComposed(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}

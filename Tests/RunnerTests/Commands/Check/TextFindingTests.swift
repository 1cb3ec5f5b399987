import Testing

/// What is found in the text of scripts.
struct TextFindingTests {
  @Test(arguments: [
    CheckCase(
      "a global that is read", ["a.lua": "return function(state)\n  return stat.x\nend"],
      ["a.lua:2:10: error: global 'stat' is not declared; did you mean 'state'? [unknown-global]"]
    ),
    CheckCase(
      "a global that is written, as a function too",
      ["a.lua": "return function()\n  x = 1\n  function y() end\nend"],
      [
        "a.lua:2:3: error: global 'x' is not declared; use 'local' [unknown-global]",
        "a.lua:3:12: error: global 'y' is not declared; use 'local' [unknown-global]",
      ]),
    CheckCase(
      "what stock Lua has, with what to use", ["a.lua": "return function() io.write() end"],
      [
        "a.lua:1:19: error: global 'io' is not available to scripts; use a dependency "
          + "[unknown-global]"
      ]),
    CheckCase(
      "a local that comes later",
      ["a.lua": "local function a() return total() end\nlocal function total() return a() end"],
      [
        "a.lua:1:27: error: global 'total' is not declared; a local of this name is declared "
          + "further down, or in another block [unknown-global]"
      ]),
    CheckCase(
      "a name of tests outside of them", ["a.lua": "return function() return spy() end"],
      ["a.lua:1:26: error: global 'spy' is not declared [unknown-global]"]),
    CheckCase(
      "names as Lua resolves them",
      [
        "a.lua": """
        local a <const>, b = 1, 2
        local function f(x, ...) local y = x return y, a, select("#", ...) end
        for i = 1, 2 do for k, v in pairs { i } do f(i, k, v) end end
        repeat local done = true until done
        local object = { list = { of = {} } }
        function object.list.of:names(n) return self, n, b end
        goto over
        do local x = { x = a; [b] = f, 3 } print(x.x, x["y"], #x, -a, ~a, not b) end
        ::over::
        local text = [==[ undeclared ]] ]==] .. 'un\\'declared' -- undeclared
        --[[ undeclared
        ]] print(0x1p-4, 3e+2, .5, 1 ..2, text:rep(2), ("%d"):format(3), f"x", f{ 1 }, f[[x]])
        local function inner() local _ENV = { z = 1 } return z end
        while not inner() and a // b >= 3 do break end
        if a then print(a) elseif b then print(b) else print() end
        return function(t) t.x, t.y = t.y, function() return t, inner end end
        """
      ], []),
    CheckCase(
      "a local is gone behind its block, and not there in its own value",
      ["a.lua": "do local x = 1 print(x) end\nlocal f = function() return f, x end\nreturn f"],
      [
        "a.lua:2:29: error: global 'f' is not declared; a local of this name is declared further "
          + "down, or in another block [unknown-global]",
        "a.lua:2:32: error: global 'x' is not declared; a local of this name is declared further "
          + "down, or in another block [unknown-global]",
      ]),
    CheckCase(
      "columns are characters", ["a.lua": "return function() return 'Łódź', foo end"],
      ["a.lua:1:34: error: global 'foo' is not declared [unknown-global]"]),
    CheckCase(
      "functions that a module does not have",
      feature: """
        on = { tapped = function(state)
          local list = scripted.list
          return effect.canel("x"), list.finde(state), scripted.snapshott(state), string.fomat()
        end },
        """,
      [
        "app.lua:7:17: error: scripted.effect has no 'canel'; did you mean 'cancel'? "
          + "[unknown-field]",
        "app.lua:7:34: error: scripted.list has no 'finde'; did you mean 'find'? [unknown-field]",
        "app.lua:7:57: error: scripted has no 'snapshott'; did you mean 'snapshot'? "
          + "[unknown-field]",
        "app.lua:7:82: error: string has no 'fomat'; did you mean 'format'? [unknown-field]",
      ]),
    CheckCase(
      "functions that a module has",
      feature: """
        on = { tapped = function(state)
          local list = scripted.list
          string.title = string.upper
          list = { finde = print }
          return effect.cancel("x"), list.finde(state), scripted.json.encode(state), string.title,
            table.concat, math.pi
        end },
        """, []),
    CheckCase(
      "functions of stock Lua that scripts do not have, and those that only raise",
      ["a.lua": "return function() return os.getenv('HOME'), math.random(), os.time end"],
      [
        "a.lua:1:29: error: os.getenv is not available to scripts; the host can offer the value as a "
          + "dependency [unknown-field]",
        "a.lua:1:50: error: math.random differs from run to run; declare the dependency 'random' and "
          + "use deps.random [unknown-field]",
      ]),
    CheckCase(
      "functions that raise where they would tell the present time",
      [
        "a.lua": """
        local now = os.time
        return function(at, ...)
          print(os.time(), os.date("%c"), now())
          return os.time { year = 2020, month = 1, day = 1 }, os.date("%c", at), os.date(...)
        end
        """
      ],
      [(12, "time() "), (23, "date() of now "), (35, "time() ")].map { column, start in
        "a.lua:3:\(column): error: os.\(start)differs from run to run; declare the dependency 'date' and "
          + (start.hasPrefix("date") ? "give os.date the time" : "use")
          + " deps.date.now() [unknown-field]"
      }),
    CheckCase(
      "functions of tests",
      [
        "a_test.lua": "local test = require 'scripted.test'\nlocal f = function() test.clok() end"
      ],
      [
        "a_test.lua:2:27: error: scripted.test has no 'clok'; did you mean 'clock'? "
          + "[unknown-field]"
      ]),
  ])
  func namesThatNobodyDeclaresAreFoundInFunctionsThatNeverRun(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "declared and not there", feature: #"dependencies = { "clock", "dat" },"#,
      [
        "app.lua:5:27: error: there is no dependency 'dat'; did you mean 'date'? "
          + "[unknown-dependency]"
      ]),
    CheckCase(
      "overridden and not there",
      [
        "app.lua": """
        local App = require("scripted").feature { name = "App" }
        return App:dependency("clok", {})
        """
      ],
      [
        "app.lua:2: error: dependency at scripts/app.lua:2: there is no dependency 'clok'; did you mean "
          + "'clock'? [unknown-dependency]"
      ]),
    CheckCase(
      "used and not declared, in a handler and in what it starts",
      feature: """
        dependencies = { "clock" },
        on = { tapped = function(state, _, deps)
          state.id = deps.uuid()
          return effect.run(function(send, deps)
            local all = deps
            pcall(function() all.date.now() end)
          end, { catch = function(reason, send, deps) deps.log.error(reason) end })
        end },
        reduce = function(_, _, d) d.random.number() end,
        """,
      [
        "app.lua:7:19: error: App uses deps.uuid without declaring it; add \"uuid\" to its "
          + "dependencies [undeclared-dependency]",
        "app.lua:10:26: error: App uses deps.date without declaring it; add \"date\" to its "
          + "dependencies [undeclared-dependency]",
        "app.lua:11:52: error: App uses deps.log without declaring it; add \"log\" to its "
          + "dependencies [undeclared-dependency]",
        "app.lua:13:30: error: App uses deps.random without declaring it; add \"random\" to its "
          + "dependencies [undeclared-dependency]",
      ]),
    CheckCase(
      "used and not there",
      feature: "on = { tapped = function(_, _, deps) deps.clck.now() end },",
      [
        "app.lua:5:43: error: App uses deps.clck, but there is no such dependency; did you mean "
          + "'clock'? [unknown-dependency]"
      ]),
    CheckCase(
      "a member that is not there",
      feature: """
        dependencies = { "clock", "log" },
        on = { tapped = function()
          return effect.run(function(_, deps)
            local clock = deps.clock
            clock.slep(1)
            deps.log.warn("late")
          end)
        end },
        """,
      [
        "app.lua:9:11: error: deps.clock has no 'slep'; did you mean 'sleep'? "
          + "[unknown-dependency]",
        "app.lua:10:14: error: deps.log has no 'warn'; it has debug, error, info, warning "
          + "[unknown-dependency]",
      ]),
    CheckCase(
      "in functions that handlers call",
      feature: """
        on = {
          tapped = function(state, _, deps) return later(state, deps) end,
          go = begin,
        },
        """,
      above: """
        local function later(_, all) return effect.run(function(send, deps) all.date() deps.uuid() end) end
        local function begin(_, _, deps) deps.log.info("begins") end
        """,
      [
        "app.lua:3:73: error: App uses deps.date without declaring it; add \"date\" to its "
          + "dependencies [undeclared-dependency]",
        "app.lua:3:85: error: App uses deps.uuid without declaring it; add \"uuid\" to its "
          + "dependencies [undeclared-dependency]",
        "app.lua:4:39: error: App uses deps.log without declaring it; add \"log\" to its "
          + "dependencies [undeclared-dependency]",
      ]),
    CheckCase(
      "declared, built in, of the runner, of a script, and what needs no declaration",
      feature: """
        dependencies = { "clock", "http", "files", "api" },
        on = { tapped = function(state, _, deps)
          state.isPresented = deps.isPresented
          return effect.run(function(send, deps)
            deps.clock.sleep(deps.api.delay())
            deps.files.read(deps.http.get("x").body)
            deps.dismiss()
          end)
        end },
        """,
      above: "require 'api'",
      beside: [
        "api.lua": """
        local scripted = require "scripted"
        scripted.dependency {
          name = "api", live = function(deps) return { delay = function() return deps.uuid() end } end,
        }
        """
      ], []),
    CheckCase(
      "two features that share a function, of which one declares it",
      feature: #"dependencies = { "uuid" }, on = { tapped = identify },"#,
      above: """
        local function identify(state, _, deps) state.id = deps.uuid() end
        local Other = scripted.feature { on = { go = identify } }
        """, below: #":scope("other", Other)"#, []),
    CheckCase(
      "a list that is computed", feature: "dependencies = names, on = { tapped = tap },",
      above: """
        local names = require "names"
        local function tap(_, _, deps) deps.uuid() end
        """, beside: ["names.lua": #"return { "uuid" }"#], []),
  ])
  func dependenciesThatNobodyOffersOrDeclaresAreFoundWhereTheyAreUsed(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test func aDependencyOfTheHostsIsNamedToTheRunner() throws {
    let example = CheckCase(
      "",
      feature:
        #"dependencies = { "camera" }, on = { tapped = function(_, _, d) d.camera.shoot() end },"#,
      [])
    #expect(try example.found("--dependency", "camera") == [])
    #expect(try example.found("--dependency", "camera.shoot=@stub.lua") == [])
    #expect(
      try example.found() == [
        "app.lua:5:18: error: there is no dependency 'camera'; declare it with scripted.dependency, or "
          + "name it with --dependency if the host offers it [unknown-dependency]"
      ])
  }

  @Test(arguments: [
    CheckCase(
      "by name and in brackets",
      [
        "a.lua":
          "return { a = 1,\n  [\"a\"] = 2, b = { a = 3 }, [\"b\"] = 4, 5, 6, [1] = 7 }, { a = 9 }"
      ],
      [
        "a.lua:2:4: warning: the key 'a' stands in this table already, at line 1, and the last one wins; "
          + "leave one of them out [duplicate-key]",
        "a.lua:2:30: warning: the key 'b' stands in this table already, at line 2, and the last one wins; "
          + "leave one of them out [duplicate-key]",
      ]),
    CheckCase(
      "numbers and booleans",
      [
        "a.lua":
          "local n = 1\nreturn { [1] = 1, [true] = 2, [n] = 3, [2] = 4, [ 1 ] = 5, [true] = 6, [n] = 7 }"
      ],
      [(51, "[1]"), (61, "[true]")].map { column, key in
        "a.lua:2:\(column): warning: the key '\(key)' stands in this table already, at line 2, and the "
          + "last one wins; leave one of them out [duplicate-key]"
      }),
  ])
  func aKeyThatStandsTwiceInATableIsFound(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}

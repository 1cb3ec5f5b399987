import LuaBridge
import ScriptedStore
import Testing

/// What a body gets and may do, how it ends, and what becomes of its errors.
struct RunTests {
  @Test func aBodyKeepsTheActionAndWhatItCopied() throws {
    let app = try EffectApp(
      """
      go = function(state, action)
        local rows = scripted.snapshot(state.rows)
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          note(action.value .. " " .. action.nested.list[2] .. " " .. rows[1].id .. " " .. #action.nested.list)
          send("back", action.nested)
        end)
      end,
      back = function(state, action) state.got = action end,
      change = function(state) state.rows = nil end,
      """, state: "{ rows = { { id = 7 } } }")
    try app.store.send("go", ["value": "payload", "nested": ["list": [1, 2, 3]]])
    for _ in 0..<10 { app.store.send("change") }
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace[11] == "payload 2 7 3")
    #expect(app.store.state["got"] == ["type": "back", "list": [1, 2, 3]])
  }

  @Test(arguments: [
    "note(state.n)", "state.n = 2", "note(#state.rows)", "for k in pairs(state) do end",
    "note(state.rows[1])", "table.insert(rows, 1)", "note(rows[1].id)", "send('back', rows)",
    "list.find(rows, 1)",
  ]) func aDraftThatABodyKeepsRaises(_ use: String) throws {
    let app = try EffectApp(
      """
      go = function(state)
        local rows = state.rows
        return effect.run(function(send, deps) \(use) end)
      end,
      """, state: "{ n = 1, rows = { { id = 1 } } }")
    app.store.send("go")
    let warning = try #require(app.scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains("used after its handler returned"), "\(warning.message)")
    #expect(app.store.state["n"] == 1)
    #expect(app.store.effects.isEmpty)
  }

  @Test func catchGetsWhatWasRaisedWithItsPosition() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = {},
          on = {
            text = function()
              return effect.run(function() error("no luck") end, { catch = function(error, send) send("got", error) end })
            end,
            value = function()
              return effect.run(function() error({ code = 3, list = { 1 } }) end, { catch = function(error, send) send("got", error) end })
            end,
            runtime = function()
              return effect.run(function() local x; x.y = 1 end, { catch = function(error, send) send("got", error) end })
            end,
            got = function(state, action) state.got = action end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("text")
    #expect(store.state["got"]["value"] == "app.lua:5: no luck")
    store.send("value")
    #expect(store.state["got"] == ["type": "got", "code": 3, "list": [1]])
    store.send("runtime")
    let message = store.state["got"]["value"].string ?? ""
    #expect(message.hasPrefix("app.lua:11: attempt to index a nil value"), "\(message)")
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func catchMayWaitAndReachesDependencies() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function() error("x") end, {
          catch = function(_, send, deps) deps.clock.sleep(1); send("caught", deps.clock.now()) end,
        })
      end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "caught 1.0"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func anErrorInCatchIsAWarning() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function() error("first") end, { catch = function() error("second") end }) end,
      """)
    app.store.send("go")
    let warnings = app.scripts.warnings
    #expect(warnings.map(\.kind) == [.effectError])
    #expect(warnings.first?.message.contains("second") == true, "\(warnings)")
    #expect(app.store.effects.isEmpty)
  }

  @Test func bodiesThatWaitWhileTheyCloseFailAtTheirOwnPlaces() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        local function waiting(deps, seconds)
          return setmetatable({}, { __close = function() deps.clock.sleep(seconds) end })
        end
        local function slow(_, deps)
          local closing <close> = waiting(deps, 2)
          error("slow", 0)
        end
        local function quick(_, deps)
          local closing <close> = waiting(deps, 1)
          error("quick", 0)
        end
        return scripted.feature {
          name = "Closing", state = {}, dependencies = { "clock" },
          on = { go = function() return effect.merge(effect.run(slow), effect.run(quick)) end },
        }
        """
      ], clock: clock)
    let store = try scripts.store()
    store.send("go")
    clock.advance(by: .seconds(3))
    let messages = scripts.warnings.map(\.message)
    #expect(messages.count == 2)
    #expect(messages.first?.contains("app.lua:10: quick") == true, "\(messages)")
    #expect(messages.last?.contains("app.lua:6: slow") == true, "\(messages)")
  }

  @Test func anUncaughtErrorIsAWarningWithTracebackAndTheStoreGoesOn() throws {
    let scripts = try Scripts(
      app: """
        local function deep(n) if n == 0 then error("too deep") end; deep(n - 1); return n end
        return scripted.feature {
          name = "Digger", state = { n = 0 },
          on = {
            go = function()
              return effect.run(function() deep(3) end):cancellable("digging")
            end,
            up = function(state) state.n = state.n + 1 end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    let warning = try #require(scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains("too deep"), "\(warning.message)")
    #expect(warning.traceback?.contains("app.lua:1: in upvalue 'deep'") == true, "\(warning)")
    #expect(warning.traceback?.contains("app.lua:6: in function") == true, "\(warning)")
    #expect(warning.action == "go")
    let effect = try #require(warning.effect)
    #expect(effect.feature == "Digger")
    #expect(effect.origin == "app.lua:5")
    #expect(effect.id == "digging")
    #expect(effect.action == "go")
    #expect(effect.place == "")
    store.send("up")
    #expect(store.state == ["n": 1])
    #expect(scripts.errors.isEmpty && store.effects.isEmpty)
  }

  @Test(arguments: [
    ("error({ code = 3 })", "code = 3"), ("error(nil)", "nil"), ("error(5)", "5"),
    ("error(true)", "true"), ("error(print)", "function"), ("error({})", "{}"),
    ("error(setmetatable({}, { __tostring = function() return 'shown' end }))", ""),
    ("local function f() return f() + 1 end; f()", "stack overflow"),
    ("string.rep('x', 1e12)", ""), ("error('a\\0b\\xff', 0)", "a"),
  ]) func anErrorOfAnyKindIsAWarning(_ raise: String, _ shown: String) throws {
    let app = try EffectApp(
      "go = function() return effect.run(function() \(raise) end) end,", memoryLimit: 300_000_000)
    app.store.send("go")
    app.store.send("after")
    let warning = try #require(app.scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(shown.isEmpty || warning.message.contains(shown), "\(warning.message)")
    #expect(app.trace == ["go", "after"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func anErrorInWhatABodySendsIsTheActionsError() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send) send("bad"); note("goes on"); send("good") end) end,
      bad = function(state) state.x = 1; error("in the handler") end,
      """)
    app.store.send("go")
    #expect(app.trace == ["go", "bad", "goes on", "good"])
    #expect(app.scripts.errors.map(\.message) == ["in the handler"])
    #expect(app.scripts.warnings.isEmpty)
    #expect(app.store.state["x"] == .null)
  }

  @Test(arguments: [
    ("send()", "an action is a table"), ("send(5)", "or a path"), ("send {}", "has no type"),
    ("send('a..b')", "malformed action path"), ("send('a', print)", "payload"),
    ("send({ type = 'a' }, {})", "a payload goes with a path"),
    ("send { 'a', { n = 3 } }", "as two arguments: send(\"a\", { n = 3 })"),
    ("send('a', 1, 2)", "'send' takes an action and one payload"),
    ("send { type = 'a', f = print }", "f: a function"),
  ]) func aWrongSendRaisesAtItsLine(_ made: String, _ message: String) throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { on = {
          go = function() return effect.run(function(send)
            \(made)
          end) end } }
        """)
    try scripts.store().send("go")
    let warning = try #require(scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains(message), "\(warning.message)")
    #expect(warning.message.contains("app.lua:3"), "\(warning.message)")
  }

  @Test func anEffectIsAValueThatMayRunAgain() throws {
    let app = try EffectApp(
      """
      go = function() return effect.merge(kept, kept, effect.concatenate(kept, kept)) end,
      """,
      locals: """
        local runs = 0
        local kept = effect.run(function(_, deps) runs = runs + 1; local mine = runs; deps.clock.sleep(1); note(mine) end)
        """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    app.clock.advance(by: .seconds(1))
    app.store.send("go")
    app.clock.advance(by: .seconds(2))
    #expect(app.cleanTrace == ["go", "1", "2", "3", "4", "go", "5", "6", "7", "8"])
  }

  @Test func resultWrapsWhatAFunctionReturnsOrRaises() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          local function waits(x) deps.clock.sleep(1); return x, "second" end
          send("got", { result = effect.result(waits, 5) })
          send("got", { result = effect.result(function() end) })
          send("got", { result = effect.result(function() error("no luck") end) })
          send("got", { result = effect.result(function() error({ code = 404, message = "gone" }) end) })
          send("got", { result = effect.result(function() error({ code = 1 }) end) })
          send("got", { result = effect.result(function() return false end) })
        end)
      end,
      got = function(state, action) table.insert(state.results, action.result) end,
      """, state: "{ results = {} }")
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    let results = app.store.state["results"]
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
    #expect(results[0] == ["success": 5])
    #expect(results[1] == ["success": .null])
    #expect(results[2] == ["failure": ["message": "no luck"]])
    #expect(results[3] == ["failure": ["code": 404, "message": "gone"]])
    #expect(results[4]["failure"]["code"] == 1)
    #expect(results[5] == ["success": false])
  }

  @Test func whatABodyReturnsIsIgnored() throws {
    let app = try EffectApp(
      "go = function() return effect.run(function() return effect.send('never'), 5 end) end,")
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
  }

  @Test func sendAfterTheBodyReturnedWarnsAndIsDropped() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send) kept = send; send("inside") end) end,
      later = function() return effect.run(function() kept("dropped"); note("went on") end) end,
      """, locals: "local kept")
    app.store.send("go")
    app.store.send("later")
    #expect(app.trace == ["go", "inside", "later", "went on"])
    let warning = try #require(app.scripts.warnings.first)
    #expect(app.scripts.warnings.count == 1)
    #expect(warning.kind == .sendAfterEnd)
    #expect(warning.message.contains("dropped"), "\(warning.message)")
    #expect(warning.origin.hasPrefix("app.lua:"), "\(warning.origin)")
  }

  @Test func sendAfterAnErrorEndedTheBodyWarnsToo() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send) kept = send; error("x") end, { catch = function(_, send) send("caught") end })
      end,
      later = function() return effect.run(function() kept("dropped") end) end,
      """, locals: "local kept")
    app.store.send("go")
    app.store.send("later")
    #expect(app.trace == ["go", "caught", "later"])
    #expect(app.scripts.warnings.map(\.kind) == [.sendAfterEnd])
  }

  @Test func manyBodiesAtOnce() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for i = 1, 2000 do all[i] = effect.run(function(send, deps) deps.clock.sleep(i % 7); send("up") end) end
        return effect.merge(all)
      end,
      up = function(state) state.n = state.n + 1 end,
      """, state: "{ n = 0 }")
    app.store.send("go")
    #expect(app.store.effects.count == 2000)
    app.clock.advance(by: .seconds(3))
    #expect(app.store.state["n"] == 1143)
    app.clock.advance(by: .seconds(3))
    #expect(app.store.state["n"] == 2000)
    #expect(app.store.effects.isEmpty)
  }
}

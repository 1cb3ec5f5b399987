import LuaBridge
import ScriptedStore
import Testing

/// Effects that are many, deep, large or hungry.
struct EffectLimitTests {
  @Test func wrappersNestedTooDeepRaise() throws {
    let app = try EffectApp(
      """
      go = function(_, action)
        local e = effect.send("sent")
        for i = 1, action.value do
          e = e:cancellable(i)
          if i % 2 == 0 then e = effect.concatenate(e, effect.merge(e, effect.none)) end
        end
        return e
      end,
      deep = function(_, action)
        local e = effect.send("sent")
        for i = 1, action.value do e = e:map(function(a) return a end):transaction(i) end
        return e
      end,
      """)
    try app.store.send("deep", 50)
    #expect(app.cleanTrace == ["deep 50", "sent"])
    try app.store.send("deep", 100_000)
    #expect(app.scripts.errors.count == 1)
    try app.store.send("go", 8)
    #expect(app.scripts.errors.count == 1)
    app.store.send("after")
    #expect(app.trace.last == "after")
    #expect(app.store.effects.isEmpty)
  }

  @Test func concatenatesAndMergesInTurn() throws {
    let app = try EffectApp(
      """
      go = function(_, action)
        local e = effect.none
        for i = 1, action.value do
          local step = i % 5 == 0 and effect.run(function() effect.yield() end) or effect.send("up")
          e = i % 2 == 0 and effect.merge(e, step) or effect.concatenate(e, step)
        end
        return e
      end,
      up = function(state) state.n = (state.n or 0) + 1 end,
      """)
    try app.store.send("go", 100)
    #expect(app.store.state["n"] == 80)
    try app.store.send("go", 100_000)
    #expect(app.store.effects.isEmpty)
    app.store.send("up")
    #expect(app.store.state["n"].int ?? 0 >= 81)
  }

  @Test func sideBySideNestsUntilLuasStackEnds() throws {
    let app = try EffectApp(
      """
      go = function(_, action)
        return effect.run(function(send, deps)
          local function nest(n) if n == 0 then effect.yield() return "bottom" end return (effect.all { function() return nest(n - 1) end }) end
          note(nest(action.value))
        end)
      end,
      recurse = function()
        return effect.run(function() local function f() return effect.result(f) end note(f().failure ~= nil) end)
      end,
      """)
    try app.store.send("go", 100)
    #expect(app.cleanTrace == ["go 100", "bottom"])
    try app.store.send("go", 10_000)
    #expect(app.store.effects.isEmpty)
    app.store.send("recurse")
    app.store.send("after")
    #expect(app.trace.last == "after")
    #expect(app.store.effects.isEmpty)
  }

  @Test func aBodyThatEatsTheMemoryIsStoppedAndTheOthersGoOn() throws {
    let app = try EffectApp(
      """
      sleep = function() return effect.run(function(send, deps) deps.clock.sleep(1); send("woke") end) end,
      eat = function()
        return effect.run(function(send, deps)
          local all = {}
          while true do all[#all + 1] = { string.rep("x", 1000) .. #all } end
        end)
      end,
      eatAwake = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          local all = {}
          pcall(function() while true do all[#all + 1] = { string.rep("x", 1000) .. #all } end end)
          while true do all[#all + 1] = {} end
        end)
      end,
      """, memoryLimit: 5_000_000)
    app.store.send("sleep")
    app.store.send("eat")
    app.store.send("eatAwake")
    app.clock.advance(by: .seconds(1))
    #expect(app.trace == ["sleep", "eat", "eatAwake", "woke"])
    #expect(app.scripts.warnings.map(\.kind) == [.effectError, .effectError])
    #expect(app.scripts.warnings.allSatisfy { $0.message.contains("memory") })
    #expect(app.store.effects.isEmpty)
  }

  @Test func moreBodiesThanFitInMemory() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for i = 1, 2000 do all[i] = body end
        return effect.merge(all)
      end,
      up = function(state) state.n = (state.n or 0) + 1 end,
      """, locals: "local body = effect.run(function(_, deps) deps.clock.sleep(1) end)",
      memoryLimit: 1_500_000)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    // While they slept it hung on the last few bytes whether there was room for a handler.
    app.store.send("up")
    #expect(app.store.effects.isEmpty)
    #expect(app.store.state["n"] == 1)
    #expect(
      (app.scripts.warnings.map(\.message) + app.scripts.errors.map(\.message)).contains {
        $0.contains("memory")
      })
  }

  /// Every allocation of Lua's fails once while an effect starts, waits, sends, is caught and closed.
  @Test func everyAllocationOfAnEffectMayFail() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.merge(
          effect.run(function(send, deps)
            local closing <close> = setmetatable({}, { __close = function() send("up") end })
            effect.all { function() deps.clock.sleep(1) end, effect.yield }
            pcall(effect.timeout, 1, deps.clock.sleep, 5)
            send("up", { list = { 1, 2 } })
            error("x")
          end, { catch = function(e, send) send("up") end }):cancellable({ "id" }),
          effect.send("up"):debounce("d", 1):map(function(a) return a end))
      end,
      up = function(state) state.n = (state.n or 0) + 1 end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(5))
    #expect(app.store.effects.isEmpty)
    let whole = app.store.state["n"].int ?? 0
    #expect(whole == 4)
    for successes in 0..<600 {
      app.store.failAllocations(after: successes)
      app.store.send("go")
      app.clock.advance(by: .seconds(5))
      app.store.failAllocations(after: nil)
      app.clock.advance(by: .seconds(5))
      try #require(app.store.effects.isEmpty, "after \(successes)")
    }
    let before = app.store.state["n"].int ?? 0
    app.store.send("go")
    app.clock.advance(by: .seconds(5))
    #expect(app.store.state["n"].int == before + whole)
  }

  /// Lua calls no message handler when memory ends, so that the place of the error is not known.
  @Test func memoryThatEndsInCatchIsNotReportedAtTheErrorThatWasCaught() throws {
    let scripts = try Scripts(
      app: """
        local function caught()
          error("first")
        end
        local function catch()
          local list = {}
          for i = 1, 20 do list[i] = { i } end
        end
        return scripted.feature {
          name = "Catching", state = {},
          on = { go = function() return effect.run(caught, { catch = catch }) end },
        }
        """)
    let store = try scripts.store()
    for successes in 0..<200 {
      store.failAllocations(after: successes)
      store.send("go")
      store.failAllocations(after: nil)
    }
    let messages = scripts.warnings.filter { $0.kind == .effectError }.map(\.message)
    #expect(messages.contains { $0.contains("not enough memory") })
    #expect(!messages.contains { $0.contains("app.lua:2") }, "\(messages)")
  }

  @Test func aStoreOfManySleepersIsCancelledAtOnce() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for i = 1, 5000 do all[i] = effect.run(function(_, deps) deps.clock.sleep(i % 100 + 1) end):cancellable(i % 50) end
        return effect.merge(all):cancellable("all")
      end,
      cancel = function(_, action) return effect.cancel(action.value) end,
      """)
    app.store.send("go")
    try app.store.send("cancel", 7)
    #expect(app.store.effects.count == 4900)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.count == 4850)
    try app.store.send("cancel", "all")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(1000))
  }

  @Test func manyUnderOneIdEndOneByOne() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for i = 1, 12000 do all[i] = effect.run(function(_, deps) deps.clock.sleep(i) end):cancellable("x") end
        return effect.merge(all)
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(11_999))
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.isEmpty)
  }
}

import LuaBridge
import ScriptedStore
import Testing

/// What `effect.run` makes is a value like every other effect, whatever is done with it.
struct RunValueTests {
  @Test func oneThatIsKeptIsStartedByEveryActionThatReturnsIt() throws {
    let app = try EffectApp(
      """
      plain = function() return run end,
      named = function() return named end,
      both = function() return effect.merge(run, run) end,
      sequence = function() return effect.concatenate { run, named, run } end,
      nested = function() return named:cancellable("outer"):transaction("t") end,
      """,
      locals: """
        local run = effect.run(function() note("ran") end)
        local named = run:cancellable("name", { cancelInFlight = true })
        """)
    // Before and after it became a part of others.
    for _ in 0..<2 {
      for action in ["plain", "named", "both", "sequence", "nested"] { try app.store.send(action) }
    }
    let ran = { (count: Int) in Array(repeating: "ran", count: count) }
    let round =
      ["plain"] + ran(1) + ["named"] + ran(1) + ["both"] + ran(2) + ["sequence"] + ran(3)
      + ["nested"] + ran(1)
    #expect(app.cleanTrace == round + round)
    #expect(app.store.effects.isEmpty)
  }

  @Test func makingItCancellableLeavesTheOneItIsMadeOfAsItIs() throws {
    let app = try EffectApp(
      """
      go = function()
        local a = run:cancellable("a")
        return effect.merge(run, a, run:cancellable("b", { cancelInFlight = true }), a:cancellable("c"))
      end,
      plain = function() return run end,
      cancel = function(_, action) return effect.cancel(action.value) end,
      """, locals: "local run = effect.run(function(_, deps) deps.clock.sleep(1) end)")
    app.store.send("go")
    app.store.send("plain")
    #expect(app.store.effects.map(\.id) == [nil, "a", "b", "a", nil])
    try app.store.send("cancel", "c")
    #expect(app.store.effects.map(\.id) == [nil, "a", "b", nil])
    try app.store.send("cancel", "a")
    #expect(app.store.effects.map(\.id) == [nil, "b", nil])
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  private static let ids: [(String, Value)] = [
    ("true", true), ("3", 3), ("3.5", 3.5), ("'text'", "text"), ("{ 1, 'b' }", [1, "b"]),
    ("scripted.null", .null), ("state.key", ["of": "state"]),
  ]

  @Test(arguments: ids) func whatStateCanHoldMayBeItsID(_ script: String, _ id: Value) throws {
    let app = try EffectApp(
      """
      go = function(state)
        local effect = effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable(\(script), { cancelInFlight = true })
        return effect
      end,
      cancel = function(state) return effect.cancel(\(script)) end,
      """, state: "{ key = { of = 'state' } }")
    app.store.send("go")
    app.store.send("go")
    #expect(app.store.effects.map(\.id) == [id])
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test(arguments: [
    ("'\\xff'", "UTF-8"), ("0/0", "NaN"), ("1/0", "infinite"), ("function() end", "function"),
    ("nil", "id expected"), ("run", "an effect cannot be stored"), ("deps", "`deps` holds"),
  ]) func anIDThatIsNoStateIsRefusedWhereItIsGiven(_ id: String, _ reason: String) throws {
    let app = try EffectApp(
      "go = function(_, _, deps) return run:cancellable(\(id), { cancelInFlight = true }) end,",
      locals: "local run = effect.run(function() end)")
    app.store.send("go")
    let error = try #require(app.scripts.errors.first)
    #expect(error.message.contains(reason), "\(error.message)")
    #expect(error.script == "app.lua")
  }

  @Test func itIsNoState() throws {
    let app = try EffectApp(
      """
      field = function(state) state.run = run end,
      inside = function(state) state.list = { run } end,
      payload = function() return effect.send("x", run) end,
      """, locals: "local run = effect.run(function() end)")
    for action in ["field", "inside", "payload"] { try app.store.send(action) }
    #expect(app.scripts.errors.count == 3)
    #expect(app.scripts.errors.allSatisfy { $0.message.contains("cannot be stored in state") })
  }

  @Test func scriptsSeeTheSameOfItAsOfOtherEffects() throws {
    let app = try EffectApp(
      """
      look = function()
        local run, named, sent = effect.run(function() end), effect.run(function() end):cancellable("x"), effect.none
        for _, effect in ipairs { run, named, sent } do
          local ok, problem = pcall(function() return effect.start end)
          note(type(effect) .. " " .. tostring(effect):gsub(":.*", "") .. " " .. tostring(getmetatable(effect))
            .. " " .. problem:gsub("^.-: ", ""))
        end
        note(tostring(run == run) .. tostring(run == named))
        local ok, problem = pcall(run.cancellable, {}, "id")
        note(problem)
      end,
      """)
    app.store.send("look")
    let trace = app.cleanTrace
    #expect(Set(trace[1...3]).count == 1, "\(trace)")
    #expect(trace[1].hasPrefix("userdata effect false"))
    #expect(trace[4] == "truefalse")
    #expect(trace[5].contains("effect expected, got table"))
  }

  @Test func whatIsReturnedAndNeverStartedIsForgotten() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.combine {
          scripted.feature {
            name = "App",
            state = {},
            on = {
              drop = function()
                local kept = string.rep("x", 20000)
                return effect.run(function() print(#kept) end, { catch = function() print(#kept) end })
              end,
              up = function(state) state.n = (state.n or 0) + 1 end,
            },
          },
          scripted.reduce(function(_, action) if action.type == "drop" then error("rolled back") end end),
        }
        """
      ], memoryLimit: 3_000_000)
    let store = try scripts.store()
    // A thousand of them would be twenty megabytes.
    for _ in 0..<1000 { store.send("drop") }
    store.send("up")
    #expect(store.state["n"] == 1)
    #expect(scripts.errors.count == 1000)
    #expect(scripts.errors.allSatisfy { $0.message.contains("rolled back") })
  }

  @Test func thoseThatNobodyReturnsAreCollected() throws {
    let app = try EffectApp(
      """
      make = function(state)
        for i = 1, 1000 do
          local kept = string.rep("x", 1000) .. i
          local run = effect.run(function() note(kept) end):cancellable(i)
          -- Every second one becomes a part of another.
          if i % 2 == 0 then effect.merge(run, run) end
        end
        state.n = (state.n or 0) + 1
      end,
      """, memoryLimit: 3_000_000)
    for _ in 0..<20 { app.store.send("make") }
    #expect(app.store.state["n"] == 20)
    #expect(app.scripts.errors.isEmpty)
  }

  /// Every allocation of Lua's fails once while runs are made, handed over, boxed and started.
  @Test func everyAllocationOfARunMayFail() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          error("x")
        end, { catch = function(e, send) send("up") end }):cancellable("id", { cancelInFlight = true })
      end,
      boxed = function() return effect.merge(effect.run(function(send) send("up") end), kept) end,
      up = function(state) state.n = (state.n or 0) + 1 end,
      """, locals: "local kept = effect.run(function(send) send('up') end):cancellable('kept')")
    for action in ["go", "boxed"] {
      for successes in 0..<150 {
        app.store.failAllocations(after: successes)
        try app.store.send(action)
        app.clock.advance(by: .seconds(1))
        app.store.failAllocations(after: nil)
        app.clock.advance(by: .seconds(1))
        try #require(app.store.effects.isEmpty, "\(action) after \(successes)")
      }
    }
    let before = app.store.state["n"].int ?? 0
    app.store.send("go")
    app.store.send("boxed")
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["n"].int == before + 3)
  }

  @Test func cancellingOneThatHasNotHadItsTurnEndsIt() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function() note("ran") end):cancellable("id") end,
      both = function()
        return effect.merge(
          effect.run(function() note("first") end):cancellable("id"), effect.cancel("id"),
          effect.run(function() note("second") end):cancellable("id"))
      end,
      """)
    let clock = app.clock
    app.store.send("both")
    clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["both", "second"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func manyThatWaitForTheirTurnTogetherRunInOrder() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for n = 1, 20 do all[n] = effect.send("one", n) end
        return effect.merge(table.unpack(all))
      end,
      one = function(_, action)
        local n = action.value
        return effect.run(function()
          note("ran " .. n)
          if n % 3 == 0 then error("no") end
        end, { catch = function() note("caught " .. n) end })
      end,
      """)
    let round = (1...20).flatMap { $0 % 3 == 0 ? ["ran \($0)", "caught \($0)"] : ["ran \($0)"] }
    for count in 1...3 {
      app.store.send("go")
      let ran = app.cleanTrace.filter { $0.hasPrefix("ran ") || $0.hasPrefix("caught ") }
      #expect(ran == Array(repeating: round, count: count).flatMap { $0 })
    }
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }
}

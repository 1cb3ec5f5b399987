import LuaBridge
import ScriptedStore
import Testing

/// `all`, `race`, `timeout`, `withCancellation`, `isCancelled` and `yield`, inside a body.
struct SideBySideTests {
  /// An app whose `go` runs `body`, and whose `cancel` cancels that.
  private func app(_ body: String) throws -> EffectApp {
    try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          local function after(seconds, ...)
            local closing <close> = setmetatable({}, { __close = function(_, e) if e then note("closed " .. seconds) end end })
            deps.clock.sleep(seconds)
            return ...
          end
          \(body)
        end):cancellable("go")
      end,
      cancel = function(_, action) return effect.cancel(action.value or "go") end,
      """)
  }

  // MARK: all

  @Test func allReturnsOneValuePerFunctionInOrder() throws {
    let app = try app(
      """
      local a, b, c, d, e = effect.all {
        function() return after(3, "a", "more") end, function() return after(1, "b") end, function() end, function() return 4 end,
      }
      note(tostring(a) .. tostring(b) .. tostring(c) .. tostring(d) .. tostring(e) .. deps.clock.now())
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["go", "abnil4nil3.0"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func allOfNothingReturnsNothing() throws {
    let app = try app("note(select('#', effect.all {}))")
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "0"])
  }

  @Test func nilsBetweenFunctionsArePassedOver() throws {
    let app = try app(
      """
      local function value(it) return function() return it end end
      local a, b, c = effect.all { value("a"), nil, value("c") }
      note(a .. tostring(b) .. c)
      note(select("#", effect.all { nil, nil }))
      note(table.concat({ effect.race { nil, function() after(1) end, nil, value("first") } }, " "))
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "anilc", "0", "closed 1", "4 first"])
  }

  @Test func theFunctionsStartInOrderSideBySide() throws {
    let app = try app(
      """
      local function steps(name) return function() for i = 1, 2 do send(name, i); effect.yield() end end end
      effect.all { steps("a"), steps("b"), steps("c") }
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "a 1", "b 1", "c 1", "a 2", "b 2", "c 2"])
  }

  @Test func ifOneOfAllRaisesTheOthersAreCancelledAndItRaisesAgain() throws {
    let app = try app(
      """
      local ok, raised = pcall(effect.all, {
        function() after(5); note("never") end, function() after(1); error({ code = 7 }) end, function() after(9); note("never") end,
      })
      note(tostring(ok) .. raised.code .. deps.clock.now())
      after(1)
      note("goes on")
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(20))
    #expect(app.cleanTrace == ["go", "closed 5", "closed 9", "false71.0", "goes on"])
  }

  @Test func whenAllIsCancelledAllOfItsFunctionsAre() throws {
    let app = try app(
      """
      effect.all { function() after(1) end, function() effect.all { function() after(2) end, function() after(3) end } end }
      note("never")
      """)
    app.store.send("go")
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    #expect(app.cleanTrace.dropFirst(2).sorted() == ["closed 1", "closed 2", "closed 3"])
  }

  @Test func manyFunctionsSideBySide() throws {
    let app = try app(
      """
      local functions = {}
      for i = 1, 200 do functions[i] = function() return after(i % 10, i) end end
      local results = { effect.all(functions) }
      local sum = 0
      for i, value in ipairs(results) do sum = sum + (value == i and i or 1e9) end
      note(sum)
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(9))
    #expect(app.cleanTrace == ["go", "20100"])
  }

  @Test(arguments: [
    "effect.all()", "effect.all(5)", "effect.all { 5 }", "effect.race(5)", "effect.race { 'x' }",
    "effect.race { nil }", "effect.all { nil, 5 }", "effect.all { name = print }",
    "effect.timeout()", "effect.timeout('x', print)", "effect.timeout(1)",
    "effect.withCancellation('x')", "effect.withCancellation('x', {}, 5)",
    "effect.withCancellation(print, {}, print)",
  ]) func wrongArgumentsRaise(_ call: String) throws {
    let name = call.prefix { $0 != "(" && $0 != " " }
    let app = try app(call)
    app.store.send("go")
    let warning = try #require(app.scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains(name), "\(warning.message)")
    #expect(app.store.effects.isEmpty)
  }

  // MARK: race

  @Test func raceReturnsTheIndexAndTheResultsOfTheFirst() throws {
    let app = try app(
      """
      local index, one, two = effect.race {
        function() return after(3, "slow") end, function() return after(1, "fast", "too") end, function() return after(2) end,
      }
      note(index .. one .. two .. deps.clock.now())
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["go", "closed 3", "closed 2", "2fasttoo1.0"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aRaceThatTheFirstWinsWithoutWaitingIsOver() throws {
    let app = try app(
      "note(effect.race { function() return 'x' end, function() after(1) return 'y' end })")
    app.store.send("go")
    #expect(app.cleanTrace.last == "1")
    #expect(app.store.effects.isEmpty)
  }

  @Test func anErrorInARaceRaisesAgainAndCancelsTheOthers() throws {
    let app = try app(
      """
      local ok, raised = pcall(effect.race, { function() after(5) end, function() after(1); error("lost", 0) end })
      note(tostring(ok) .. raised)
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "closed 5", "falselost"])
  }

  @Test func sendsOfTheLoserAfterTheRaceDoNothing() throws {
    let app = try app(
      """
      effect.race {
        function() after(1) end,
        function() pcall(after, 5); send("never"); pcall(effect.yield); send("never") end,
      }
      note("over")
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "closed 5", "over"])
    #expect(app.store.effects.isEmpty)
  }

  // MARK: timeout

  @Test func timeoutPassesArgumentsAndResultsThrough() throws {
    let app = try app(
      """
      local a, b = effect.timeout(2, after, 1, "x", "y")
      note(a .. b .. deps.clock.now())
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["go", "xy1.0"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatTakesTooLongIsCancelledAndATimeoutIsRaised() throws {
    let app = try app(
      """
      local ok, raised = pcall(effect.timeout, 2, after, 5)
      note(tostring(ok) .. raised.code .. deps.clock.now())
      local result = effect.result(effect.timeout, 1, after, 9)
      note(result.failure.code)
      effect.timeout(1, after, 7)
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(10))
    #expect(app.trace == ["go", "closed 5", "falsetimeout2.0", "closed 9", "timeout", "closed 7"])
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(app.scripts.warnings.first?.message.contains("timeout") == true)
  }

  @Test func anErrorBeforeTheTimeoutIsThatError() throws {
    let app = try app(
      """
      note(select(2, pcall(effect.timeout, 2, function() after(1); error('mine', 0) end)))
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "mine"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatSwallowsItsTimeoutHasStillTakenTooLong() throws {
    let app = try app(
      """
      local result = effect.result(effect.timeout, 1, function() pcall(deps.clock.sleep, 5); return "late" end)
      note(result.success or result.failure.code)
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "timeout"])
  }

  @Test func timeoutsNest() throws {
    let app = try app(
      """
      local ok, raised = pcall(effect.timeout, 1, function() return effect.timeout(5, after, 9) end)
      note(raised.code .. deps.clock.now())
      ok, raised = pcall(effect.timeout, 5, function() return effect.timeout(1, after, 9) end)
      note(raised.code .. deps.clock.now())
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(20))
    #expect(app.cleanTrace == ["go", "closed 9", "timeout1.0", "closed 9", "timeout2.0"])
  }

  // MARK: withCancellation

  @Test func cancellingAPartRaisesFromTheCallAndTheBodyGoesOn() throws {
    let app = try app(
      """
      local ok, raised = pcall(effect.withCancellation, "part", {}, function() after(5); note("never") end)
      note(tostring(ok) .. tostring(raised == effect.cancelled) .. tostring(effect.isCancelled()))
      after(1)
      send("end")
      """)
    app.store.send("go")
    try app.store.send("cancel", "part")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "cancel part", "closed 5", "falsetruefalse", "end"])
  }

  @Test func aPartThatIsNotCancelledReturnsItsResults() throws {
    let app = try app(
      """
      note(table.concat({ effect.withCancellation('part', {}, function() return after(1, 'a', 'b') end) }))
      """
    )
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    try app.store.send("cancel", "part")
    #expect(app.cleanTrace == ["go", "ab", "cancel part"])
  }

  @Test func anUncaughtCancelledPartEndsTheBodyWithoutAWord() throws {
    let app = try app("effect.withCancellation('part', {}, function() after(5) end); note('never')")
    app.store.send("go")
    try app.store.send("cancel", "part")
    #expect(app.cleanTrace == ["go", "cancel part", "closed 5"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aPartMayReplaceWhatIsInFlight() throws {
    let app = try app(
      """
      local function part(name) return function()
        local ok = pcall(effect.withCancellation, "part", { cancelInFlight = true }, function() after(5) end)
        note(name .. tostring(ok))
      end end
      effect.all { part("a"), part("b"), part("c") }
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(5))
    #expect(
      app.cleanTrace.filter {
        $0.hasSuffix("e")
          && !$0.hasPrefix(
            """
            closed
            """)
      } == ["afalse", "bfalse", "ctrue"])
  }

  @Test func cancellingTheBodyCancelsThePartToo() throws {
    let app = try app(
      """
      pcall(effect.withCancellation, "part", {}, function() after(5) end)
      note(effect.isCancelled())
      effect.yield()
      note("never")
      """)
    app.store.send("go")
    app.store.send("cancel")
    #expect(app.cleanTrace == ["go", "cancel", "closed 5", "true"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func sendsOfACancelledPartDoNothingUntilItIsLeft() throws {
    let app = try app(
      """
      pcall(effect.withCancellation, "part", {}, function() pcall(after, 5); send("never"); note(effect.isCancelled()); effect.yield() end)
      send("after")
      """)
    app.store.send("go")
    try app.store.send("cancel", "part")
    #expect(app.cleanTrace == ["go", "cancel part", "closed 5", "true", "after"])
  }

  @Test func aPartsIdBelongsToTheBodysPlace() throws {
    let app = try EffectApp(
      "cancel = function(_, action) return effect.cancel('part', action.value) end,",
      locals: """
        local Row = scripted.feature { dependencies = { "clock" }, actions = { "done" }, on = { go = function()
          return effect.run(function(send, deps)
            pcall(effect.withCancellation, "part", {}, function() deps.clock.sleep(5) end)
            send("done", deps.clock.now())
          end)
        end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 }, { id = 2 } } }")
    for id in 1...2 { try app.store.send("rows[\(id)].go") }
    app.store.send("cancel")
    #expect(app.store.effects.count == 2)
    try app.store.send("cancel", "rows[2]")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace.suffix(2) == ["rows[2].done 0.0", "rows[1].done 5.0"])
  }

  // MARK: cancel, isCancelled, yield

  @Test func cancelInABodyActsAtOnce() throws {
    let app = try app(
      """
      effect.all {
        function() pcall(effect.withCancellation, "part", {}, function() after(5) end); note("gone") end,
        function() effect.yield(); effect.cancel("part"); note("cancelled"); effect.cancel("unknown"); effect.yield() end,
      }
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "cancelled", "closed 5", "gone"])
  }

  @Test(arguments: [
    "effect.all { function() end }", "effect.yield()", "effect.race { function() end }",
    "effect.timeout(1, function() end)", "effect.withCancellation('x', {}, function() end)",
  ]) func outsideOfABodyTheyRaise(_ call: String) throws {
    let app = try EffectApp("go = function() \(call) end,")
    app.store.send("go")
    let error = try #require(app.scripts.errors.first)
    #expect(error.message.contains("effect.run"), "\(error)")
  }

  @Test func yieldLetsOthersAndActionsFromOutsideIn() throws {
    let app = try app(
      """
      local turns = 0
      while true do effect.yield(); turns = turns + 1; if turns == 1000 then send("cancel") end end
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "cancel"])
    #expect(app.store.effects.isEmpty)
  }
}

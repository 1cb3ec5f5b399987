import LuaBridge
import ScriptedStore
import Testing

/// What a cancellation reaches, and what a cancelled body gets to do.
struct EffectCancellationTests {
  /// Handlers that start and cancel a body that notes what happens to it.
  private static let sleeper = """
    start = function(_, action)
      return effect.run(function(send, deps)
        note("+" .. tostring(action.name)); deps.clock.sleep(10); note("-" .. tostring(action.name))
      end):cancellable(action.id, { cancelInFlight = action.replace })
    end,
    cancel = function(_, action) return effect.cancel(action.id) end,
    """

  // MARK: Ids

  @Test func anIdCancelsAllThatIsInFlightUnderIt() throws {
    let app = try EffectApp(Self.sleeper)
    for name in ["a", "b"] { try app.store.send("start", ["id": "one", "name": .string(name)]) }
    try app.store.send("start", ["id": "other", "name": "c"])
    try app.store.send("cancel", ["id": "one"])
    #expect(app.store.effects.map(\.id) == ["other"])
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["start", "+a", "start", "+b", "start", "+c", "cancel", "-c"])
    #expect(app.store.effects.isEmpty)
  }

  private static let pairsOfIDs: [(Value, Value, Bool)] = [
    (1, 1.0, true), (1, "1", false), ("a", "a", true),
    (true, true, true), (true, 1, false), (false, .null, false), (.null, .null, true),
    (1.5, 1.5, true), (0.0, -0.0, true), ([1, 2], [1, 2.0], true), ([1, 2], [2, 1], false),
    (["a": 1, "b": [2]], ["b": [2.0], "a": 1], true), (["a": 1], ["a": 1, "b": 2], false),
    ("", "", true), (["k": "timer", "n": 1], ["k": "timer", "n": 2], false),
    (9_007_199_254_740_993, 9_007_199_254_740_992.0, false),
  ]

  @Test(arguments: pairsOfIDs) func idsAreComparedByValue(
    _ one: Value, _ other: Value, _ same: Bool
  ) throws {
    let app = try EffectApp(Self.sleeper)
    try app.store.send("start", ["id": one, "name": "x"])
    #expect(app.store.effects.map(\.id) == [one])
    try app.store.send("cancel", ["id": other])
    #expect(app.store.effects.isEmpty == same)
    try app.store.send("cancel", ["id": one])
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.errors.isEmpty && app.scripts.warnings.isEmpty)
  }

  @Test func emptyTablesAreOneId() throws {
    let app = try EffectApp(
      """
      start = function() return effect.run(function() effect.yield(); note("never") end):cancellable({}) end,
      go = function() return effect.merge(effect.send("start"), effect.send("cancel")) end,
      cancel = function() return effect.cancel(scripted.object {}) end,
      """)
    app.store.send("go")
    #expect(app.store.effects.isEmpty)
    #expect(app.cleanTrace == ["go", "start", "cancel"])
  }

  @Test func anIdMayBeADraftOrTheActionsTable() throws {
    let app = try EffectApp(
      """
      start = function(state, action)
        local started = effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable(state.id)
        state.id.n = 2
        return effect.merge(started, effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable(action.id))
      end,
      """, state: "{ id = { n = 1 } }")
    try app.store.send("start", ["id": ["x": [1]]])
    #expect(app.store.effects.map(\.id) == [["n": 1], ["x": [1]]])
  }

  @Test func cancelInFlightReplacesWhatIsThere() throws {
    let app = try EffectApp(Self.sleeper)
    for name in ["a", "b", "c"] {
      try app.store.send("start", ["id": 1, "name": .string(name), "replace": true])
    }
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["start", "+a", "start", "+b", "start", "+c", "-c"])
  }

  @Test func anEffectMayBeUnderSeveralIds() throws {
    let app = try EffectApp(
      """
      start = function()
        return effect.run(function(_, deps) note("+"); deps.clock.sleep(1); note("-") end):cancellable("inner"):cancellable("outer")
      end,
      cancel = function(_, action) return effect.cancel(action.value) end,
      """)
    for id in ["inner", "outer"] {
      app.store.send("start")
      try app.store.send("cancel", .string(id))
      #expect(app.store.effects.isEmpty)
    }
    try app.store.send("cancel", "neither")
    #expect(app.cleanTrace.filter { $0 == "-" }.isEmpty)
  }

  @Test func aMergeUnderOneIdIsCancelledWhole() throws {
    let app = try EffectApp(
      """
      start = function()
        local function sleep(seconds) return effect.run(function(_, deps) deps.clock.sleep(seconds); note(seconds) end) end
        return effect.merge(sleep(1), sleep(2), sleep(3)):cancellable("all", { cancelInFlight = true })
      end,
      cancel = function() return effect.cancel("all") end,
      """)
    app.store.send("start")
    app.clock.advance(by: .seconds(1))
    app.store.send("start")
    app.clock.advance(by: .seconds(1))
    app.store.send("cancel")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["start", "1", "start", "1", "cancel"])
  }

  @Test func aCancelThatFindsNothingIsNothing() throws {
    let app = try EffectApp(Self.sleeper)
    try app.store.send("cancel", ["id": "unknown"])
    #expect(app.cleanTrace == ["cancel"])
  }

  @Test func aCancelActsWhenItsPlaceInTheListIsReached() throws {
    let app = try EffectApp(
      """
      start = function() return effect.run(function(_, deps) deps.clock.sleep(5); note("old") end):cancellable("x") end,
      before = function()
        return effect.merge(effect.cancel("x"), effect.run(function(_, deps) deps.clock.sleep(1); note("new") end):cancellable("x"))
      end,
      behind = function()
        return effect.merge(effect.run(function(_, deps) deps.clock.sleep(1); note("never") end):cancellable("x"), effect.cancel("x"))
      end,
      chain = function()
        return effect.concatenate(effect.run(function(_, deps) deps.clock.sleep(1); note("chained") end), effect.cancel("x"), effect.send("end"))
      end,
      """)
    app.store.send("start")
    app.store.send("before")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["start", "before", "new"])
    app.store.send("behind")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(5))
    app.store.send("start")
    app.store.send("chain")
    app.clock.advance(by: .seconds(5))
    #expect(
      app.cleanTrace == ["start", "before", "new", "behind", "start", "chain", "chained", "end"])
  }

  // MARK: concatenate

  @Test func whatAConcatenateQueuesCanBeCancelledBeforeItStarts() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.concatenate(
          effect.run(function(_, deps) deps.clock.sleep(1); note("first") end):cancellable("first"),
          effect.run(function() note("second") end):cancellable("second"),
          effect.send("third"):cancellable("third"),
          effect.send("fourth")):cancellable("all")
      end,
      cancel = function(_, action) return effect.cancel(action.value) end,
      """)
    func run(cancelling id: String) throws -> [String] {
      let before = app.cleanTrace.count
      app.store.send("go")
      try app.store.send("cancel", .string(id))
      app.clock.advance(by: .seconds(1))
      #expect(app.store.effects.isEmpty)
      return Array(app.cleanTrace.dropFirst(before + 2))
    }
    #expect(try run(cancelling: "nothing") == ["first", "second", "third", "fourth"])
    #expect(try run(cancelling: "second") == ["first", "third", "fourth"])
    #expect(try run(cancelling: "third") == ["first", "second", "fourth"])
    // The first ends, cancelled, and the others go on at once.
    #expect(try run(cancelling: "first") == ["second", "third", "fourth"])
    #expect(try run(cancelling: "all") == [])
  }

  @Test func whatACancelledConcatenateWasAtMayClose() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.concatenate(
          effect.run(function(_, deps)
            local closing <close> = setmetatable({}, { __close = function() note("closed") end })
            deps.clock.sleep(1)
          end):cancellable("first"),
          effect.send("next"))
      end,
      cancel = function() return effect.cancel("first") end,
      """)
    app.store.send("go")
    app.store.send("cancel")
    #expect(app.cleanTrace == ["go", "cancel", "closed", "next"])
  }

  // MARK: The cancelled body

  /// An app with an effect of this body that was cancelled where it waits first.
  private func cancelled(_ body: String, catches: Bool = false) throws -> EffectApp {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          \(body)
        end\(catches ? ", { catch = function() note('caught') end }" : "")):cancellable("x")
      end,
      cancel = function() return effect.cancel("x") end,
      """)
    app.store.send("go")
    app.store.send("cancel")
    return app
  }

  @Test func theSentinelIsRaisedWhereTheBodyWaitsAndClosesWhatIsOpen() throws {
    let app = try cancelled(
      """
      local one <close> = setmetatable({}, { __close = function(_, e) note("close one " .. tostring(e == effect.cancelled)) end })
      local two <close> = setmetatable({}, { __close = function(_, e) note("close two " .. tostring(e == effect.cancelled)) end })
      local ok, e = pcall(deps.clock.sleep, 1)
      note(tostring(ok) .. " " .. tostring(e == effect.cancelled) .. " " .. tostring(effect.isCancelled()))
      send("never")
      deps.clock.sleep(1)
      note("never")
      """, catches: true)
    #expect(
      app.cleanTrace == ["go", "cancel", "false true true", "close two true", "close one true"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func closeHandlersOfABodyThatIsNotCancelledMayWait() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          do
            local closing <close> = setmetatable({}, { __close = function() deps.clock.sleep(1); send("closed", deps.clock.now()) end })
          end
          local raised = effect.result(function()
            local closing <close> = setmetatable({}, { __close = function() deps.clock.sleep(1); send("closed", deps.clock.now()) end })
            error("x", 0)
          end)
          note(raised.failure.message)
        end)
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(2))
    #expect(app.cleanTrace == ["go", "closed 1.0", "closed 2.0", "x"])
  }

  @Test func aWaitInACloseHandlerOfACancelledBodyRaisesAgain() throws {
    let app = try cancelled(
      """
      local outer <close> = setmetatable({}, { __close = function(_, e) note("outer " .. tostring(e == effect.cancelled)) end })
      local inner <close> = setmetatable({}, { __close = function(_, e)
        local ok, again = pcall(deps.clock.sleep, 1)
        note(tostring(ok) .. " " .. tostring(again == effect.cancelled))
        effect.yield()
        note("never")
      end })
      deps.clock.sleep(1)
      """)
    #expect(app.cleanTrace == ["go", "cancel", "false true", "outer true"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aSwallowedCancellationIsRaisedAgainAndTheHundredthStops() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          local closing <close> = setmetatable({}, { __close = function() note("closed") end })
          while true do
            pcall(deps.clock.sleep, 1)
            count = count + 1
            send("never")
          end
        end, { catch = function() note("caught") end }):cancellable("x")
      end,
      cancel = function() return effect.cancel("x") end,
      count = function(state) state.count = count end,
      """, locals: "local count = 0")
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    app.store.send("count")
    // One before it was cancelled.
    let count = try #require(app.store.state["count"].int)
    #expect((99...101).contains(count), "\(count)")
    #expect(app.trace == ["go", "never", "cancel", "closed", "count"])
    let warning = try #require(app.scripts.warnings.first)
    #expect(app.scripts.warnings.count == 1)
    #expect(warning.kind == .cancellationSwallowed)
    #expect(warning.effect?.id == "x")
    #expect(warning.effect?.feature == "App")
  }

  @Test func theStopCannotBeSwallowedInNestedCallsEither() throws {
    let app = try cancelled(
      """
      local function try(n)
        if n > 0 then return pcall(try, n - 1) end
        while true do effect.result(function() pcall(deps.clock.sleep, 1) end); effect.isCancelled() end
      end
      while true do xpcall(try, function(e) return e end, 20) end
      """)
    #expect(app.scripts.warnings.map(\.kind) == [.cancellationSwallowed])
    #expect(app.store.effects.isEmpty)
    #expect(app.trace == ["go", "cancel"])
  }

  @Test func catchAndResultNeverSeeACancellation() throws {
    let app = try cancelled(
      """
      local result = effect.result(deps.clock.sleep, 5)
      note("result")
      """, catches: true)
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["go", "cancel"])
  }

  @Test func anErrorOfItsOwnInACancelledBodyIsAWarning() throws {
    let app = try cancelled(
      """
      local closing <close> = setmetatable({}, { __close = function() error("while closing") end })
      deps.clock.sleep(5)
      """)
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(app.scripts.warnings.first?.message.contains("while closing") == true)
  }

  @Test func aBodyThatCancelsItselfStopsAtItsNextWait() throws {
    let app = try EffectApp(
      """
      byAction = function()
        return effect.run(function(send) send("cancel"); note("goes on"); send("never"); effect.yield(); note("never") end):cancellable("x")
      end,
      inside = function()
        return effect.run(function(send) effect.cancel("x"); note(effect.isCancelled()); send("never"); effect.yield(); note("never") end):cancellable("x")
      end,
      cancel = function() return effect.cancel("x") end,
      """)
    app.store.send("byAction")
    app.store.send("inside")
    #expect(app.cleanTrace == ["byAction", "cancel", "goes on", "inside", "true"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aBodyMayRaiseTheSentinelItself() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function() error(effect.cancelled) end, { catch = function() note('caught') end }) end,
      """
    )
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
  }

  @Test func aBodyThatIsCancelledBeforeItStartsNeverDoes() throws {
    let app = try EffectApp(
      """
      go = function() return effect.merge(effect.run(function() note("never") end):cancellable("x"), effect.send("cancel")) end,
      cancel = function() return effect.cancel("x") end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "cancel"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func effectsOfActionsThatACancelledBodySentGoOn() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) send("child"); deps.clock.sleep(1); note("never") end):cancellable("x") end,
      child = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("child goes on") end) end,
      cancel = function() return effect.cancel("x") end,
      """)
    app.store.send("go")
    app.store.send("cancel")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "child", "cancel", "child goes on"])
  }

  @Test func anActionThatIsRolledBackCancelsNothing() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("goes on") end):cancellable("x") end,
      ["child.bad"] = function() error("no") end,
      """,
      locals:
        """
        local Child = scripted.feature { on = { bad = function() return effect.cancel('x') end } }
        """,
      operators: ":scope('child', Child)", state: "{ child = {} }")
    app.store.send("go")
    app.store.send("child.bad")
    app.clock.advance(by: .seconds(1))
    #expect(app.trace == ["go", "child.bad", "goes on"])
  }

  // MARK: Paths

  private static let nested = """
    local Leaf = scripted.feature {
      name = "Leaf", state = { id = 1 }, dependencies = { "clock" },
      on = { go = function() return effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable("x") end },
    }
    local Mid = scripted.feature { name = "Mid", state = { id = 1, leaves = { { id = 1 } } } }:forEach("leaves", Leaf)
    """

  @Test(arguments: [
    ("mids[*].leafs[*]", "names \"leafs\", which is no child of Mid; did you mean 'leaves'?"),
    ("mids[1].other", "names \"other\", which is no child of Mid"),
    ("mids.leaves[*]", "which is written \"mids[*]\""),
    ("one[1]", "which is written \"one\""),
  ]) func aPathThatNamesNoChildIsAWarning(_ path: String, _ message: String) throws {
    for code in [
      "return effect.cancel('x', '\(path)')",
      "return effect.run(function() effect.cancel('x', '\(path)') end)",
    ] {
      let app = try EffectApp(
        "cancel = function() \(code) end,", locals: Self.nested,
        operators: ":forEach('mids', Mid):scope('one', Leaf)",
        state: "{ mids = { { id = 1, leaves = { { id = 1 } } } }, one = { id = 1 } }")
      app.store.send("mids[1].leaves[1].go")
      app.store.send("cancel")
      #expect(app.scripts.warnings.count == 1)
      let warning = app.scripts.warnings.first
      #expect(warning?.kind == .effectError)
      #expect(warning?.message.contains(message) == true, "\(warning?.message ?? "none")")
      #expect(app.store.effects.count == 1)
    }
  }

  @Test func aPathThatNamesPlacesWhereNothingIsInFlightIsNone() throws {
    let app = try EffectApp(
      "cancel = function() return effect.merge(effect.cancel('x', 'mids[*].leaves[*]'), effect.cancel('x', 'mids[9]')) end,",
      locals: Self.nested, operators: ":forEach('mids', Mid)", state: "{ mids = {} }")
    app.store.send("cancel")
    #expect(app.scripts.warnings.isEmpty)
  }

  @Test func anIdReachesAnEffectOfARunReducerThatHasNotStarted() throws {
    let app = try EffectApp(
      """
      go = function(state) return effect.concatenate(
        effect.run(function(_, deps) deps.clock.sleep(1) end), Child.run(state.child, "go"), effect.send("end"))
      end,
      cancel = function() return effect.cancel("x") end,
      done = function() end, ["end"] = function() end,
      """,
      locals: """
        local Child = scripted.feature {
          name = "Child", state = {},
          on = { go = function() return effect.run(function(send) send("done") end):cancellable("x") end },
        }
        """, state: "{ child = {} }")
    app.store.send("go")
    app.store.send("cancel")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "cancel", "end"])
  }
}

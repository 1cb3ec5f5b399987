import LuaBridge
import ScriptedStore
import Testing

/// `debounce`: the start is delayed, and each new one takes the place of the one before.
struct DebounceTests {
  private func app(_ effect: String = "effect.send('done', action.value)") throws -> EffectApp {
    try EffectApp(
      """
      go = function(_, action) return \(effect):debounce("d", 1) end,
      cancel = function() return effect.cancel("d") end,
      """)
  }

  @Test func onlyTheLastStartsAfterTheDelay() throws {
    let app = try app()
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(0.5))
    try app.store.send("go", 2)
    app.clock.advance(by: .seconds(0.5))
    try app.store.send("go", 3)
    app.clock.advance(by: .seconds(0.999))
    #expect(app.cleanTrace == ["go 1", "go 2", "go 3"])
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(0.001))
    #expect(app.cleanTrace == ["go 1", "go 2", "go 3", "done 3"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func itMayBeUsedAgainAfterwards() throws {
    let app = try app()
    for turn in 1...3 {
      try app.store.send("go", .integer(Int64(turn)))
      app.clock.advance(by: .seconds(1))
    }
    #expect(app.cleanTrace == ["go 1", "done 1", "go 2", "done 2", "go 3", "done 3"])
  }

  @Test func aPredecessorThatRunsIsCancelled() throws {
    let app = try app(
      """
      effect.run(function(send, deps) note('+'); deps.clock.sleep(5); send('done', action.value) end)
      """)
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(2))
    #expect(app.cleanTrace == ["go 1", "+"])
    try app.store.send("go", 2)
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["go 1", "+", "go 2", "+", "done 2"])
  }

  @Test func aCancelDropsWhatIsPending() throws {
    let app = try app()
    try app.store.send("go", 1)
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["go 1", "cancel"])
  }

  @Test func itsIdIsThatOfCancellable() throws {
    let app = try EffectApp(
      """
      go = function() return effect.send("never"):debounce("x", 1) end,
      replace = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("new") end):cancellable("x", { cancelInFlight = true }) end,
      """)
    app.store.send("go")
    app.store.send("replace")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "replace", "new"])
  }

  @Test func differentIdsAndPlacesDoNotMeet() throws {
    let app = try EffectApp(
      """
      go = function(_, action) return effect.send('done', action.value):debounce(action.value, 1) end,
      """,
      locals: """
        local Row = scripted.feature { actions = { "done" }, on = {
          go = function() return effect.send("done"):debounce("d", 1) end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 }, { id = 2 } } }")
    for value in [1, 2, 1] as [Value] { try app.store.send("go", value) }
    for id in [1, 2, 1] { try app.store.send("rows[\(id)].go") }
    app.clock.advance(by: .seconds(1))
    #expect(
      app.cleanTrace.suffix(4) == ["done 2", "done 1", "rows[2].done", "rows[1].done"])
    #expect(app.cleanTrace.count == 10)
  }

  @Test func itUsesTheStoresClockWithoutDeclaringIt() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { state = { n = 0 }, on = {
          go = function() return effect.send("up"):debounce("d", 1) end,
          up = function(state) state.n = state.n + 1 end,
        } }
        """
      ], clock: clock)
    let store = try scripts.store()
    store.send("go")
    clock.advance(by: .seconds(1))
    #expect(store.state == ["n": 1])
  }

  @Test(arguments: ["0", "1e-12"]) func aDelayOfNothingStartsAtTheNextAdvance(_ seconds: String)
    throws
  {
    let app = try EffectApp(
      "go = function() return effect.send('done'):debounce('d', \(seconds)) end,")
    app.store.send("go")
    app.store.send("go")
    app.clock.advance()
    #expect(app.cleanTrace == ["go", "go", "done"])
  }

  @Test func aDebounceInAConcatenateHoldsUpTheNext() throws {
    let app = try EffectApp(
      """
      go = function() return effect.concatenate(effect.send("first"):debounce("d", 1), effect.send("second")) end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "first", "second"])
  }

  @Test func aRolledBackActionLeavesWhatIsPending() throws {
    let app = try EffectApp(
      """
      go = function() return effect.send("done"):debounce("d", 1) end,
      ["child.bad"] = function() error("no") end,
      """,
      locals: """
        local Child = scripted.feature { on = { bad = function() return effect.send("bad"):debounce("d", 1) end } }
        """, operators: ":scope('child', Child)", state: "{ child = {} }")
    app.store.send("go")
    app.store.send("child.bad")
    app.clock.advance(by: .seconds(1))
    #expect(app.trace == ["go", "child.bad", "done"])
  }

  /// Of an element whose only effect is the one that is replaced.
  @Test func anElementsDebounceIsReplacedAndGoesWithIt() throws {
    func app() throws -> EffectApp {
      try EffectApp(
        """
        remove = function(state, action) list.remove(state.rows, action.value) end,
        """,
        locals: """
          local Row = scripted.feature { actions = { "done" }, on = {
            go = function() return effect.send("done"):debounce("d", 1) end,
            none = function() return effect.none:debounce("d", 1) end,
          } }
          """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 }, { id = 2 } } }")
    }
    let fires = try app()
    for _ in 0..<4 { fires.store.send("rows[1].go") }
    #expect(fires.store.effects.map(\.place) == ["rows[1]"])
    fires.clock.advance(by: .seconds(5))
    #expect(fires.cleanTrace.filter { $0.hasSuffix("done") } == ["rows[1].done"])
    for count in 1...4 {
      let removed = try app()
      for _ in 0..<count { removed.store.send("rows[1].go") }
      try removed.store.send("remove", 1)
      #expect(removed.store.effects.isEmpty)
      removed.clock.advance(by: .seconds(5))
      #expect(removed.cleanTrace.last == "remove 1")
    }
  }

  @Test func anIdInsideReachesWhatWaits() throws {
    let app = try EffectApp(
      """
      go = function(_, action)
        return effect.merge(
          effect.run(function(send) send('one') end):cancellable('one', { cancelInFlight = action.replace }),
          effect.send('two'))
          :debounce(action.id or "d", 1)
      end,
      alone = function() return effect.run(function(send) send('one') end):cancellable('one'):debounce("d", 1) end,
      one = function() end, two = function() end,
      cancel = function() return effect.cancel("one") end,
      """)
    app.store.send("alone")
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    app.store.send("go")
    app.store.send("cancel")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["alone", "cancel", "go", "cancel", "two"])
    // It is its own id that is cancelled when it starts.
    try app.store.send("go", ["replace": true])
    app.clock.advance(by: .seconds(1))
    #expect(
      app.cleanTrace.suffix(3) == ["go", "two", "one"]
        || app.cleanTrace.suffix(3) == ["go", "one", "two"])
    #expect(app.store.effects.isEmpty && app.scripts.warnings.isEmpty)
  }

  @Test func whatReplacesAnIdInFlightLeavesWhatWaits() throws {
    let app = try EffectApp(
      """
      go = function(_, action)
        return effect.run(function(send, deps) deps.clock.sleep(0.1) send('done', action.id) end)
          :cancellable('one', { cancelInFlight = true }):debounce(action.id, action.seconds)
      end,
      done = function() end,
      """)
    try app.store.send("go", ["id": "a", "seconds": 1])
    try app.store.send("go", ["id": "b", "seconds": 2])
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace.suffix(2) == ["done a", "done b"])
  }
}

import LuaBridge
import ScriptedStore
import Testing

/// `throttle`: the first at once; at the interval's end the last or the first that was held.
struct ThrottleTests {
  private func app(latest: Bool) throws -> EffectApp {
    try EffectApp(
      """
      go = function(_, action) return effect.send("done", action.value):throttle("t", 1, { latest = \(latest) }) end,
      cancel = function() return effect.cancel("t") end,
      """)
  }

  /// In quarters of a second, as observers hear when the clock has been advanced.
  private func pass(_ clock: VirtualClock, until end: Double) {
    while clock.now < .seconds(end) { clock.advance(by: .seconds(0.25)) }
  }

  /// What comes through of a `go` at each of these times, with the time of its coming.
  private func through(latest: Bool, at times: [Double], until end: Double) throws -> [String] {
    let app = try app(latest: latest)
    let done = Recorder<String>()
    let clock = app.clock
    let observation = app.store.onAction { record in
      guard record.action.path == "done" else { return }
      done.record("\(record.action.payload["value"] ?? .null) at \(clock.now / .seconds(1))")
    }
    for (index, time) in times.enumerated() {
      pass(clock, until: time)
      try app.store.send("go", .integer(Int64(index + 1)))
    }
    pass(clock, until: end)
    observation.cancel()
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.errors.isEmpty && app.scripts.warnings.isEmpty)
    return done.all
  }

  @Test func theFirstComesAtOnceAndTheLastHeldAtTheEnd() throws {
    #expect(
      try through(latest: true, at: [0, 0.25, 0.5, 0.75], until: 5) == ["1 at 0.0", "4 at 1.0"])
  }

  @Test func theFirstHeldComesAtTheEndWithoutLatest() throws {
    #expect(
      try through(latest: false, at: [0, 0.25, 0.5, 0.75], until: 5) == ["1 at 0.0", "2 at 1.0"])
  }

  @Test func whatComesAtTheEndBeginsANewInterval() throws {
    #expect(
      try through(latest: true, at: [0, 0.5, 1.5, 1.75], until: 5)
        == ["1 at 0.0", "2 at 1.0", "4 at 2.0"])
    #expect(
      try through(latest: false, at: [0, 0.5, 1.5, 1.75], until: 5)
        == ["1 at 0.0", "2 at 1.0", "3 at 2.0"])
  }

  @Test func afterAnIntervalWithNothingHeldTheNextComesAtOnce() throws {
    #expect(
      try through(latest: true, at: [0, 1, 1.5, 3.25], until: 5)
        == ["1 at 0.0", "2 at 1.0", "3 at 2.0", "4 at 3.25"])
  }

  @Test func anIntervalWithNothingHeldIsNotInFlight() throws {
    let app = try app(latest: true)
    try app.store.send("go", 1)
    #expect(app.cleanTrace == ["go 1", "done 1"])
    #expect(app.store.effects.isEmpty)
    try app.store.send("go", 2)
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go 1", "done 1", "go 2", "done 2"])
    #expect(app.store.effects.isEmpty)
  }

  @Test(arguments: [true, false]) func aCancelDropsWhatIsHeld(_ latest: Bool) throws {
    let app = try app(latest: latest)
    try app.store.send("go", 1)
    try app.store.send("go", 2)
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["go 1", "done 1", "go 2", "cancel"])
  }

  @Test(arguments: [
    (true, ["done 1 at 0.0", "done 4 at 1.0", "done 6 at 2.0"]),
    (false, ["done 1 at 0.0", "done 2 at 1.0", "done 5 at 2.0"]),
  ]) func theActionsThatOneBodySendsAreThrottled(_ latest: Bool, _ expected: [String]) throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          for i = 1, 6 do send("done", i); deps.clock.sleep(0.3) end
          note("body")
        end):throttle("t", 1, { latest = \(latest) })
      end,
      """)
    let done = Recorder<String>()
    let clock = app.clock
    let observation = app.store.onAction { record in
      if record.source == .effect {
        done.record("done \(record.action.payload["value"] ?? .null) at \(clock.now / .seconds(1))")
      }
    }
    app.store.send("go")
    pass(clock, until: 5)
    observation.cancel()
    #expect(done.all == expected)
    #expect(app.store.effects.isEmpty)
  }

  @Test func placesAndIdsHaveIntervalsOfTheirOwn() throws {
    let app = try EffectApp(
      """
      go = function(_, action) return effect.send('done', action.value):throttle(action.value, 1, { latest = true }) end,
      """,
      locals: """
        local Row = scripted.feature { actions = { "done" }, on = {
          go = function() return effect.send("done"):throttle("t", 1, { latest = true }) end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 }, { id = 2 } } }")
    for value in [1, 2] as [Value] { try app.store.send("go", value) }
    for id in 1...2 { try app.store.send("rows[\(id)].go") }
    #expect(
      app.cleanTrace == [
        "go 1", "done 1", "go 2", "done 2", "rows[1].go", "rows[1].done", "rows[2].go",
        "rows[2].done",
      ])
  }

  @Test func whatIsHeldGoesWithItsElement() throws {
    let app = try EffectApp(
      "remove = function(state, action) list.remove(state.rows, action.value) end,",
      locals: """
        local Row = scripted.feature { actions = { "done" }, on = {
          go = function() return effect.send("done"):throttle("t", 1, { latest = true }) end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 } } }")
    for _ in 1...2 { app.store.send("rows[1].go") }
    try app.store.send("remove", 1)
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["rows[1].go", "rows[1].done", "rows[1].go", "remove 1"])
  }

  @Test func anIntervalOfNoTimeHoldsNothingUp() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          for i = 1, 3 do send("done", i) end
        end):throttle("t", 0, { latest = true })
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    for _ in 1...3 { app.clock.advance() }
    #expect(app.store.effects.isEmpty)
    #expect(app.cleanTrace == ["go", "done 1", "done 2", "done 3"], "\(app.cleanTrace)")
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    app.clock.advance()
    #expect(app.store.effects.isEmpty)
  }
}

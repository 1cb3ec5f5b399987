import LuaBridge
import ScriptedStore
import Testing

/// Times that no clock shows.
struct SleepTests {
  private func app(_ body: String) throws -> EffectApp {
    try EffectApp(
      """
      go = function() return effect.run(function(send, deps) \(body); note("woke " .. deps.clock.now()) end):cancellable("x") end,
      cancel = function() return effect.cancel("x") end,
      """)
  }

  @Test(arguments: ["0", "0.0", "-0.0"])
  func noTimeWaitsForTheNextAdvance(_ seconds: String) throws {
    let app = try app("deps.clock.sleep(\(seconds))")
    app.store.send("go")
    #expect(app.cleanTrace == ["go"])
    #expect(app.waits == ["clock.sleep"])
    app.clock.advance()
    #expect(app.cleanTrace == ["go", "woke 0.0"])
  }

  @Test func timesBelowAMicrosecondPass() throws {
    let app = try app(
      """
      for _ = 1, 3 do deps.clock.sleep(1e-9) end
      for n in deps.clock.timer(6e-7) do if n == 4 then break end end
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "woke 7e-06"])
    #expect(app.store.effects.isEmpty)
  }

  @Test(arguments: ["1e300", "math.huge", "math.maxinteger", "1e19"])
  func aHugeTimeNeverPassesAndCanBeCancelled(_ seconds: String) throws {
    let app = try app("deps.clock.sleep(\(seconds))")
    app.store.send("go")
    app.clock.advance(by: .seconds(1e9))
    #expect(app.cleanTrace == ["go"])
    #expect(app.waits == ["clock.sleep"])
    app.store.send("cancel")
    #expect(app.store.effects.isEmpty)
  }

  @Test(arguments: ["clock.sleep", "clock.timer"]) func whatIsNoTimeRaises(_ name: String) throws {
    for argument in ["-1", "-math.huge", "-1e-300", "0/0", "'x'", "nil", "{}", "true"] {
      let app = try app("deps.\(name)(\(argument))")
      app.store.send("go")
      let warning = try #require(app.scripts.warnings.first, "\(name)(\(argument))")
      #expect(warning.kind == .effectError)
      let function = name.split(separator: ".")[1]
      #expect(warning.message.contains("bad argument #1 to '"), "\(warning.message)")
      #expect(warning.message.contains(function), "\(warning.message)")
      #expect(app.store.effects.isEmpty)
    }
  }

  @Test(arguments: [
    "0", "-1",
    """
    -math.huge
    """,
  ]) func aTimerWithoutIntervalRaises(_ seconds: String) throws {
    let app = try app("for _ in deps.clock.timer(\(seconds)) do end")
    app.store.send("go")
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(app.scripts.warnings.first?.message.contains("clock.timer") == true)
  }

  @Test func timesOfAnEffectRaiseToo() throws {
    for (call, name) in [
      ("debounce('x', 0/0)", "debounce"), ("throttle('x', 0/0, { latest = true })", "throttle"),
    ] {
      let app = try EffectApp("go = function() return effect.run(function() end):\(call) end,")
      app.store.send("go")
      #expect(app.scripts.errors.first?.message.contains(name) == true, "\(app.scripts.errors)")
    }
    let app = try EffectApp(
      """
      go = function() return effect.run(function() effect.timeout(0/0, print) end) end,
      """)
    app.store.send("go")
    #expect(app.scripts.warnings.first?.message.contains("timeout") == true)
  }

  @Test func manySmallStepsAddUp() throws {
    let app = try app("deps.clock.sleep(1)")
    app.store.send("go")
    for _ in 0..<10 { app.clock.advance(by: .seconds(0.1)) }
    #expect(app.cleanTrace.count == 2)
  }

  @Test func theClockOfAHostIsThatOfAllItsStores() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { state = { at = {} }, dependencies = { "clock" }, on = {
          go = function(_, action) return effect.run(function(send, deps) deps.clock.sleep(action.value); send("woke", deps.clock.now()) end) end,
          woke = function(state, action) state.at = action.value end,
        } }
        """
      ], workers: 3, clock: clock)
    let stores = try (1...9).map { _ in try scripts.store() }
    for (index, store) in stores.enumerated() { try store.send("go", .integer(Int64(index + 1))) }
    clock.advance(by: .seconds(5))
    #expect(stores.map { $0.state["at"].double } == [1, 2, 3, 4, 5, nil, nil, nil, nil])
    clock.advance(by: .seconds(5))
    #expect(stores.map { $0.state["at"].double } == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(clock.now == .seconds(10))
  }

  @Test func advancingFromInsideAnObserverOrManyThreads() async throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
          go = function() return effect.run(function(send, deps) for _ = 1, 10 do deps.clock.sleep(1); send("up") end end) end,
          up = function(state) state.n = state.n + 1 end,
        } }
        """
      ], clock: clock)
    let store = try scripts.store()
    store.send("go")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { clock.advance(by: .seconds(1)) } }
    }
    #expect(store.state["n"] == 10)
    #expect(store.effects.isEmpty)
    #expect(clock.now == .seconds(10))
  }

  /// Without a clock of the host's, time passes by itself.
  @Test func theMonotonicClock() async throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = {}, dependencies = { "clock" }, on = {
          go = function()
            return effect.run(function(send, deps)
              local start = deps.clock.now()
              deps.clock.sleep(0.02)
              for n in deps.clock.timer(0.01) do if n == 2 then break end end
              send("woke", deps.clock.now() - start)
            end)
          end,
          debounced = function() return effect.send("woke", 1):debounce("d", 0.01) end,
          woke = function(state, action) state.after = action.value end,
        } }
        """)
    let store = try scripts.store()
    await store.send("go").finish()
    let after = try #require(store.state["after"].double)
    #expect(after >= 0.04)
    await store.send("debounced").finish()
    #expect(store.state["after"] == 1)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// What another clock or a stream lets go on may sleep on the store's own clock.
  @Test(.timeLimit(.minutes(5)), arguments: ["timer", "stream"])
  func theMonotonicClockWakesWhatSomethingElseHasWokenBefore(_ what: String) async throws {
    let (timer, stream) = (VirtualClock(), TestStream())
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { woke = 0 }, dependencies = { "clock", "timer", "source" },
          on = {
            timer = function()
              return effect.run(function(send, deps) deps.timer.sleep(1) deps.clock.sleep(0.001) send("woke") end)
            end,
            stream = function()
              return effect.run(function(send, deps)
                for _ in deps.source.updates() do break end
                deps.clock.sleep(0.001)
                send("woke")
              end)
            end,
            woke = function(state) state.woke = state.woke + 1 end,
          },
        }
        """
      ],
      dependencies: Dependencies([
        "timer": .clock(timer), "source": .client(["updates": .stream(stream)]),
      ]))
    let store = try scripts.store()
    let task = try store.send(what)
    timer.advance(by: .seconds(1))
    try stream.send(1)
    await task.finish()
    #expect(store.state["woke"] == 1)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test(arguments: ["sleep(1)", "timer(1)"]) func aColonIsToldToBeADot(_ call: String) throws {
    let app = try app("deps.clock:\(call)")
    app.store.send("go")
    let remedy = "call it with a dot: deps.clock.\(call.prefix { $0 != "(" })(seconds)"
    #expect(app.scripts.warnings.first?.message.contains(remedy) == true)
  }
}

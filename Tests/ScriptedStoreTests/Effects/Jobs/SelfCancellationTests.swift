import LuaBridge
import ScriptedStore
import Testing

/// Effects that cancel or replace, when they start, what they are themselves a part of.
struct SelfCancellationTests {
  private static let work =
    "effect.run(function(send, deps) deps.clock.sleep(1); send('done', action.value) end)"

  private func app(_ effect: String, on more: String = "") throws -> EffectApp {
    try EffectApp(
      "go = function(_, action) return \(effect) end, "
        + "stop = function(_, action) return effect.cancel(action.value) end, \(more)")
  }

  @Test(arguments: [
    "\(work):cancellable('a', { cancelInFlight = true }):debounce('a', 1)",
    "\(work):debounce('a', 0.5):debounce('a', 0.5)",
    "\(work):debounce('b', 0.4):debounce('a', 0.3):debounce('b', 0.3)",
    "\(work):debounce('b', 0.5):debounce('a', 0.5):cancellable('b')",
    "\(work):debounce('a', 1):cancellable('a', { cancelInFlight = true })",
    "\(work):cancellable('a', { cancelInFlight = true }):cancellable('a', { cancelInFlight = true }):debounce('b', 1)",
    "effect.concatenate(effect.run(function(_, deps) deps.clock.sleep(1) end), "
      + "\(work):cancellable('a', { cancelInFlight = true })):cancellable('a')",
  ])
  func anEffectThatReplacesItsIdIsNotCancelledByItsOwnStart(_ effect: String) throws {
    let app = try app(effect)
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["go 1", "done 1"])
    #expect(app.store.effects.isEmpty)
  }

  @Test(
    arguments: [0.5, 1.5],
    [
      "\(work):cancellable('a', { cancelInFlight = true }):debounce('a', 1)",
      "\(work):debounce('a', 0.5):debounce('a', 0.5)",
    ])
  func itStillReplacesTheOneBeforeHeldOrRunning(_ seconds: Double, _ effect: String) throws {
    let app = try app(effect)
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(seconds))
    try app.store.send("go", 2)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["go 1", "go 2", "done 2"])
    #expect(app.store.effects.isEmpty)
  }

  @Test(arguments: [
    "effect.merge(effect.cancel('a'), \(work)):debounce('a', 1)",
    "effect.merge(effect.cancel('a'), \(work)):cancellable('a')",
    "effect.merge(effect.cancel('a'), \(work):cancellable('c'), effect.send('done')):cancellable('b'):debounce('a', 1)",
    "effect.concatenate(effect.run(function(_, deps) deps.clock.sleep(1) end), effect.cancel('a'), \(work)):cancellable('a')",
    "effect.concatenate(effect.cancel('a'), \(work):debounce('b', 1)):debounce('a', 1)",
    "effect.concatenate(effect.run(function(send, deps) deps.clock.sleep(1); send('stop', 'a') end), \(work)):cancellable('a')",
  ])
  func whatAnEffectCancelsIncludesTheRestOfItselfWhichDoesNotStart(_ effect: String) throws {
    let app = try app(effect)
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace.filter { $0 != "stop a" } == ["go 1"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatWasCancelledStaysUnderItsIdUntilItEnds() throws {
    let app = try app("\(Self.work):cancellable('a', { cancelInFlight = true }):debounce('a', 1)")
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(1.5))
    #expect(app.waits == ["clock.sleep"])
    try app.store.send("stop", "a")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(3))
    #expect(app.cleanTrace == ["go 1", "stop a"])
  }

  @Test func aReplacedEffectMayCancelTheOneThatReplacesIt() throws {
    // The replaced sequence goes on with its last part when the first is cancelled, and that cancels what is being started.
    let app = try app(
      "effect.merge(effect.send('first'), \(Self.work):cancellable('a', { cancelInFlight = true })):cancellable('b')",
      on: """
        hold = function()
          return effect.concatenate(
            effect.run(function(_, deps) deps.clock.sleep(9) end):cancellable('a'), effect.cancel('b'))
        end,
        """)
    app.store.send("hold")
    try app.store.send("go", 1)
    app.clock.advance(by: .seconds(3))
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.errors.isEmpty && app.scripts.warnings.isEmpty)
  }

  @Test(arguments: ["effect.all { F }", "effect.race { F }", "effect.withCancellation('a', F)"])
  func effectAllAndTheLikeAreNested200DeepAndNoDeeper(_ template: String) async throws {
    let call = template.replacing("F", with: "function() down(n - 1) end")
    let app = try EffectApp(
      """
      go = function(_, action)
        return effect.run(function(_, deps)
          local function down(n)
            if n == 0 then deps.clock.sleep(5) else \(call) end
          end
          down(action.value)
        end):cancellable("go")
      end,
      stop = function() return effect.cancel("go") end,
      """)
    await onSmallStack {
      _ = try? app.store.send("go", 150)
      #expect(app.store.effects.count == 1)
      _ = app.store.send("stop")
      #expect(app.store.effects.isEmpty && app.scripts.warnings.isEmpty)
      _ = try? app.store.send("go", 1_000_000)
      #expect(app.store.effects.isEmpty)
    }
    let name = template.prefix { $0 != " " && $0 != "(" }
    #expect(app.scripts.warnings.count == 1)
    #expect(app.scripts.warnings.first?.message.contains("\(name) is nested in 200 others") == true)
  }
}

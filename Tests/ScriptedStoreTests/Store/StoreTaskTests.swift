import LuaBridge
import ScriptedStore
import Testing

/// What `send` returns: finishing waits for all that the action started, cancelling ends it.
struct StoreTaskTests {
  private static let chain = """
    go = function() return effect.merge(effect.run(function(send, deps) deps.clock.sleep(1); send("second") end), effect.send("sent")) end,
    sent = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("body of sent") end) end,
    second = function()
      return effect.run(function(send, deps) deps.clock.sleep(1); send("third", deps.clock.now()) end):debounce("d", 1)
    end,
    other = function() return effect.run(function(_, deps) deps.clock.sleep(100); note("other") end) end,
    """

  @Test func finishWaitsForAllThatTheActionStartedTransitively() async throws {
    let app = try EffectApp(Self.chain)
    let task = app.store.send("go")
    app.store.send("other")
    let ends = Recorder<Int>()
    let waiters = (0..<3).map { index in
      Task {
        await task.finish()
        ends.record(index)
      }
    }
    for _ in 0..<2 {
      app.clock.advance(by: .seconds(1))
      for _ in 0..<20 { await Task.yield() }
      #expect(ends.all == [])
    }
    app.clock.advance(by: .seconds(1))
    for waiter in waiters { await waiter.value }
    #expect(ends.all.sorted() == [0, 1, 2])
    #expect(app.cleanTrace == ["go", "sent", "other", "second", "body of sent", "third 3.0"])
    #expect(app.store.effects.count == 1)
    #expect(!task.isCancelled)
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["alone", "besideAnother"])
  func whatAThrottleHoldsForASequenceWithAnIDIsAPartOfItsTask(_ action: String) async throws {
    let held = """
      effect.concatenate(effect.cancel("x"), effect.send("sent"):throttle("t", 10, { latest = true }))
      """
    let app = try EffectApp(
      """
      open = function() return effect.send("sent"):throttle("t", 10) end,
      alone = function() return \(held):cancellable("c") end,
      besideAnother = function()
        local sleep = effect.run(function(_, deps) deps.clock.sleep(1) end)
        return effect.merge(sleep, \(held)):cancellable("c")
      end,
      sent = function() end,
      """)
    app.store.send("open")
    let task = try app.store.send(action)
    let ends = Recorder<Bool>()
    let waiter = Task {
      await task.finish()
      ends.record(true)
    }
    for _ in 0..<20 { await Task.yield() }
    app.clock.advance(by: .seconds(1))
    for _ in 0..<20 { await Task.yield() }
    #expect(ends.all == [])
    app.clock.advance(by: .seconds(9))
    await waiter.value
    #expect(app.cleanTrace == ["open", "sent", action, "sent"])
    await app.store.finish()
  }

  @Test(arguments: ["debounces", "throttles", "follows", "sends"])
  func whatIsSentAtTheEndOfAnEffectIsAPartOfIt(_ action: String) async throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { count = 0 }, dependencies = { "clock" },
          on = {
            debounces = function() return effect.send("then_"):debounce("id", 0.01) end,
            throttles = function()
              return effect.merge(
                effect.send("nothing"):throttle("id", 0.01, { latest = true }),
                effect.send("then_"):throttle("id", 0.01, { latest = true }))
            end,
            follows = function()
              return effect.concatenate(
                effect.run(function(_, deps) deps.clock.sleep(0.01) end), effect.send("then_"))
            end,
            sends = function()
              return effect.run(function(send, deps) deps.clock.sleep(0.01) send("then_") end)
            end,
            nothing = function() end,
            then_ = function()
              return effect.run(function(send, deps) deps.clock.sleep(0.1) send("last") end)
            end,
            last = function(state) state.count = state.count + 1 end,
          },
        }
        """)
    let store = try scripts.store()
    try await store.send(action).finish()
    #expect(store.state["count"] == 1)
    try store.send(action)
    await store.finish()
    #expect(store.state["count"] == 2)
    #expect(store.effects.isEmpty)
  }

  @Test func finishReturnsAtOnceWhereNothingIsInFlight() async throws {
    let app = try EffectApp(
      """
      nothing = function() end, sends = function() return effect.send('nothing') end,
      """)
    await app.store.send(try Action(path: "nothing")).finish()
    await app.store.send("sends").finish()
    await app.store.send(["type": "sends"]).finish()
    try await app.store.send(encoding: "sends").finish()
    await app.store.send("unknown").finish()
    #expect(app.trace.count == 8)
  }

  @Test func cancelEndsAllThatTheActionStartedAndNothingElse() async throws {
    let app = try EffectApp(Self.chain)
    let task = app.store.send("go")
    app.store.send("other")
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.count == 2)
    task.cancel()
    #expect(task.isCancelled)
    await task.finish()
    #expect(app.store.effects.map(\.action) == ["other"])
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["go", "sent", "other", "second", "body of sent"])
    // What is done may be cancelled, again too.
    task.cancel()
    app.store.send("nothing").cancel()
  }

  @Test func cancellingAFinishedTaskReachesNothingLater() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note('done') end):cancellable('x') end,
      """)
    let first = app.store.send("go")
    app.clock.advance(by: .seconds(1))
    let second = app.store.send("go")
    first.cancel()
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "done", "go", "done"])
    #expect(!second.isCancelled)
  }

  /// As in TCA, where `await store.send(.task).finish()` in a view's task ends the effects with the view.
  @Test func cancellingTheTaskThatAwaitsFinishCancelsTheEffects() async throws {
    let app = try EffectApp(Self.chain)
    let task = app.store.send("other")
    let began = AsyncStream.makeStream(of: Void.self)
    let waiter = Task {
      began.continuation.yield()
      await task.finish()
    }
    for await _ in began.stream { break }
    waiter.cancel()
    await waiter.value
    await app.store.finish()
    #expect(app.store.effects.isEmpty)
    #expect(app.cleanTrace == ["other"])
  }

  @Test func finishInATaskThatIsCancelledAlready() async throws {
    let app = try EffectApp(Self.chain)
    let task = app.store.send("other")
    let waiter = Task {
      while !Task.isCancelled { await Task.yield() }
      await task.finish()
    }
    waiter.cancel()
    await waiter.value
    await app.store.finish()
    #expect(app.store.effects.isEmpty)
  }

  @Test func theStoresFinishWaitsUntilNothingIsInFlight() async throws {
    let app = try EffectApp(Self.chain)
    await app.store.finish()
    app.store.send("go")
    let waiter = Task { await app.store.finish() }
    for _ in 0..<3 {
      app.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await waiter.value
    #expect(app.cleanTrace.last == "third 3.0")
  }

  @Test func finishWaitsForAsynchronousDependencies() async throws {
    var dependencies = Dependencies()
    dependencies.register(
      "double",
      live: .asyncFunction("n") { (n: Int) async throws -> Int in
        for _ in 0..<10 { await Task.yield() }
        return n * 2
      })
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) send('got', deps.double(deps.double(5))) end) end,
      """,
      uses: ["double"], dependencies: dependencies)
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "got 20"])
  }

  @Test func manyTasksSendAndFinish() async throws {
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async throws -> Void in await Task.yield() })
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) deps.pause(); send("up"); deps.pause(); send("up") end) end,
      up = function(state) state.n = state.n + 1 end,
      """, state: "{ n = 0 }", uses: ["pause"], dependencies: dependencies)
    let store = app.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          for _ in 0..<5 { await store.send("go").finish() }
        }
      }
      try await group.waitForAll()
    }
    #expect(app.store.state["n"] == 500)
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func tasksFromObserversAndChildStores() async throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note('done') end) end,
      """,
      locals: """
        local Child = scripted.feature { dependencies = { "clock" }, on = { go = function()
          return effect.run(function(_, deps) deps.clock.sleep(1); note("child's done") end) end } }
        """, operators: ":scope('child', Child)", state: "{ child = {} }")
    let tasks = Recorder<StoreTask>()
    let child = app.store.scope(state: "child")
    let observation = app.store.onAction { [weak store = app.store] record in
      if record.action.path == "begin", let store { tasks.record(store.send("go")) }
    }
    app.store.send("begin")
    tasks.record(child.send("go"))
    observation.cancel()
    app.clock.advance(by: .seconds(1))
    for task in tasks.all { await task.finish() }
    #expect(tasks.count == 2)
    #expect(app.cleanTrace == ["begin", "go", "child.go", "done", "child's done"])
  }

  @Test func aTaskOfAStoreThatIsGoneIsFinished() async throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { dependencies = { "clock" }, on = {
          go = function() return effect.run(function(_, deps) deps.clock.sleep(1000) end) end } }
        """
      ], clock: VirtualClock())
    var store: Store? = try scripts.store()
    let task = try #require(store?.send("go"))
    weak let weakly = store
    store = nil
    await task.finish()
    #expect(weakly == nil)
    task.cancel()
  }

  @Test func cancelFromManyThreadsWhileBodiesStart() async throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(_, deps) effect.yield(); deps.clock.sleep(1000) end) end,
      """)
    let store = app.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let task = store.send("go")
          await Task.yield()
          task.cancel()
          await task.finish()
        }
      }
      try await group.waitForAll()
    }
    await store.finish()
    #expect(store.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty)
  }
}

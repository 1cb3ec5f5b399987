import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Clocks, tasks and effects used from inside of what they run.
struct ReentrancyTests {
  private func app(_ body: @escaping @Sendable (VirtualClock) throws -> Void) throws -> EffectApp {
    let clock = Mutex<VirtualClock?>(nil)
    var dependencies = Dependencies()
    dependencies.register(
      "host",
      live: .function { () throws -> Void in try clock.withLock { $0 }.map { try body($0) } })
    let app = try EffectApp(
      """
      sleep = function() return effect.run(function(send, deps) deps.clock.sleep(1); send("woke", deps.clock.now()) end) end,
      go = function() return effect.run(function(_, deps) deps.host(); note("goes on"); deps.clock.sleep(1); note("slept") end) end,
      handler = function(_, _, deps) deps.host(); note("handled") end,
      """, uses: ["host"], dependencies: dependencies)
    clock.withLock { $0 = app.clock }
    return app
  }

  @Test func advancingInsideABodyOrAHandlerHangsNobody() throws {
    let app = try app { $0.advance(by: .seconds(1)) }
    app.store.send("sleep")
    app.store.send("go")
    #expect(app.cleanTrace.prefix(3) == ["sleep", "go", "goes on"])
    app.store.send("handler")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace.contains("handled"))
    #expect(app.cleanTrace.contains("slept"))
    #expect(app.store.effects.isEmpty)
  }

  @Test func advancingInAnObserverRunsWhatIsDue() throws {
    let app = try app { _ in }
    let clock = app.clock
    let observation = app.store.onAction { record in
      if record.action.path == "sleep" { clock.advance(by: .seconds(1)) }
    }
    app.store.send("sleep")
    app.clock.advance()
    observation.cancel()
    #expect(app.cleanTrace == ["sleep", "woke 1.0"])
  }

  @Test func advancingInAnAsynchronousDependency() async throws {
    let clock = VirtualClock()
    var dependencies = Dependencies()
    dependencies.register(
      "advance", live: .asyncFunction { () async throws -> Void in clock.advance(by: .seconds(1)) })
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { state = { n = 0 }, dependencies = { "advance", "clock" }, on = {
          go = function() return effect.run(function(send, deps)
            effect.all { function() deps.clock.sleep(1); send("up") end, deps.advance }
            send("up")
          end) end,
          up = function(state) state.n = state.n + 1 end,
        } }
        """
      ], dependencies: dependencies, clock: clock)
    let store = try scripts.store()
    await store.send("go").finish()
    #expect(store.state == ["n": 2])
  }

  @Test func aBodyThatPollsForWhatATaskBrings() async throws {
    var dependencies = Dependencies()
    dependencies.register(
      "later", live: .asyncFunction { () async throws -> Int in 5 })
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          local result
          effect.all {
            function() result = deps.later() end,
            function() repeat effect.yield() until result end,
          }
          note(result)
        end)
      end,
      """, uses: ["later"], dependencies: dependencies)
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "5"])
  }

  @Test func aSecondHostMayShareTheClock() throws {
    let clock = VirtualClock()
    let source = """
      return scripted.feature { state = { at = 0 }, dependencies = { "clock" }, on = {
        go = function() return effect.run(function(send, deps) deps.clock.sleep(2); send("woke", deps.clock.now()) end) end,
        woke = function(state, action) state.at = action.value end,
      } }
      """
    let hosts = try (0..<2).map { _ in try Scripts(["app": source], clock: clock) }
    let stores = try hosts.map { try $0.store() }
    stores[0].send("go")
    clock.advance(by: .seconds(1))
    stores[1].send("go")
    clock.advance(by: .seconds(2))
    #expect(stores.map { $0.state["at"] } == [2.0, 3.0])
  }

  @Test func aTaskIsCancelledAndFinishedInObservers() async throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(_, deps) deps.clock.sleep(1); note('never') end) end, other = function() end,
      """
    )
    let task = app.store.send("go")
    let observation = app.store.onAction { _ in task.cancel() }
    app.store.send("other")
    observation.cancel()
    await task.finish()
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "other"])
  }

  @Test func sendInAHandlerThatABodyCalls() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) kept = send; send("a"); note("between"); deps.clock.sleep(1); send("b") end) end,
      a = function(state)
        local ok, message = pcall(kept, "c")
        note(ok and "sent" or "refused")
      end,
      """, locals: "local kept")
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    let trace = app.trace
    // A handler has no business sending; whatever is made of it, nothing is lost or out of order.
    #expect(trace.first == "go" && trace.last == "b")
    #expect(trace.firstIndex(of: "a")! < trace.firstIndex(of: "between")!)
    #expect(app.store.effects.isEmpty)
  }

  /// `map` transforms; sending from it is refused or reduced once, but never reduces anything twice.
  @Test func sendInAMapReducesNothingTwice() throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send) kept = send; send("a"); note("end") end) end,
      a = function() return effect.merge(effect.send("b"), effect.send("c")) end,
      b = function()
        return effect.send("mapped"):map(function(action)
          if not once then once = true; pcall(kept, "d") end
          return action
        end)
      end,
      """, locals: "local kept, once")
    app.store.send("go")
    let trace = app.cleanTrace
    #expect(trace.first == "go" && trace.last == "end")
    #expect(trace.count == Set(trace).count, "\(trace)")
    #expect(trace.filter { $0 != "d" } == ["go", "a", "b", "c", "mapped", "end"])
  }

  @Test func theSendOfAnotherBodyIsDroppedWithAWarning() throws {
    let app = try EffectApp(
      """
      one = function() return effect.run(function(send, deps) kept = send; deps.clock.sleep(1); send("from one") end) end,
      two = function() return effect.run(function(send, deps) kept("lent"); deps.clock.sleep(5); kept("too late") end) end,
      """, locals: "local kept")
    app.store.send("one")
    app.store.send("two")
    app.clock.advance(by: .seconds(5))
    #expect(app.trace == ["one", "two", "from one"])
    #expect(app.scripts.warnings.map(\.kind) == [.sendAfterEnd, .sendAfterEnd])
  }

  @Test func storesWhoseEffectsSendToEachOther() throws {
    let peers = Mutex<[Store]>([])
    var dependencies = Dependencies()
    dependencies.register(
      "peer",
      live: .function("to", "path") { (to: Int, path: String) throws -> Void in
        try peers.withLock { $0 }[to].send(path)
      })
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature { state = { n = 0, me = 0 }, dependencies = { "peer" }, on = {
          ping = function(state)
            state.n = state.n + 1
            local other, over = 1 - state.me, state.n >= 40
            return effect.run(function(_, deps) if not over then deps.peer(other, "ping") end end)
          end,
        } }
        """
      ], workers: 2, dependencies: dependencies)
    let stores = try (0..<2).map { try scripts.store(state: ["me": .integer(Int64($0))]) }
    peers.withLock { $0 = stores }
    defer { peers.withLock { $0 = [] } }
    stores[0].send("ping")
    // So few that the thread which sent does them all before it returns.
    #expect(stores.map { $0.state["n"] } == [40, 39])
  }
}

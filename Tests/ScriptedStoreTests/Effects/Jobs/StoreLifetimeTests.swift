import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// A store that goes away cancels its effects.
struct StoreLifetimeTests {
  /// A store that can be let go, and another of the same host, through which one can look.
  private final class Pair {
    let scripts: Scripts
    let clock = VirtualClock()
    var store: Store?
    let other: Store

    init(_ body: String, dependencies: Dependencies = Dependencies(), uses: String = "") throws {
      let clock = clock
      scripts = try Scripts(
        [
          "app": """
          local trace = {}
          local function note(text) trace[#trace + 1] = text end
          return scripted.feature {
            name = "App", state = { trace = {} }, dependencies = { "clock" \(uses) },
            actions = { "never" },
            on = {
              go = function() return effect.run(function(send, deps) \(body) end, { catch = function() note("caught") end }) end,
              rest = function()
                return effect.merge(
                  effect.concatenate(effect.run(function(_, deps) deps.clock.sleep(5) end), effect.run(function() note("never") end)),
                  effect.send("never"):debounce("d", 1))
              end,
              look = function(state) state.trace = trace end,
            },
          }
          """
        ], dependencies: dependencies, clock: clock)
      store = try scripts.store()
      other = try scripts.store()
    }

    var trace: [String] {
      _ = other.send("look")
      return other.state["trace"].array?.compactMap(\.string) ?? []
    }
  }

  private static let open = """
    local closing <close> = setmetatable({}, { __close = function(_, e) note("closed " .. tostring(e == effect.cancelled)) end })
    """

  @Test func whatIsOpenInItsBodiesIsClosed() throws {
    let pair = try Pair("\(Self.open) deps.clock.sleep(100); note('never')")
    pair.store?.send("go")
    pair.store?.send("go")
    pair.store?.send("rest")
    #expect(pair.store?.effects.count == 4)
    pair.store = nil
    #expect(pair.trace == ["closed true", "closed true"])
    pair.clock.advance(by: .seconds(1000))
    #expect(pair.trace == ["closed true", "closed true"])
    #expect(pair.scripts.warnings.isEmpty)
  }

  @Test func aBodyThatNeverEndsIsStopped() throws {
    let pair = try Pair("\(Self.open) while true do pcall(deps.clock.sleep, 1) end")
    pair.store?.send("go")
    pair.store = nil
    #expect(pair.trace == ["closed false"] || pair.trace == ["closed true"])
    #expect(pair.scripts.warnings.map(\.kind) == [.cancellationSwallowed])
    pair.clock.advance(by: .seconds(10))
    pair.other.send("go")
    #expect(pair.other.effects.count == 1)
  }

  @Test func asynchronousCallsAreCancelled() async throws {
    let (cancelled, began) = (
      AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self)
    )
    var dependencies = Dependencies()
    dependencies.register(
      "hang",
      live: .asyncFunction { () async throws -> Void in
        began.continuation.yield()
        await withTaskCancellationHandler {
          for await _ in AsyncStream<Void>.makeStream().stream {}
        } onCancel: {
          cancelled.continuation.yield()
        }
      })
    let pair = try Pair(
      "\(Self.open) deps.hang(); note('never')", dependencies: dependencies, uses: ", 'hang'")
    pair.store?.send("go")
    for await _ in began.stream { break }
    pair.store = nil
    for await _ in cancelled.stream { break }
    #expect(pair.trace == ["closed true"])
  }

  @Test func aSendOfItsCloseHandlersDoesNothing() throws {
    let pair = try Pair(
      """
      local x <close> = setmetatable({}, { __close = function() send('never'); note('sent') end }) deps.clock.sleep(5)
      """)
    pair.store?.send("go")
    pair.store = nil
    #expect(pair.trace == ["sent"])
    #expect(pair.scripts.errors.isEmpty)
  }

  @Test func anEffectDoesNotKeepItsStore() throws {
    let pair = try Pair("deps.clock.sleep(100)")
    weak let store = pair.store
    pair.store?.send("go")
    pair.store = nil
    #expect(store == nil)
  }

  @Test func aChildStoreKeepsTheEffects() throws {
    let pair = try Pair("deps.clock.sleep(1); note('done')")
    pair.store?.send("go")
    var child = pair.store?.scope(state: "trace")
    pair.store = nil
    pair.clock.advance(by: .seconds(1))
    #expect(pair.trace == ["done"])
    child = nil
    #expect(child == nil)
  }

  @Test func aStoreThatGoesInAnActionOfItsOwn() throws {
    let held = Mutex<Store?>(nil)
    let pair = try Pair("\(Self.open) send('never'); deps.clock.sleep(5); note('never')")
    held.withLock { $0 = pair.store }
    pair.store = nil
    let observation = held.withLock { $0 }?.onAction { _ in
      let last = held.withLock { store in
        defer { store = nil }
        return store
      }
      withExtendedLifetime(last) {}
    }
    held.withLock { $0 }?.send("go")
    observation?.cancel()
    #expect(held.withLock { $0 } == nil)
    #expect(pair.trace == ["closed true"])
  }

  @Test func aHostThatGoesWithEverythingInFlight() async throws {
    let closed = Recorder<String>()
    do {
      var dependencies = Dependencies()
      dependencies.register(
        "close", live: .function("text") { (text: String) in closed.record(text) })
      dependencies.register(
        "hang",
        live: .asyncFunction { () async throws -> Void in
          for await _ in AsyncStream<Void>.makeStream().stream {}
        })
      let pair = try Pair(
        """
        local x <close> = setmetatable({}, { __close = function() deps.close("closed") end })
        effect.all { function() deps.clock.sleep(5) end, deps.hang, function() while true do effect.yield() deps.clock.sleep(1) end end }
        """, dependencies: dependencies, uses: ", 'hang', 'close'")
      for _ in 0..<20 { pair.store?.send("go") }
      pair.clock.advance(by: .seconds(1))
    }
    #expect(closed.all == Array(repeating: "closed", count: 20))
  }

  @Test func manyStoresComeAndGoWithEffectsInFlight() throws {
    let pair = try Pair("\(Self.open) deps.clock.sleep(100)")
    for _ in 0..<300 {
      let store = try pair.scripts.store()
      store.send("go")
      store.send("rest")
    }
    #expect(pair.trace.count == 300)
    pair.clock.advance(by: .seconds(1))
    #expect(pair.scripts.warnings.isEmpty && pair.scripts.errors.isEmpty)
  }

  /// An observer lets go of a store while effects of another one are ready.
  @Test func aStoreThatGoesLeavesTheEffectsOfOthersToOtherThreads() async throws {
    let isLettingGo = Mutex(false)
    let turns = Recorder<Bool>()
    let closed = Recorder<String>()
    var dependencies = Dependencies()
    dependencies.register(
      "turn",
      live: .function { turns.record(isOnOwnThread && isLettingGo.withLock { $0 }) })
    dependencies.register("close", live: .function { closed.record("closed") })
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          dependencies = { "turn", "close", "clock" }, state = { n = 0 },
          on = {
            up = function(state) state.n = state.n + 1 end,
            wait = function()
              return effect.run(function(_, deps)
                local closing <close> = setmetatable({}, { __close = function() deps.close() end })
                deps.clock.sleep(1000)
              end)
            end,
            yields = function()
              return effect.run(function(send, deps)
                send("up")
                while true do effect.yield() deps.turn() end
              end):cancellable("yields")
            end,
            stop = function() return effect.cancel("yields") end,
          },
        }
        """
      ], dependencies: dependencies)
    let store = try scripts.store()
    let held = Mutex<Store?>(try scripts.store())
    held.withLock { $0 }?.send("wait")
    let observation = store.observe("n") { _ in
      isLettingGo.withLock { $0 = true }
      let last = held.withLock { store in
        defer { store = nil }
        return store
      }
      withExtendedLifetime(last) {}
      isLettingGo.withLock { $0 = false }
    }
    await onOwnThread { _ = store.send("yields") }
    store.send("stop")
    await store.finish()
    #expect(closed.all == ["closed"])
    #expect(turns.count > 0 && !turns.all.contains(true))
    observation.cancel()
  }
}

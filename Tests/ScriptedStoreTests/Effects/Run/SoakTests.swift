import Dispatch
import Foundation
import LuaBridge
import Testing

@testable import ScriptedStore

/// Effects of all kinds started, cancelled and finished at random from four threads.
struct SoakTests {
  /// How many effects begin; `SOAK_EFFECTS` in the environment sets another number.
  private static let count =
    ProcessInfo.processInfo.environment["SOAK_EFFECTS"].flatMap { Int($0) } ?? 6000

  private static let app = """
    local Row = scripted.feature {
      name = "Row", state = { n = 0 }, dependencies = { "clock", "pause" },
      on = {
        sleep = function(_, action) return effect.run(function(send, deps) deps.clock.sleep(action.value); send("up") end):cancellable("row") end,
        pause = function() return effect.run(function(send, deps) deps.pause(); send("up"); deps.pause() end):cancellable("row", { cancelInFlight = true }) end,
        stop = function() return effect.cancel("row") end,
        up = function(state) state.n = (state.n or 0) + 1 end,
      },
    }
    return scripted.feature {
      name = "Soak", state = { n = 0, rows = {} }, dependencies = { "clock", "pause" },
      on = {
        begin = function(state) for i = 1, 32 do table.insert(state.rows, { id = i }) end end,
        sleep = function(_, action)
          return effect.run(function(send, deps)
            local closing <close> = setmetatable({}, { __close = function() send("up") end })
            deps.clock.sleep(action.seconds)
          end):cancellable(action.id, { cancelInFlight = action.replace })
        end,
        quick = function() return effect.run(function(send) send("up") end) end,
        pause = function(_, action) return effect.run(function(send, deps) deps.pause(); send("up") end):cancellable(action.id) end,
        sides = function(_, action)
          return effect.run(function(send, deps)
            effect.race { function() deps.clock.sleep(action.seconds) end, deps.pause, effect.yield }
            pcall(effect.timeout, action.seconds / 2, function() effect.all { deps.pause, function() deps.clock.sleep(action.seconds) end } end)
          end):cancellable(action.id)
        end,
        chain = function(_, action)
          return effect.concatenate(
            effect.run(function(_, deps) deps.pause() end), effect.send("up"), effect.run(function(_, deps) deps.clock.sleep(action.seconds) end))
            :cancellable(action.id)
        end,
        swallow = function(_, action)
          return effect.run(function(_, deps) for _ = 1, 5 do pcall(deps.clock.sleep, action.seconds) end end):cancellable(action.id)
        end,
        raise = function() return effect.run(function(_, deps) deps.pause(); error({}) end, { catch = function(_, send) send("up") end }) end,
        debounce = function(_, action) return effect.send("up"):debounce(action.id, action.seconds) end,
        throttle = function(_, action) return effect.send("up"):throttle(action.id, action.seconds, { latest = true }) end,
        cancel = function(_, action) return effect.cancel(action.id) end,
        everywhere = function() return effect.cancel("row", "rows[*]") end,
        remove = function(state, action) list.remove(state.rows, action.value) end,
        add = function(state, action) if not list.find(state.rows, action.value) then table.insert(state.rows, { id = action.value }) end end,
        up = function(state) state.n = state.n + 1 end,
        clear = function(state)
          state.rows = {}
          local cancels = {}
          for id = 0, 15 do cancels[#cancels + 1] = effect.cancel(id) end
          return effect.merge(cancels)
        end,
        collect = function(state) local t = {} for i = 1, 2000 do t[i] = { i } end state.memory = collectgarbage("count") end,
      },
    }:forEach("rows", Row)
    """

  @Test func nothingIsLeftAlive() async throws {
    var dependencies = Dependencies()
    dependencies.register(
      "pause", live: .asyncFunction { () async throws -> Void in await Task.yield() })
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.app], dependencies: dependencies, clock: clock)
    let store = try scripts.store()
    // Threads and tables that are kept for the next effects are there after this.
    for seed in 0..<5 { try await run(store, clock, seed: seed) }
    let before = try memory(of: store)
    for seed in 0..<Self.count / (4 * Self.turns) { try await run(store, clock, seed: 100 + seed) }
    #expect(store.effects.isEmpty)
    let after = try memory(of: store)
    #expect(after < before * 1.25 + 100, "\(before) to \(after) KB")
    #expect(scripts.errors.isEmpty, "\(scripts.errors.prefix(3))")
    // Actions for elements that another thread has just removed.
    #expect(
      scripts.warnings.allSatisfy { $0.kind == .missingElement },
      "\(scripts.warnings.filter { $0.kind != .missingElement }.prefix(3))")
  }

  /// What each thread does before all is cancelled and finished, so that only so much is in flight at a time.
  private static let turns = 250

  private func run(_ store: Store, _ clock: VirtualClock, seed: Int) async throws {
    store.send("begin")
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          var random = SplitMix(seed: UInt64(seed * 31 + thread))
          for _ in 0..<SoakTests.turns { SoakTests.turn(store, clock, &random) }
        }
      }
    }
    #if DEBUG
    _ = store.inspectEffects { $0.checkInvariants() }
    #endif
    store.send("clear")
    // What is cancelled may still have to hear from a task, and a throttle's interval to pass.
    clock.advance(by: .seconds(1000))
    await store.finish()
  }

  private static func turn(_ store: Store, _ clock: VirtualClock, _ random: inout SplitMix) {
    let id = Value.integer(Int64(random.next() % 16))
    let row = random.next() % 32 + 1
    let seconds = Value.float(Double(random.next() % 64) / 8)
    let payload: Value = [
      "id": id, "seconds": seconds, "replace": .boolean(random.next() % 2 == 0),
    ]
    let actions = [
      "sleep", "sleep", "quick", "pause", "sides", "chain", "swallow", "raise", "debounce",
      "throttle", "cancel",
    ]
    switch random.next() % 20 {
    case 0..<11:
      let action = actions[Int(random.next() % UInt64(actions.count))]
      let task = try? store.send(action, payload)
      if random.next() % 8 == 0 { task?.cancel() }
    case 11..<13: _ = try? store.send("rows[\(row)].sleep", seconds)
    case 13..<15: _ = try? store.send("rows[\(row)].pause")
    case 15: _ = try? store.send("rows[\(row)].stop")
    case 16: _ = try? store.send("remove", .integer(Int64(row)))
    case 17: _ = try? store.send("add", .integer(Int64(row)))
    case 18: clock.advance(by: .seconds(Double(random.next() % 32) / 8))
    default: _ = random.next() % 8 == 0 ? store.send("everywhere") : store.send("quick")
    }
  }

  /// Kilobytes that Lua holds after it has collected: the least of many times.
  private func memory(of store: Store) throws -> Double {
    var least = Double.infinity
    for _ in 0..<200 {
      store.send("collect")
      least = min(least, store.state["memory"].double ?? .infinity)
    }
    return least
  }
}

import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Actions and effects that go over a limit: stopped, rolled back and reported; everything else goes on.
@Suite struct LimitTests {
  private static let app = """
    local function spin() while true do pcall(function() while true do end end) end end
    local function eat() local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end end
    local attack = { spin = spin, eat = eat }
    return scripted.feature {
      name = "App", state = { count = 0 }, dependencies = { "clock" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        attack = function(state, action) state.count = 99 attack[action.value]() end,
        run = function(state, action)
          return effect.run(function(send)
            send("up")
            attack[action.value]()
            send("up")
          end, { catch = function(_, send) send("up") end })
        end,
        all = function(state, action)
          return effect.run(function(send, deps)
            while true do
              pcall(effect.all, { attack[action.value], function() deps.clock.sleep(1) end })
              effect.result(attack[action.value])
              send("up")
            end
          end)
        end,
        sends = function(state, action)
          return effect.run(function(send) while true do pcall(send, "up") end end)
        end,
        sendsAttack = function(state, action)
          return effect.run(function(send) while true do pcall(send, "attack", action.value) end end)
        end,
        map = function(state, action)
          return effect.send("up"):map(function(a) attack[action.value]() return a end)
        end,
        again = function(state) state.count = state.count + 1 return effect.send("again") end,
        closes = function(state, action)
          return effect.run(function(_, deps)
            local closing <close> = setmetatable({}, { __close = attack[action.value] })
            deps.clock.sleep(10)
          end):cancellable("closes")
        end,
        cancel = function() return effect.cancel("closes") end,
        sleeps = function() return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end) end,
        short = function(state)
          for _ = 1, 2000 do state.count = state.count + 1 end
        end,
      },
    }
    """

  private func scripts(_ limits: Limits, clock: VirtualClock? = nil) throws -> Scripts {
    try Scripts(["app": Self.app], clock: clock) { $0.limits = limits }
  }

  private static let attacks: [(String, ScriptError.Kind)] = [("spin", .time), ("eat", .memory)]
  private static let limits = Limits(
    time: .milliseconds(50), memory: 64 << 20, memoryPerTurn: 4 << 20)

  /// The limit that an attack is stopped by, and no other: on a slow machine time may run out before memory does.
  private static func limits(on kind: ScriptError.Kind) -> Limits {
    kind == .time ? limits : Limits(memory: 64 << 20, memoryPerTurn: 4 << 20)
  }

  @Test(arguments: attacks)
  func anActionIsStoppedAndRolledBack(_ attack: String, _ kind: ScriptError.Kind) throws {
    let scripts = try scripts(Self.limits(on: kind))
    let (store, other) = (try scripts.store(), try scripts.store())
    store.send("up")
    try store.send("attack", .string(attack))
    #expect(store.state["count"] == 1)
    let error = try #require(scripts.errors.first)
    #expect(scripts.errors.count == 1)
    #expect(error.kind == kind)
    #expect(error.feature == "App")
    #expect(error.script == "app.lua")
    #expect(error.traceback?.contains("app.lua:") == true)
    let allowed = kind == .time ? 0.05 : Double(4 << 20)
    #expect(error.exceeded?.allowed == allowed)
    #expect(error.exceeded?.reached ?? 0 >= allowed)
    #expect(scripts.failedActions.map(\.path) == ["attack"])
    other.send("up")
    store.send("up")
    #expect(other.state["count"] == 1)
    #expect(store.state["count"] == 2)
  }

  @Test(arguments: attacks)
  func anEffectIsStoppedAndTheOthersGoOn(_ attack: String, _ kind: ScriptError.Kind) throws {
    let clock = VirtualClock()
    let scripts = try scripts(Self.limits(on: kind), clock: clock)
    let store = try scripts.store()
    store.send("sleeps")
    try store.send("run", .string(attack))
    #expect(store.state["count"] == 1)
    #expect(store.effects.map(\.waitingOn) == ["clock.sleep"])
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    let warning = try #require(scripts.warnings.first)
    #expect(warning.message.contains(kind == .time ? "longer than 0.05 s" : "more than 4 MB"))
    #expect(warning.traceback?.contains("app.lua:") == true)
    #expect(warning.effect?.action == "run" && warning.effect?.feature == "App")
    clock.advance(by: .seconds(1))
    #expect(store.state["count"] == 2)
  }

  @Test(arguments: attacks)
  func partsTakeTheWholeEffectWithThem(_ attack: String, _ kind: ScriptError.Kind) throws {
    let scripts = try scripts(Self.limits(on: kind), clock: VirtualClock())
    let store = try scripts.store()
    try store.send("all", .string(attack))
    #expect(store.effects.isEmpty)
    #expect(store.state["count"] == 0)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func anEffectThatSendsWithoutEndIsStopped() throws {
    let scripts = try scripts(Self.limits)
    let store = try scripts.store()
    store.send("sends")
    #expect(store.effects.isEmpty)
    #expect(store.state["count"].int ?? 0 > 0)
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    try store.send("sendsAttack", "spin")
    #expect(store.effects.isEmpty)
    #expect(scripts.warnings.map(\.kind) == [.effectError, .effectError])
    #expect(scripts.errors.last?.kind == .time)
  }

  @Test func aTransformationIsStopped() throws {
    let scripts = try scripts(Self.limits)
    let store = try scripts.store()
    try store.send("map", "spin")
    #expect(store.state["count"] == 0)
    #expect(scripts.warnings.first?.message.contains("longer than 0.05 s") == true)
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func actionsThatSendEachOtherWithoutEndAreStopped() throws {
    let scripts = try scripts(Self.limits)
    let store = try scripts.store()
    store.send("again")
    let count = store.state["count"].int ?? 0
    #expect(count > 1)
    #expect(scripts.errors.map(\.kind) == [.time])
    store.send("up")
    #expect(store.state["count"].int == count + 1)
  }

  @Test(arguments: attacks)
  func whatACancelledEffectClosesIsStopped(_ attack: String, _ kind: ScriptError.Kind) throws {
    let scripts = try scripts(Self.limits, clock: VirtualClock())
    let store = try scripts.store()
    try store.send("closes", .string(attack))
    store.send("cancel")
    #expect(store.effects.isEmpty)
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func aStoreMayHaveLimitsOfItsOwn() throws {
    let scripts = try scripts(.unlimited)
    let strict = try scripts.host.store("app", limits: Limits(instructions: 1000))
    let lax = try scripts.store()
    strict.send("short")
    #expect(strict.state["count"] == 0)
    #expect(scripts.errors.map(\.kind) == [.instructions])
    #expect(scripts.errors.first?.exceeded?.allowed == 1000)
    lax.send("short")
    #expect(lax.state["count"] == 2000)
    try strict.send("run", "spin")
    #expect(strict.effects.isEmpty)
    #expect(scripts.warnings.first?.message.contains("more than 1000 instructions") == true)
    strict.send("up")
    #expect(strict.state["count"] == 2)
    #expect(scripts.errors.count == 1)
  }

  @Test func theInitializerTakesEachLimit() {
    let limits = Limits(
      time: .zero, loadTime: .zero, memory: 1, memoryPerTurn: 1, stringLength: 1, patternSteps: 1,
      sourceSize: 1, instructions: 1, computeTime: .zero, timeSlice: .zero, instructionSlice: 1,
      tableKeys: 1, stateSize: 1, weakTables: false, effects: 1, actions: 1, sharedKeys: 1,
      totalMemory: 1, viewNodes: 1)
    for record in [Mirror(reflecting: limits), Mirror(reflecting: limits.lua)] {
      for (name, value) in record.children {
        #expect("\(value)" != "nil", "\(name ?? "") has no parameter")
      }
    }
  }

  @Test(arguments: [
    "while true do end", "return scripted.feature { state = function() while true do end end }",
    "return scripted.feature { state = {}, on = setmetatable({}, { __pairs = function() while true do end end }) }",
  ])
  func whatNeverLoadsIsStopped(_ source: String) throws {
    let scripts = try Scripts(["app": Self.app, "endless": source]) {
      $0.limits = Limits(time: .seconds(5), loadTime: .milliseconds(50))
    }
    let error = scriptError { _ = try scripts.host.store("endless") }
    if error?.kind != .time {
      #expect(error?.message.contains("__pairs") != true, "\(String(describing: error))")
    }
    let store = try scripts.store()
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func aModuleThatIsTooLongIsNotLoaded() throws {
    let scripts = try Scripts(["app": Self.app, "long": String(repeating: " ", count: 100_000)]) {
      $0.limits = Limits(sourceSize: 50_000)
    }
    #expect(scriptError { _ = try scripts.host.store("long") }?.kind == .sourceSize)
    _ = try scripts.store()
  }

  private static let doubling = """
    return scripted.feature {
      name = "Doubling", state = { count = 0, x = { 1 } }, actions = { "names" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        once = function(state) state.x = { a = state.x, b = state.x } end,
        often = function(state) for _ = 1, 60 do state.x = { state.x, state.x } end end,
        plain = function(state)
          local t = {}
          for _ = 1, 60 do t = { t, t } end
          state.x = t
        end,
        sends = function(state)
          local t = {}
          for _ = 1, 60 do t = { t, t } end
          return effect.send("up", { t = t })
        end,
        id = function(state)
          local t = {}
          for _ = 1, 60 do t = { t, t } end
          return effect.run(function() end):cancellable(t)
        end,
        merges = function()
          local e = effect.send("up")
          for _ = 1, 60 do e = effect.merge(e, e) end
          return e
        end,
        concatenates = function()
          local e = effect.run(function() end)
          for _ = 1, 60 do e = effect.concatenate(e, e) end
          return e
        end,
        keys = function()
          local t, m = {}, (1 << 18) - 1
          for i = 1, 131073 do t[i * m] = true end
        end,
        weak = function() setmetatable({}, { __mode = "k" }) end,
        [("name"):rep(20000)] = function() end,
      },
    }
    """

  /// Of unknown scripts, on a machine that has much else to do.
  private static var patient: Limits {
    var limits = Limits.untrusted
    (limits.time, limits.loadTime) = (.seconds(20), .seconds(20))
    return limits
  }

  @Test(arguments: [
    ("often", "may not have more than 16777216 bytes"), ("plain", "needs more than 16 MB"),
    ("sends", "needs more than 16 MB"), ("id", "needs more than 16 MB"),
    ("merges", "more than 100000 parts"), ("concatenates", "more than 100000 parts"),
    ("keys", "more than the 16384 that one may have"), ("weak", "Limits.weakTables"),
  ])
  func whatDoublesAtEachStepIsRefused(_ attack: String, _ message: String) throws {
    let scripts = try Scripts(["app": Self.doubling]) { $0.limits = Self.patient }
    let store = try scripts.store()
    try store.send(attack)
    #expect(scripts.errors.count == 1)
    #expect(scripts.errors.first?.message.contains(message) == true, "\(scripts.errors)")
    store.send("up")
    #expect(store.state["count"] == 1)
    #expect(store.state["x"] == [1])
  }

  @Test func aStateThatDoublesWithEachActionIsRefusedInTheEnd() throws {
    let scripts = try Scripts(["app": Self.doubling]) { $0.limits = Self.patient }
    let store = try scripts.store()
    for _ in 0..<60 { store.send("once") }
    #expect((30..<50).contains(scripts.errors.count))
    #expect(store.state.json().utf8.count < 32 << 20)
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func aLongNameIsNotSuggested() throws {
    let scripts = try Scripts(["app": Self.doubling]) { $0.limits = Self.patient }
    let store = try scripts.store()
    try store.send(String(repeating: "name", count: 19999) + "nam")
    #expect(scripts.warnings.count == 1)
    #expect(scripts.warnings.first?.message.contains("did you mean") == false)
    store.send("upp")
    #expect(scripts.warnings.last?.message.contains("did you mean \"up\"") == true)
  }

  @Test func hostsAreStoppedEachForItself() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let scripts = try scripts(Self.limits)
          let store = try scripts.store()
          for _ in 0..<3 {
            try store.send("attack", "spin")
            store.send("up")
          }
          #expect(store.state["count"] == 3)
          #expect(scripts.errors.map(\.kind) == [.time, .time, .time])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func scriptsThatKeepTooMuchAreLoadedAnew() throws {
    let scripts = try Scripts(
      [
        "app": """
        local kept = {}
        return scripted.feature {
          state = { count = 0 },
          dependencies = { "clock" },
          on = {
            keep = function(state) for i = 1, 20000 do kept[#kept + 1] = { i } end state.count = state.count + 1 end,
            run = function() return effect.run(function(send, deps)
              for i = 1, 20000 do kept[#kept + 1] = { i } end
              send("up")
            end) end,
            up = function(state) state.count = state.count + 1 end,
            sleep = function() return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end) end,
          },
        }
        """
      ], clock: VirtualClock()
    ) { $0.limits = Limits(memory: 16 << 20) }
    let (store, other) = (try scripts.store(), try scripts.store())
    other.send("up")
    for attack in ["keep", "run"] {
      let before = store.state["count"].int ?? 0
      let former = scripts.warnings.filter { $0.kind == .memoryFull }.count
      for _ in 0..<40 { try store.send(attack) }
      // One for each time that the memory was full.
      let times = scripts.warnings.filter { $0.kind == .memoryFull }.count - former
      #expect(times > 0 && times < 20)
      #expect(store.state["count"].int ?? 0 >= before + 40 - 2 * times)
    }
    #expect(scripts.errors.allSatisfy { $0.kind == .memory })
    other.send("up")
    #expect(other.state["count"] == 2)
  }
}

import LuaBridge
import Testing

@testable import ScriptedStore

/// `effect.compute`: functions of scripts that run beside the stores.
@Suite(.timeLimit(.minutes(2))) struct ComputeTests {
  private static let app = """
    return scripted.feature {
      name = "App", state = { log = {} }, dependencies = { "clock" },
      on = {
        done = function(state, action) table.insert(state.log, action.value) end,
        up = function(state) table.insert(state.log, "up") end,
        compute = function(state, action)
          return effect.run(function(send)
            send("done", tostring(effect.compute("work", action.name, action.a, action.b)))
          end, { catch = function(e, send) send("done", "caught " .. tostring(e)) end }):cancellable("compute")
        end,
        rows = function()
          return effect.run(function(send)
            local rows = effect.compute("work", "rows", 3)
            rows[1].id = "mine"
            send("done", rows[1].id .. #rows)
          end)
        end,
        many = function()
          return effect.run(function(send)
            local jobs = {}
            for i = 1, 20 do jobs[i] = function() return effect.compute("work", "add", i, i) end end
            local sum = 0
            for _, n in ipairs { effect.all(jobs) } do sum = sum + n end
            send("done", tostring(sum))
          end)
        end,
        race = function()
          return effect.run(function(send)
            local first = effect.race {
              function() effect.compute("work", "spin") end, function() effect.yield() end,
            }
            send("done", "first " .. first)
          end)
        end,
        endless = function() return effect.run(function() effect.compute("work", "spin") end):cancellable("endless") end,
        cancel = function() return effect.cancel("compute") end,
        stop = function() return effect.cancel("endless") end,
        inHandler = function() effect.compute("work", "add", 1, 2) end,
      },
    }
    """

  private static let work = """
    local other = require "other"
    local work = {}
    function work.add(a, b) return other.add(a, b) end
    function work.fails(a) error("no luck with " .. a) end
    function work.spin() while true do pcall(error) end end
    function work.eats() local t = {} while true do t[#t + 1] = {} end end
    function work.nothing() end
    function work.makesFunction() return print end
    function work.rows(n) local rows = {} for i = 1, n do rows[i] = { id = i } end return rows end
    function work.long(n) return ("x"):rep(n) end
    function work.bare(a) error(a, 0) end
    return work
    """

  private func run(
    computeTime: Duration = .seconds(60),
    _ body: @escaping @Sendable (Store, Scripts) async throws -> Void
  ) async throws {
    let scripts = try Scripts(["app": Self.app]) {
      $0.limits = Limits(
        time: .seconds(5), memory: 64 << 20, memoryPerTurn: 8 << 20, computeTime: computeTime)
    }
    try scripts.folder.write(Self.work, to: "work.lua")
    try scripts.folder.write("return { add = function(a, b) return a + b end }", to: "other.lua")
    try scripts.folder.write("return require 'scripted'", to: "stores.lua")
    try await body(try scripts.store(), scripts)
  }

  @Test func aFunctionIsComputedElsewhere() async throws {
    try await run { store, scripts in
      await (try store.send("compute", ["name": "add", "a": 1, "b": 2])).finish()
      await (try store.send("compute", ["name": "nothing"])).finish()
      await (store.send("rows")).finish()
      await (store.send("many")).finish()
      #expect(store.log == ["3", "nil", "mine3", "420"])
      #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    }
  }

  /// A store that is busy takes no results. Those that wait for it must not pile up.
  @Test func callsWaitWhileTheResultsThatNobodyHasTakenAreMoreThanAVMMayHold() async throws {
    try await run { _, scripts in
      let computing = Computing(
        root: try ScriptRoot(scripts.folder.path), limits: Limits(memory: 16 << 20))
      @Sendable func length(_ call: Computing.Call) async throws -> Int? {
        try await computing.compute("long", of: "work", [3_000_000], call)?.string?.utf8.count
      }
      var untaken = (0..<6).map { _ in computing.makeCall() }
      for call in untaken { #expect(try await length(call) == 3_000_000) }
      // The call of a task that was cancelled before does not wait.
      let ended = Recorder<Bool>()
      Task {
        withUnsafeCurrentTask { $0?.cancel() }
        do {
          _ = try await length(computing.makeCall())
          ended.record(false)
        } catch {
          ended.record(error is CancellationError)
        }
      }
      while ended.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(ended.all == [true] && computing.waiting == 0)
      let next = Task { try await length(computing.makeCall()) }
      while computing.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
      untaken.removeFirst()
      #expect(try await next.value == 3_000_000)
      #expect(computing.waiting == 0)
    }
  }

  @Test func whatItRaisesIsRaisedWhereItIsWaitedFor() async throws {
    try await run { store, _ in
      for (name, expected) in [
        ("fails", "caught work.lua:4: no luck with x"),
        ("nowhere", "caught app.lua:8: the module 'work' has no function 'nowhere'"),
        (
          "makesFunction",
          "caught app.lua:8: what 'makesFunction' of 'work' returns must be a value of state, not a function"
        ),
      ] {
        await (try store.send("compute", ["name": .string(name), "a": "x"])).finish()
        #expect(store.log.last == expected)
      }
    }
  }

  @Test func itsLimitsHoldAndTheStoreGoesOnMeanwhile() async throws {
    try await run(computeTime: .seconds(1)) { store, _ in
      let task = try store.send("compute", ["name": "spin"])
      #expect(store.effects.map(\.waitingOn) == ["effect.compute"])
      store.send("up")
      #expect(store.log == ["up"])
      await task.finish()
      #expect(store.log.last == "caught work.lua:5: this takes longer than 1 s")
      await (try store.send("compute", ["name": "add", "a": 1, "b": 1])).finish()
      #expect(store.log.last == "2")
    }
  }

  @Test func itsMemoryIsLimited() async throws {
    try await run { store, _ in
      await (try store.send("compute", ["name": "eats"])).finish()
      #expect(store.log.last == "caught work.lua:6: not enough memory: this needs more than 8 MB")
    }
  }

  @Test func cancellingItEndsItAtOnce() async throws {
    try await run { store, scripts in
      let task = try store.send("compute", ["name": "spin"])
      store.send("cancel")
      await task.finish()
      #expect(store.effects.isEmpty && store.log.isEmpty)
      await (store.send("race")).finish()
      #expect(store.log == ["first 2"])
      #expect(scripts.warnings.isEmpty)
    }
  }

  private enum Sender {
    @TaskLocal static var token: Token?
  }

  /// A task-local value, which the task of each call holds.
  private final class Token: Sendable {
    private let released: Recorder<Int>

    init(_ released: Recorder<Int>) { self.released = released }

    deinit { released.record(1) }
  }

  @Test func aCancelledCallDoesNotWaitForAThread() async throws {
    try await run { store, _ in
      // These have all threads.
      for _ in 0..<4 { store.send("endless") }
      let released = Recorder<Int>()
      @Sendable func callAndCancel() throws {
        try Sender.$token.withValue(Token(released)) {
          try store.send("compute", ["name": "add", "a": 1, "b": 2])
          store.send("cancel")
        }
      }
      for _ in 0..<20 { try callAndCancel() }
      while released.count < 20 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(store.effects.count == 4 && store.log.isEmpty)
      store.send("stop")
    }
  }

  @Test func itWaitsSoAHandlerCannotCallIt() async throws {
    try await run { store, scripts in
      store.send("inHandler")
      #expect(scripts.errors.first?.message.contains("effect.compute waits") == true)
    }
  }

  @Test func eachCallFindsItsModulesAsTheyWereLoaded() async throws {
    try await run { store, scripts in
      try scripts.folder.write(
        """
        local other = require "other"
        local n = 0
        return {
          count = function()
            n = n + 1
            other.n = (other.n or 0) + 1
            string.n = (string.n or 0) + 1
            return n .. " " .. other.n .. " " .. string.n
          end,
        }
        """, to: "work.lua")
      for _ in 0..<3 { await (try store.send("compute", ["name": "count"])).finish() }
      #expect(store.log == ["1 1 1", "1 1 1", "1 1 1"])
    }
  }

  @Test func manyCallsNeedNoMoreMemoryThanAFew() async throws {
    try await run { store, scripts in
      try scripts.folder.write(
        """
        local big = ("x"):rep(1 << 20)
        return { add = function(a, b) return a + b + #big - #big end }
        """, to: "work.lua")
      for _ in 0..<10 { await (store.send("many")).finish() }
      #expect(store.log.allSatisfy { $0 == "420" } && store.log.count == 10)
    }
  }

  @Test func aMessageWithoutAPositionArrivesAsItIs() async throws {
    try await run { store, scripts in
      for message in ["too large", "GET http://a:80: refused"] {
        await (try store.send("compute", ["name": "bare", "a": .string(message)])).finish()
      }
      #expect(store.log == ["caught too large", "caught GET http://a:80: refused"])
    }
  }

  @Test func anUncaughtMessageWithoutAPositionIsLocatedWhereItWasRaised() async throws {
    let app = """
      return scripted.feature {
        state = {}, on = { go = function() return effect.run(function() effect.compute("work", "bare", "too large") end) end },
      }
      """
    let scripts = try Scripts(["app": app])
    try scripts.folder.write(
      "return { bare = function(a)\n error(a, 0) end }", to: "work.lua")
    let store = try scripts.store()
    await (store.send("go")).finish()
    #expect(scripts.warnings.first?.message.hasSuffix("failed: work.lua:2: too large") == true)
  }
}

import Foundation
import LuaBridge
import Synchronization
import Testing

/// Stopping scripts from another thread.
@Suite struct InterruptTests {
  private let lua: LuaVM

  init() throws { lua = try LuaVM() }

  /// Runs a script that calls `started()`, cancels it from another thread after that, and returns
  /// the error.
  private func interrupted(_ source: String, in lua: LuaVM? = nil) throws -> ScriptError {
    let lua = lua ?? self.lua
    let interrupt = try lua.interrupt
    try lua.setGlobal(
      "started", to: lua.function("started") { Thread.detachNewThread { interrupt.cancel() } })
    return try failure { try lua.evaluate(source, name: "guest.lua") }
  }

  @Test func theTimeOfAWatchDoesNotLimitWhatRunsAfterIt() throws {
    let long = try lua.load("local n = 0 for i = 1, 30000000 do n = n + i end", name: "long")
    let watch = try TimeoutWatch(time: .milliseconds(1), isGuarded: false)
    let error = try failure {
      try watch.watching(lua) { () throws(ScriptError) in _ = try long.call([]) }
    }
    #expect(error.kind == .time)
    _ = try long.call([])
  }

  @Test func theTimeLimitOfAVMIsInForceAgainAfterALongerWatch() throws {
    let short = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
    let long = try short.load("local n = 0 for i = 1, 30000000 do n = n + i end", name: "long")
    try TimeoutWatch(time: .seconds(3600), isGuarded: false)
      .watching(short) { () throws(ScriptError) in _ = try long.call([]) }
    let error = try failure { try short.evaluate("while true do end") }
    #expect(error.message.contains("this takes longer than 0.02 s"))
  }

  @Test func aLoopWithoutEndIsStoppedAndTheVMCanBeUsedAgain() throws {
    let error = try interrupted("started()\nwhile true do end")
    #expect(error.kind == .interrupted)
    #expect(error.message == "interrupted")
    #expect(error.script == "guest.lua" && error.line == 2)
    #expect(error.exceeded == nil)
    #expect(try lua.evaluate("return 1 + 1", as: Int.self) == 2)
    #expect(try interrupted("started() while true do end").kind == .interrupted)
  }

  @Test(
    arguments: [
      "started() while true do pcall(function() while true do end end) end",
      "started() local function f() return f() end f()",
      "started() repeat pcall(error) until false",
      "started() while true do xpcall(error, function() while true do end end) end",
      "local t <close> = setmetatable({}, { __close = function() while true do end end }) started() while true do end",
      "started() while true do local s = string.rep('x', 100) .. 'y' end",
    ])
  func scriptsCannotCatchIt(_ source: String) throws {
    #expect(try interrupted(source).kind == .interrupted)
    #expect(try lua.evaluate("return 1", as: Int.self) == 1)
  }

  @Test func aTimeLimitAndAnInterruptGoTogether() throws {
    let lua = try LuaVM(limits: LuaLimits(time: .seconds(60)))
    #expect(try interrupted("started() while true do end", in: lua).kind == .interrupted)
    let short = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
    _ = try short.interrupt
    #expect(try failure { try short.evaluate("while true do end") }.kind == .time)
  }

  /// A VM with a time limit that runs inside of a function of another one.
  private func inner(of outer: LuaVM, limit: Duration) throws -> LuaVM {
    let inner = try LuaVM(limits: LuaLimits(time: limit))
    try outer.setGlobal(
      "inner", to: outer.function("inner") { (source: String) in _ = try inner.evaluate(source) })
    return inner
  }

  @Test func aTimeLimitInsideOfATurnThatHasOnlyAnInterruptIsInForce() throws {
    _ = try lua.interrupt
    let inner = try inner(of: lua, limit: .milliseconds(20))
    let message = try lua.evaluate(
      "return select(2, pcall(inner, 'while true do end'))", as: String.self)
    #expect(message.contains("this takes longer than 0.02 s"))
    #expect(try inner.evaluate("return 1", as: Int.self) == 1)
    #expect(
      try interrupted("pcall(inner, 'while true do end') started() while true do end").kind
        == .interrupted)
  }

  @Test func aTimeLimitInsideOfALongerOneIsInForceAndCountsForThat() throws {
    let outer = try LuaVM(limits: LuaLimits(time: .seconds(3600)))
    _ = try inner(of: outer, limit: .milliseconds(20))
    let message = try outer.evaluate(
      "return select(2, pcall(inner, 'while true do end'))", as: String.self)
    #expect(message.contains("this takes longer than 0.02 s"))
    let short = try LuaVM(limits: LuaLimits(time: .milliseconds(50)))
    _ = try self.inner(of: short, limit: .milliseconds(20))
    let error = try failure {
      try short.evaluate("while true do pcall(inner, 'while true do end') end")
    }
    #expect(error.kind == .time)
    #expect(error.message.contains("this takes longer than 0.05 s"))
  }

  @Test func aLongerTimeLimitInsideOfAShorterOneDoesNotExtendIt() throws {
    let short = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
    let inner = try inner(of: short, limit: .seconds(3600))
    #expect(
      try failure { try short.evaluate("pcall(inner, 'while true do end') while true do end") }.kind
        == .time)
    #expect(try inner.evaluate("return 1", as: Int.self) == 1)
  }

  @Test func aCancelWhenNothingRunsAffectsNothingLater() throws {
    let interrupt = try lua.interrupt
    interrupt.cancel()
    #expect(
      try lua.evaluate("local n = 0 for i = 1, 1000 do n = n + i end return n", as: Int.self)
        == 500_500)
    #expect(try lua.interrupt === interrupt)
  }

  @Test func aFunctionOfTheHostSeesThatItShallEnd() throws {
    try lua.setGlobal(
      "wait",
      to: lua.function("wait") { (lua: LuaVM) in
        while !lua.isStopping { Thread.sleep(forTimeInterval: 0.001) }
      })
    let error = try interrupted("started() pcall(wait) while true do end")
    #expect(error.kind == .interrupted && error.line == 1)
    #expect(!lua.isStopping)
  }

  @Test func aCoroutineIsStoppedAndFinished() throws {
    let interrupt = try lua.interrupt
    try lua.setGlobal(
      "started", to: lua.function("started") { Thread.detachNewThread { interrupt.cancel() } })
    let coroutine = try lua.load("started() while true do end", name: "c").makeCoroutine()
    #expect(try failure { _ = try coroutine.resume() }.kind == .interrupted)
    #expect(coroutine.isFinished)
  }

  @Test func aVMInsideOfAnotherOneEndsBeforeTheOuterOneIsStopped() throws {
    let inner = try LuaVM()
    _ = try inner.interrupt
    var result = 0
    try lua.setGlobal(
      "inner",
      to: lua.function("inner") {
        result = try inner.evaluate(
          "local n = 0 for i = 1, 1000000 do n = n + 1 end return n", as: Int.self)
      })
    let error = try interrupted("started() inner() while true do end")
    #expect(error.kind == .interrupted)
    #expect(result == 0 || result == 1_000_000)
    #expect(try inner.evaluate("return 1", as: Int.self) == 1)
  }

  @Test func aTimeLimitIsInForceInsideOfAVMThatWasInterrupted() throws {
    let interrupt = try lua.interrupt
    let inner = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
    try inner.setGlobal("cancel", to: inner.function("cancel") { interrupt.cancel() })
    var kind: ScriptError.Kind?
    try lua.setGlobal(
      "inner",
      to: lua.function("inner") {
        do throws(ScriptError) {
          _ = try inner.evaluate("cancel() while true do end")
        } catch {
          kind = error.kind
        }
      })
    #expect(try failure { try lua.evaluate("inner() while true do end") }.kind == .interrupted)
    #expect(kind == .time)
  }

  @Test func itIsMadeWhileAScriptRuns() throws {
    try lua.setGlobal(
      "started",
      to: lua.function("started") { (lua: LuaVM) in
        let interrupt = try lua.interrupt
        Thread.detachNewThread { interrupt.cancel() }
      })
    #expect(try failure { try lua.evaluate("started() while true do end") }.kind == .interrupted)
  }

  @Test func itOutlivesItsVM() throws {
    let interrupt = try LuaVM().interrupt
    interrupt.cancel()
  }

  @Test func cancelsAtAnyMomentStopACallOrNothing() async throws {
    let isOver = Atomic(false)
    let interrupt = try lua.interrupt
    let cancelling = Thread { while !isOver.load(ordering: .relaxed) { interrupt.cancel() } }
    cancelling.start()
    defer { isOver.store(true, ordering: .relaxed) }
    let sum = try LuaVM().load("return 1", name: "none")  // another VM on the same thread
    var stopped = 0
    for _ in 0..<2000 {
      do {
        let result = try lua.evaluate(
          "local n = 0 for i = 1, 100 do n = n + i end return n", as: Int.self)
        #expect(result == 5050)
      } catch {
        #expect(error.kind == .interrupted)
        stopped += 1
      }
      #expect(try sum.call(as: Int.self) == 1)
    }
    #expect(stopped <= 2000)
  }
}

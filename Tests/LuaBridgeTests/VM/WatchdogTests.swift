import Foundation
import LuaBridge
import Platform
import Synchronization
import Testing

/// How often the handlers below were called.
private let calls = Atomic(0)

/// The signal of the watchdog beside other uses of it. Each test has a process of its own, as signals are of a process.
@Suite struct WatchdogTests {
  private static func handle(_ signal: Int32, _ body: @convention(c) (Int32) -> Void) {
    #if canImport(Darwin)
    var action = sigaction(
      __sigaction_u: .init(__sa_handler: body), sa_mask: sigset_t(), sa_flags: 0)
    #else
    var action = sigaction()
    action.__sigaction_handler.sa_handler = body
    #endif
    sigaction(signal, &action, nil)
  }

  /// Whether a loop without end is stopped.
  private static func stops(_ lua: LuaVM) -> Bool {
    do {
      _ = try lua.evaluate("while true do end")
      return false
    } catch {
      return error.kind == .time
    }
  }

  private static func expectStop() throws {
    #expect(stops(try LuaVM(limits: LuaLimits(time: .milliseconds(20)))))
  }

  @Test func aHandlerThatWasThereGetsTheSignalsOfOthersOnly() async {
    await #expect(processExitsWith: .success) {
      Self.handle(SIGURG) { _ in calls.add(1, ordering: .relaxed) }
      let lua = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
      #expect(Self.stops(lua))
      #expect(calls.load(ordering: .relaxed) == 0)
      raise(SIGURG)
      #expect(calls.load(ordering: .relaxed) == 1)
      #expect(Self.stops(lua))
      #expect(calls.load(ordering: .relaxed) == 1)
    }
  }

  @Test func theHandlerThatWasThereIsPutBackAfterTheLastVM() async {
    await #expect(processExitsWith: .success) {
      Self.handle(SIGURG) { _ in calls.add(1, ordering: .relaxed) }
      var before = sigaction()
      sigaction(SIGURG, nil, &before)
      func handler(_ action: sigaction) -> [UInt8] {
        withUnsafeBytes(of: action) { Array($0.prefix(MemoryLayout<UnsafeRawPointer>.size)) }
      }
      do {
        let first = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
        let second = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
        var during = sigaction()
        sigaction(SIGURG, nil, &during)
        #expect(handler(during) != handler(before))
        #expect(Self.stops(first) && Self.stops(second))
      }
      var after = sigaction()
      sigaction(SIGURG, nil, &after)
      #expect(handler(after) == handler(before))
      try Self.expectStop()
    }
  }

  @Test func aHostChoosesTheSignal() async {
    await #expect(processExitsWith: .success) {
      #expect(Watchdog.signal == SIGURG)
      try Self.expectStop()
      try Watchdog.setSignal(SIGUSR2)
      Self.handle(SIGURG) { _ in calls.add(1, ordering: .relaxed) }
      let lua = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
      #expect(Self.stops(lua))
      raise(SIGURG)
      #expect(calls.load(ordering: .relaxed) == 1)
      #expect(throws: ScriptError.self) { try Watchdog.setSignal(SIGURG) }
      #expect(Watchdog.signal == SIGUSR2)
    }
  }

  @Test(arguments: [SIGKILL, SIGSTOP, SIGSEGV, 0, -1, 10_000])
  func aSignalThatCannotBeHandledIsRefused(_ signal: Int32) {
    #expect(throws: ScriptError.self) { try Watchdog.setSignal(signal) }
  }

  @Test func scriptsAreStoppedInAChildOfTheProcess() async {
    await #expect(processExitsWith: .success) {
      // Swift has no fork, as a child may find a lock taken for ever: one of a few gets through.
      typealias Fork = @convention(c) () -> pid_t
      let symbol = try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"))
      // Proof: `dlsym` found the C library's `fork`, which takes nothing and returns a process number.
      let fork = unsafeBitCast(symbol, to: Fork.self)
      let lua = try LuaVM(limits: LuaLimits(time: .milliseconds(20)))
      #expect(Self.stops(lua))
      var hasStopped = false
      for _ in 1...3 where !hasStopped {
        let child = fork()
        if child == 0 {
          alarm(10)
          _exit(Self.stops(lua) ? 0 : 1)
        }
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        hasStopped = status == 0
      }
      #expect(hasStopped)
      #expect(Self.stops(lua))
    }
  }
}

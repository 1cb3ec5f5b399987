import LuaBridge
import ScriptedStore
import Testing

/// The doubles as host authors use them.
@Suite struct SwiftDoubleTests {
  private static let feature = """
    return scripted.feature {
      name = "App", state = { log = {} }, dependencies = { "clock", "source" },
      on = {
        sleep = function(_, action)
          return effect.run(function(send, deps) deps.clock.sleep(action.value) send("log", deps.clock.now()) end)
        end,
        debounce = function() return effect.send("log", "debounced"):debounce("d", 1) end,
        tick = function()
          return effect.run(function(_, deps) for _ in deps.clock.timer(1) do end end)
        end,
        read = function()
          return effect.run(function(send, deps)
            for value in deps.source.updates() do send("log", value) end
            send("log", "ended")
          end, { catch = function(error, send) send("log", (error:gsub("^.*: ", ""))) end })
        end,
        fetch = function() return effect.run(function(_, deps) deps.source.fetch() end):cancellable("fetch") end,
        stop = function() return effect.cancel("fetch") end,
        log = function(state, action) table.insert(state.log, tostring(action.value)) end,
      },
    }
    """

  private func scripts(workers: Int = 1) throws -> Scripts {
    try Scripts(
      ["app": SwiftDoubleTests.feature], workers: workers,
      dependencies: Dependencies([
        "source": .client(["updates": .function { 0 }, "fetch": .function { 0 }])
      ]), context: .test)
  }

  @Test func aClockDrivesTheStoresThatHaveIt() throws {
    let (clock, other) = (TestClock(), TestClock())
    let scripts = try scripts(workers: 2)
    func store(_ clock: TestClock) throws -> Store {
      try scripts.host.store("app", dependencies: ["clock": .clock(clock)])
    }
    let (first, second, third) = (try store(clock), try store(other), try store(clock))
    for store in [first, second, third] {
      try store.send("sleep", 1)
      store.send("debounce")
    }
    clock.advance(by: .seconds(0.5))
    clock.advance(by: .seconds(0.5))
    #expect(clock.now == .seconds(1))
    #expect(first.log == ["1.0", "debounced"])
    #expect(second.log == [])
    #expect(third.log == ["1.0", "debounced"])
    other.advance(by: .seconds(3))
    #expect(second.log == ["1.0", "debounced"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aClockThatIsUsedLaterTellsTheSameTime() throws {
    let clock = TestClock()
    clock.advance(by: .seconds(10))
    let scripts = try scripts()
    let store = try scripts.host.store("app", dependencies: ["clock": .clock(clock)])
    try store.send("sleep", 1)
    clock.advance(by: .seconds(1))
    #expect(store.log == ["11.0"] && scripts.warnings.isEmpty)
  }

  @Test func aHostsClockMayBeGivenOnceMore() throws {
    let clock = TestClock()
    clock.advance(by: .seconds(10))
    let scripts = try Scripts(
      ["app": SwiftDoubleTests.feature.replacing(", \"source\"", with: "")], clock: clock)
    let store = try scripts.host.store("app", dependencies: ["clock": .clock(clock)])
    try store.send("sleep", 1)
    clock.advance(by: .seconds(0.5))
    #expect(store.log == [])
    clock.advance(by: .seconds(0.5))
    #expect(store.log == ["11.0"])
  }

  @Test func runGoesOnUntilNobodySleeps() throws {
    let clock = TestClock()
    let scripts = try scripts(workers: 2)
    let stores = try (1...2).map { _ in
      try scripts.host.store("app", dependencies: ["clock": .clock(clock)])
    }
    try stores[0].send("sleep", 0)
    try stores[0].send("sleep", 3600)
    try stores[1].send("sleep", 60)
    try clock.run()
    #expect(stores[0].log == ["0.0", "3600.0"])
    #expect(stores[1].log == ["60.0"])
    #expect(clock.now == .seconds(3600))
    stores[0].send("tick")
    let error = EndlessWaits.$bound.withValue(100) { scriptError { try clock.run() } }
    #expect(error?.message.hasPrefix("run() has let time pass 100 times, and still App (") == true)
    // It goes on, in a store that is still there.
    #expect(stores[0].effects.count == 1)
  }

  @Test func checkSuspensionNamesWhoSleeps() throws {
    let clock = TestClock()
    let scripts = try scripts()
    let store = try scripts.host.store("app", dependencies: ["clock": .clock(clock)])
    try clock.checkSuspension()
    try store.send("sleep", 2)
    clock.advance(by: .seconds(1))
    let message = try #require(scriptError { try clock.checkSuspension() }?.message)
    #expect(message.hasPrefix("at 1 s App ("))
    #expect(message.hasSuffix("app.lua:5) sleeps until 2 s"))
    clock.advance(by: .seconds(1))
    try clock.checkSuspension()
  }

  @Test func onAnImmediateClockNobodyWaits() throws {
    let scripts = try scripts()
    let store = try scripts.host.store("app", dependencies: ["clock": .immediateClock()])
    try store.send("sleep", 60)
    store.send("debounce")
    #expect(store.log == ["60.0", "debounced"] && scripts.warnings.isEmpty)
  }

  @Test func aStreamIsReadBeforeSendReturns() throws {
    let stream = TestStream()
    let scripts = try scripts(workers: 2)
    func store() throws -> Store {
      try scripts.host.store(
        "app", dependencies: ["source": .client(["updates": .stream(stream)])])
    }
    let (first, second) = (try store(), try store())
    first.send("read")
    try stream.send(1)
    #expect(first.log == ["1"])
    try stream.send("two")
    try stream.finish()
    #expect(first.log == ["1", "two", "ended"])
    second.send("read")
    #expect(second.log == ["ended"])
    #expect(
      scriptError { try stream.send(3) }?.message
        == "the stream is finished; nothing can be sent any more")
  }

  private struct Offline: Error, CustomStringConvertible {
    var description: String { "offline" }
  }

  @Test func aStreamMayFail() throws {
    let stream = TestStream()
    let scripts = try scripts()
    let store = try scripts.host.store(
      "app", dependencies: ["source": .client(["updates": .stream(stream)])])
    try stream.send(1)
    try stream.fail(Offline())
    store.send("read")
    store.send("read")
    #expect(store.log == ["1", "offline", "ended"] && scripts.warnings.isEmpty)
    #expect(scriptError { try stream.fail(Offline()) }?.message == "the stream is finished already")
  }

  @Test func whatNeverComesIsWaitedForUntilCancelled() throws {
    let scripts = try scripts()
    let store = try scripts.host.store(
      "app", dependencies: ["source": .client(["fetch": .never])])
    store.send("fetch")
    #expect(store.effects.map(\.waitingOn) == ["test.never"])
    store.send("stop")
    #expect(store.effects.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func whatIsUnimplementedRaisesInEveryContext() throws {
    let scripts = try Scripts(
      reading: ["source"], "deps.source.fetch()",
      dependencies: ["source": .client(["fetch": .unimplemented("Source.fetch")])])
    #expect(
      try scripts.goFails() == """
        unimplemented: App called Source.fetch(). Override it in the test: \
        dependencies = { source = { fetch = function(…) … end } }
        """)
  }
}

import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Host functions that throw, return what no script can get, or call back into the store.
struct HostFunctionFaultTests {
  private struct Failure: Error, CustomStringConvertible {
    var description: String { "the host failed" }
  }

  private struct Unencodable: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws { throw Failure() }
  }

  private static func dependencies() -> Dependencies {
    var dependencies = Dependencies()
    dependencies.register(
      "host",
      live: .client([
        "throws": .function { () throws -> Int in throw Failure() },
        "throwsLater": .asyncFunction { () async throws -> Int in
          await Task.yield()
          throw Failure()
        },
        "raises": .asyncFunction { () async throws -> Int in
          throw ScriptError("raised by the host", value: ["code": 9])
        },
        "cancels": .asyncFunction { () async throws -> Int in throw CancellationError() },
        "nan": .asyncFunction { () async throws -> Double in .nan },
        "nanNow": .function { () throws -> Double in .infinity },
        "unencodable": .asyncFunction { () async throws -> Unencodable in Unencodable() },
        "unencodableNow": .function { () throws -> Unencodable in Unencodable() },
        "ok": .asyncFunction { () async throws -> Int in 5 },
        "large": .asyncFunction { () async throws -> Value in
          .array(Value.List((0..<100_000).map { .integer($0) }))
        },
      ]))
    return dependencies
  }

  private func app(_ body: String) throws -> EffectApp {
    try EffectApp(
      "go = function() return effect.run(function(send, deps) \(body) end) end,", uses: ["host"],
      dependencies: Self.dependencies())
  }

  @Test(arguments: ["throws", "throwsLater"]) func whatAHostFunctionThrowsIsRaised(
    _ name: String
  ) async throws {
    let app = try app("note(effect.result(deps.host.\(name)).failure.message); deps.host.\(name)()")
    await app.store.send("go").finish()
    #expect(app.trace.last?.contains("the host failed") == true, "\(app.trace)")
    let warning = try #require(app.scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains("the host failed"), "\(warning.message)")
    #expect(warning.message.contains("app.lua"), "\(warning.message)")
  }

  @Test func aScriptErrorKeepsItsValue() async throws {
    let app = try app(
      """
      local ok, e = pcall(deps.host.raises); note(type(e) == 'table' and e.code or e)
      """)
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "9"])
  }

  @Test func aCancellationErrorOfAHostIsNoCancellationOfTheBody() async throws {
    let app = try app(
      """
      note(tostring(pcall(deps.host.cancels))); note(effect.isCancelled()); note(deps.host.ok())
      """)
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "false", "false", "5"])
  }

  @Test(arguments: ["nan", "nanNow", "unencodable", "unencodableNow"])
  func junkIsAnError(_ name: String) async throws {
    let app = try app("note(tostring(select(2, pcall(deps.host.\(name))))); note(deps.host.ok())")
    await app.store.send("go").finish()
    let trace = app.cleanTrace
    try #require(trace.count == 3, "\(trace)")
    #expect(trace[1].hasPrefix("app.lua:"), "\(trace)")
    if name.hasPrefix("nan") {
      #expect(trace[1].contains("bad result of 'host.\(name)'"), "\(trace)")
    }
    #expect(trace[2] == "5")
  }

  @Test func aLargeResultArrivesWhole() async throws {
    let app = try app("note(#deps.host.large())")
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "100000"])
  }

  @Test func aResultThatDoesNotFitIntoMemoryIsAnError() async throws {
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) deps.host.large(); note('never') end) end,
      """,
      uses: ["host"], dependencies: Self.dependencies(), memoryLimit: 1_500_000)
    await app.store.send("go").finish()
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(app.scripts.warnings.first?.message.contains("memory") == true)
    app.store.send("after")
    #expect(app.trace == ["go", "after"])
    #expect(app.store.effects.isEmpty)
  }

  // MARK: Back into the store

  /// What a host function does with the store, once there is one.
  private final class Peer: Sendable {
    let store = Mutex<Store?>(nil)
    var current: Store? { store.withLock { $0 } }
  }

  private func app(peer: Peer, _ body: String, _ member: Dependency) throws -> EffectApp {
    var dependencies = Dependencies()
    dependencies.register("host", live: .client(["call": member]))
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) \(body) end):cancellable("x") end,
      handler = function(state, action, deps) state.n = (state.n or 0) + 1; deps.host.call(); note("handler goes on") end,
      cancel = function() return effect.cancel("x") end,
      up = function(state) state.n = (state.n or 0) + 1 end,
      """, uses: ["host"], dependencies: dependencies)
    peer.store.withLock { $0 = app.store }
    return app
  }

  @Test func aFunctionThatSendsQueues() throws {
    let peer = Peer()
    let app = try app(
      peer: peer, "deps.host.call(); note('goes on'); send('sent')",
      .function { () throws -> Void in peer.current?.send("up") })
    defer { peer.store.withLock { $0 = nil } }
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "goes on", "sent", "up"])
    app.store.send("handler")
    #expect(app.cleanTrace.suffix(3) == ["handler", "handler goes on", "up"])
    #expect(app.store.state["n"] == 3)
  }

  @Test func aFunctionThatCancelsItsOwnBody() throws {
    let peer = Peer()
    let app = try app(
      peer: peer,
      """
      deps.host.call(); note('goes on'); deps.clock.sleep(1); note('never')
      """,
      .function { () throws -> Void in peer.current?.send("cancel") })
    defer { peer.store.withLock { $0 = nil } }
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "goes on", "cancel"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aFunctionThatReadsStateAndEffects() throws {
    let peer = Peer()
    let app = try app(
      peer: peer, "note(deps.host.call())",
      .function { () throws -> Int in
        (peer.current?.effects.count ?? -1) + (peer.current?.state["n"].int ?? 0)
      })
    defer { peer.store.withLock { $0 = nil } }
    app.store.send("go")
    #expect(app.trace.count == 2)
    #expect(app.scripts.warnings.isEmpty)
  }

  @Test func anAsynchronousFunctionThatSendsAndFinishes() async throws {
    let peer = Peer()
    let app = try app(
      peer: peer, "deps.host.call(); note('goes on')",
      .asyncFunction { () async throws -> Void in await peer.current?.send("up").finish() })
    defer { peer.store.withLock { $0 = nil } }
    await app.store.send("go").finish()
    #expect(app.cleanTrace == ["go", "up", "goes on"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aFunctionThatLetsTheStoreGo() async throws {
    let clock = VirtualClock()
    let peer = Peer()
    var dependencies = Dependencies()
    let dropped = AsyncStream.makeStream(of: Void.self)
    let drop = { @Sendable in
      let store = peer.store.withLock { store in
        defer { store = nil }
        return store
      }
      withExtendedLifetime(store) {}
      dropped.continuation.yield()
    }
    dependencies.register("drop", live: .function { () throws -> Void in drop() })
    dependencies.register("dropLater", live: .asyncFunction { () async throws -> Void in drop() })
    for name in ["drop", "dropLater"] {
      let scripts = try Scripts(
        [
          "app": """
          return scripted.feature { dependencies = { "\(name)", "clock" }, on = {
            go = function() return effect.run(function(send, deps) deps.\(name)(); send("other"); deps.clock.sleep(1) end) end, other = function() end } }
          """
        ], dependencies: dependencies, clock: clock)
      peer.store.withLock { $0 = try? scripts.store() }
      peer.current?.send("go")
      for await _ in dropped.stream { break }
      #expect(peer.current == nil)
      clock.advance(by: .seconds(5))
      #expect(scripts.errors.isEmpty)
      withExtendedLifetime(scripts) {}
    }
  }

  @Test func streamsAreReadOneValueAtATimeAndCancelled() async throws {
    let ended = AsyncStream.makeStream(of: Void.self)
    var dependencies = Dependencies()
    dependencies.register(
      "updates",
      live: .stream { () throws -> AsyncStream<Int> in
        AsyncStream { continuation in
          continuation.onTermination = { _ in ended.continuation.yield() }
          for value in 1...5 { continuation.yield(value) }
        }
      })
    let app = try EffectApp(
      """
      go = function() return effect.run(function(send, deps) for value in deps.updates() do send("got", value) end note("never") end):cancellable("x") end,
      got = function(_, action) if action.value == 3 then return effect.cancel("x") end end,
      """, uses: ["updates"], dependencies: dependencies)
    await app.store.send("go").finish()
    for await _ in ended.stream { break }
    #expect(app.cleanTrace == ["go", "got 1", "got 2", "got 3"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aStreamThatEndsOrThrows() async throws {
    var dependencies = Dependencies()
    dependencies.register(
      "ends",
      live: .stream("count") { (count: Int) throws -> AsyncThrowingStream<Int, any Error> in
        AsyncThrowingStream { continuation in
          for value in 0..<count { continuation.yield(value + 1) }
          continuation.finish(throwing: count == 2 ? Failure() : nil)
        }
      })
    let app = try EffectApp(
      """
      go = function(_, action)
        return effect.run(function(send, deps)
          local result = effect.result(function() for value in deps.ends(action.value) do note(value) end return "ended" end)
          note(result.success or result.failure.message)
        end)
      end,
      """, uses: ["ends"], dependencies: dependencies)
    for count in [0, 1, 2, 3] as [Value] { try await app.store.send("go", count).finish() }
    #expect(
      app.cleanTrace == [
        "go 0", "ended", "go 1", "1", "ended", "go 2", "1", "2", "the host failed", "go 3", "1",
        "2", "3", "ended",
      ])
  }
}

#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Dependencies that write outside: effects of durable stores may call them, and handlers may not.
@Suite(.timeLimit(.minutes(1)))
struct WritingDependencyTests {
  private let rooms: Rooms
  private let audit = Calls()

  init() throws {
    rooms = try Rooms(
      """
      scripted.dependency {
        name = "ledger", writes = true,
        live = function(deps) return { add = function(line) deps.audit.plain(line) end } end,
      }
      -- It does not say that it writes, and calls one that does.
      scripted.dependency {
        name = "clerk",
        live = function(deps) return { add = function(line) deps.audit.add(line) end } end,
      }
      scripted.dependency {
        name = "stamp", writes = true,
        live = function(deps)
          return setmetatable({}, { __call = function(_, line) deps.audit.plain(line) end })
        end,
      }
      local calls = {
        callable = function(deps, line) deps.stamp(line) end,
        host = function(deps, line) deps.audit.add(line) end,
        script = function(deps, line) deps.ledger.add(line) end,
        nested = function(deps, line) deps.clerk.add(line) end,
        plain = function(deps, line) deps.audit.plain(line) end,
      }
      return scripted.feature {
        name = "Room", state = { count = 0 }, dependencies = { "audit", "ledger", "clerk", "stamp" },
        on = {
          handle = function(state, action, deps)
            state.count = state.count + 1
            calls[action.how](deps, "handler")
          end,
          start = function(state, action)
            local how = action.how
            return effect.run(function(send, deps)
              calls[how](deps, "effect")
              send("done")
            end)
          end,
          done = function(state) state.count = state.count + 10 end,
        },
      }
      """)
  }

  private func host(
    _ configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws -> ScriptHost {
    try rooms.host {
      configure(&$0)
      $0.dependencies.register(
        "audit",
        live: .client([
          "add": .function("line") { [audit] (line: String) in audit.add(line) }.writing(),
          "plain": .function("line") { [audit] (line: String) in audit.add(line) },
        ]))
    }
  }

  @Test(arguments: [
    ("host", "deps.audit.add"), ("script", "deps.ledger.add"), ("nested", "audit.add"),
    ("callable", "deps.stamp"),
  ])
  func aHandlerCannotWrite(how: String, name: String) async throws {
    let host = try host()
    let room = host.durable("room", key: "r1")
    let error = await #expect(throws: ScriptError.self) {
      try await room.send("handle", ["how": .string(how)])
    }
    let message = error?.message ?? ""
    #expect(message.contains("\(name) writes outside of the store"), "\(message)")
    #expect(message.contains("return effect.run(function(send, deps) … end), and call it there"))
    #expect(audit.all == [])
    let store = try await room.open()
    #expect(store.state["count"] == 0)
    try await store.send("start", ["how": .string(how)]).finish()
    #expect(audit.all == ["effect"])
    #expect(store.state["count"] == 10)
    await host.close()
  }

  @Test func oneThatSaysNothingIsCalled() async throws {
    let host = try host()
    try await host.durable("room", key: "r1").send("handle", ["how": "plain"])
    #expect(audit.all == ["handler"])
    await host.close()
  }

  @Test(arguments: ["host", "script", "nested", "callable"])
  func aStoreThatIsNotDurableCanCallAll(how: String) throws {
    let store = try host().store("room")
    _ = store.record()
    try store.send("handle", ["how": .string(how)])
    #expect(audit.all == ["handler"])
    #expect(store.state["count"] == 1)
  }

  @Test func aWholeClientWrites() async throws {
    let host = try rooms.host {
      $0.dependencies.register(
        "audit",
        live: .client(["plain": .function("line") { [audit] (line: String) in audit.add(line) }])
          .writing())
    }
    await #expect(throws: ScriptError.self) {
      try await host.durable("room", key: "r1").send("handle", ["how": "plain"])
    }
    #expect(audit.all == [])
    await host.close()
  }

  @Test func aHandlerDoesNotBeginAStreamThatWrites() async throws {
    let host = try rooms.host {
      $0.dependencies.register(
        "audit",
        live: .client([
          "plain": .stream("line") { [audit] (line: String) in
            audit.add(line)
            return AsyncStream<Int> { $0.finish() }
          }
        ]).writing())
    }
    await #expect(throws: ScriptError.self) {
      try await host.durable("room", key: "r1").send("handle", ["how": "plain"])
    }
    #expect(audit.all == [])
    await host.close()
  }

  /// A member of the client is set, or a member is read from it.
  @Test(arguments: ["set", "read"])
  func theMembersOfAClientThatWritesDoSoToo(how: String) async throws {
    var client = Dependency.client([
      "plain": .function("line") { [audit] (line: String) in audit.add(line) }
    ]).writing()
    if how == "set" {
      client["other"] = Dependency.function { 1 }
    } else {
      client = .client(["plain": try #require(client["plain"])])
    }
    let dependency = client
    let host = try rooms.host { $0.dependencies.register("audit", live: dependency) }
    await #expect(throws: ScriptError.self) {
      try await host.durable("room", key: "r1").send("handle", ["how": "plain"])
    }
    #expect(audit.all == [])
    await host.close()
  }

  /// The host says it of what a script makes: a client, or one of its members.
  @Test(arguments: [true, false])
  func aScriptOfTheHostsWrites(isMember: Bool) async throws {
    let stub = "\(rooms.scripts)/stub.lua"
    let add = "function(line) deps.sink.add(line) end"
    let made = isMember ? add : "{ plain = \(add) }"
    try Data("local deps = ... return \(made)".utf8).write(to: URL(fileURLWithPath: stub))
    let script = Dependency.script(file: stub)
    let dependency = isMember ? Dependency.client(["plain": script]) : script
    let host = try rooms.host {
      $0.dependencies.register(
        "sink",
        live: .client(["add": .function("line") { [audit] (line: String) in audit.add(line) }]))
      $0.dependencies.register("audit", live: dependency.writing())
    }
    let room = host.durable("room", key: "r1")
    await #expect(throws: ScriptError.self) {
      try await room.send("handle", ["how": "plain"])
    }
    #expect(audit.all == [])
    let store = try await room.open()
    try await store.send("start", ["how": "plain"]).finish()
    #expect(audit.all == ["effect"])
    #expect(store.state["count"] == 10)
    await host.close()
  }

  /// What a store has in place of a function that writes, of the host or of a script, writes as well.
  @Test(arguments: [("host", "audit"), ("script", "ledger")], [false, true])
  func anOverrideOfAFunctionThatWritesDoesSoToo(
    call: (how: String, client: String), isOfScript: Bool
  ) async throws {
    let stub = "\(rooms.scripts)/stub.lua"
    let text = "local deps = ... return function(line) deps.sink.add(line) end"
    try Data(text.utf8).write(to: URL(fileURLWithPath: stub))
    let sink = Dependency.function("line") { [audit] (line: String) in audit.add(line) }
    let host = try host {
      $0.dependencies.register("sink", live: .client(["add": sink]))
      $0.durable["room"] = DurableFeature(dependencies: [
        call.client: .client(["add": isOfScript ? .script(file: stub) : sink])
      ])
    }
    let room = host.durable("room", key: "r1")
    let error = await #expect(throws: ScriptError.self) {
      try await room.send("handle", ["how": .string(call.how)])
    }
    #expect(error?.message.contains("writes outside of the store") == true)
    #expect(audit.all == [])
    let store = try await room.open()
    try await store.send("start", ["how": .string(call.how)]).finish()
    #expect(audit.all == ["effect"])
    await host.close()
  }

  @Test func whatIsNeitherTrueNorFalseIsRefused() throws {
    try rooms.write(
      "scripted.dependency { name = 'ledger', live = {}, writes = 'yes' }", as: "room")
    let error = #expect(throws: ScriptError.self) { try rooms.host().store("room") }
    let message = "the field 'writes' of the dependency 'ledger' must be true or false"
    #expect(error?.message.contains(message) == true)
  }
}
#endif

#if HTTP
import Foundation
import ScriptedStore
import ScriptedStoreHTTP
import Synchronization
import Testing

/// What scripts make of it.
struct ScriptTests {
  @Test func anEffectWaitsForAResponse() async throws {
    let answer: Server.Answer = { request, connection in
      try connection.respond(
        "200 OK", ["content-type": "application/json"], #"{"asked":"\#(request.line)"}"#)
    }
    try await Server.answering(answer) { server in
      let store = try App(server).store
      try await store.send("load", ["url": Value(server.url), "q": "a b"]).finish()
      #expect(store.state["got"]["status"] == 200)
      #expect(store.state["got"]["json"] == ["asked": "GET /?q=a%20b HTTP/1.1"])
    }
  }

  @Test func whatTheWorldDidIsAFailureWithACode() async throws {
    let answer: Server.Answer = { _, connection in try connection.write("rubbish\r\n\r\n") }
    try await Server.answering(answer) { server in
      let app = try App(server)
      try await app.store.send("try", ["url": Value(server.url)]).finish()
      let failure = app.store.state["result"]["failure"]
      #expect(failure["code"] == "protocol")
      #expect(failure["url"] == Value(server.url))
      #expect(app.warnings.isEmpty)
    }
  }

  @Test func aRefusalThatNothingCatchesIsAWarningAtTheLineOfTheCall() async throws {
    let answer: Server.Answer = { _, connection in try connection.respond() }
    try await Server.answering(answer) { server in
      let app = try App(server)
      try await app.store.send("load", ["url": "https://example.com/"]).finish()
      let warning = try #require(app.warnings.first)
      #expect(warning.kind == .effectError)
      #expect(
        warning.message.contains(
          "http may not reach example.com; the host allows it with "
            + "Dependency.http(allowing: [\"example.com\"])"))
      #expect("\(warning)".contains("app.lua:6"))
    }
  }

  @Test func aFailureThatNothingCatchesBeginsWithItsMessageAndHasAShortBody() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.respond("404 Not Found", [:], String(repeating: "x", count: 100_000))
    }
    try await Server.answering(answer) { server in
      let app = try App(server)
      try await app.store.send("loadJSON", ["url": Value(server.url)]).finish()
      let warning = try #require(app.warnings.first)
      #expect(
        warning.message == """
          an effect of App failed: app.lua:10: GET \(server.url): the server answered 404 Not Found \
          { status = 404, code = "status", url = "\(server.url)", body = "\(String(repeating: "x", count: 300))…" }
          """)
    }
  }

  @Test func cancellingTheEffectClosesTheConnection() async throws {
    let (asked, heard) = AsyncStream.makeStream(of: Void.self)
    let answer: Server.Answer = { _, connection in
      heard.yield()
      connection.waitForEnd()
    }
    try await Server.answering(answer) { server in
      let app = try App(server)
      let task = try app.store.send("load", ["url": Value(server.url)])
      var requests = asked.makeAsyncIterator()
      await requests.next()
      #expect(app.store.effects.map(\.waitingOn) == ["http.get"])
      app.store.send("stop")
      await task.finish()
      while server.endedConnections == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(app.store.state["got"] == .null)
      #expect(app.warnings.isEmpty)
    }
  }

  @Test func requestsOfOneEffectGoSideBySide() async throws {
    // Answers when both have asked.
    let asked = Mutex(0)
    let answer: Server.Answer = { request, connection in
      asked.withLock { $0 += 1 }
      while asked.withLock({ $0 }) < 2 { Thread.sleep(forTimeInterval: 0.001) }
      try connection.respond("200 OK", [:], request.line)
    }
    try await Server.answering(answer) { server in
      let store = try App(server).store
      try await store.send("both", ["url": Value(server.url)]).finish()
      #expect(store.state["bodies"] == ["GET /a HTTP/1.1", "GET /b HTTP/1.1"])
    }
  }
}

/// A feature that uses `http`, which reaches the server.
private final class App: Sendable {
  let store: Store
  private let folder: String
  private let heard: Heard

  private final class Heard: Sendable {
    let warnings = Mutex<[RuntimeWarning]>([])
  }

  var warnings: [RuntimeWarning] { heard.warnings.withLock { $0 } }

  init(_ server: Server) throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("http-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(App.script.utf8).write(to: URL(fileURLWithPath: folder + "/app.lua"))
    let heard = Heard()
    self.heard = heard
    var dependencies = Dependencies()
    dependencies.register("http", live: try client(of: server))
    store = try ScriptHost(
      root: folder,
      configuration: .init(
        dependencies: dependencies,
        onWarning: { warning in heard.warnings.withLock { $0.append(warning) } })
    ).store("app")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static let script = """
    local effect = require("scripted").effect
    return require("scripted").feature {
      name = "App", state = {}, dependencies = { "http" },
      on = {
        load = function(_, action) return effect.run(function(send, deps)
          send("loaded", { got = deps.http.get(action.url, { query = { q = action.q } }) })
        end):cancellable("load") end,
        loaded = function(state, action) state.got = action.got end,
        loadJSON = function(_, action) return effect.run(function(send, deps)
          send("loaded", { got = deps.http.getJSON(action.url) })
        end) end,
        stop = function() return effect.cancel("load") end,
        try = function(_, action) return effect.run(function(send, deps)
          send("tried", { result = effect.result(deps.http.get, action.url) })
        end) end,
        tried = function(state, action) state.result = action.result end,
        both = function(_, action) return effect.run(function(send, deps)
          local a, b = effect.all {
            function() return deps.http.get(action.url .. "/a") end,
            function() return deps.http.get(action.url .. "/b") end,
          }
          send("gotBoth", { bodies = { a.body, b.body } })
        end) end,
        gotBoth = function(state, action) state.bodies = action.bodies end,
      },
    }
    """
}
#endif

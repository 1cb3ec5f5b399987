#if HTTP
import Foundation
import ScriptedStore
import ScriptedStoreHTTP
import Synchronization
import Testing

/// Servers that refuse, hang, send garbage or send for ever.
@Suite(.timeLimit(.minutes(30)))
struct FaultTests {
  @Test func aRefusedConnectionIsToldAsOne() async throws {
    try await Server.refusing { port in
      for host in ["127.0.0.1", "localhost"] {
        let url = "http://\(host):\(port)/a"
        let http = try Dependency.http(allowing: ["\(host):\(port)"])
        #expect(
          await http.failure(getting: url) == [
            "code": "connection", "url": Value(url),
            "message": Value("GET \(url): Connection refused"),
          ])
      }
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhal"])
  func aServerThatStopsAnsweringIsLeft(start: String) async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write(start)
      connection.waitForEnd()
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let failure = await http.failure(getting: server.url, ["timeout": 0.1])
      #expect(failure["code"] == "timeout")
      #expect(
        failure["message"]
          == Value("GET \(server.url): there was no whole response within 0.1 seconds"))
      // The client closed the connection, unless it gave up before it had used it.
      while server.endedConnections < server.heard.count {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test func theTimeoutHoldsForAServerThatDripsToo() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
      while true {
        try connection.write("x")
        Thread.sleep(forTimeInterval: 0.002)
      }
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server, timeout: .seconds(0.2))
      #expect(await http.failure(getting: server.url)["code"] == "timeout")
    }
  }

  @Test(arguments: [
    "rubbish\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n",
  ])
  func garbageIsNoResponse(garbage: String) async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write(garbage)
      connection.waitForEnd()
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let failure = await http.failure(getting: server.url, ["timeout": 20])
      #expect(failure["code"] == "protocol", "\(failure)")
    }
  }

  @Test func bytesThatAreNotPackedAsTheyClaimAreNoResponse() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.respond("200 OK", ["content-encoding": "gzip"], "no gzip at all")
    }
    try await Server.answering(answer) { server in
      let failure = await (try client(of: server)).failure(getting: server.url)
      #expect(failure["code"] == "protocol")
    }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\ncontent-le", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhal",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nha",
  ])
  func aResponseThatEndsTooSoonIsNone(start: String) async throws {
    let answer: Server.Answer = { _, connection in
      if !start.isEmpty { try connection.write(start) }
      throw Ended()
    }
    try await Server.answering(answer) { server in
      let failure = await (try client(of: server)).failure(getting: server.url)
      #expect(failure["code"] == "connection", "\(failure)")
      #expect(
        failure["message"]
          == Value(
            "GET \(server.url): the server closed the connection before the response was whole"))
    }
  }

  private struct Ended: Error {}

  @Test(arguments: [
    "content-length: 10000000000", "transfer-encoding: chunked", "connection: close",
  ])
  func anEndlessBodyIsReadUpToTheLimit(header: String) async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n")
      let isChunked = header.hasSuffix("chunked")
      let part = String(repeating: "x", count: 0x4000)
      while true { try connection.write(isChunked ? "4000\r\n\(part)\r\n" : part) }
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server, limit: 100_000)
      let failure = await http.failure(getting: server.url)
      #expect(failure["code"] == "tooLarge")
      #expect(
        failure["message"]
          == Value(
            "GET \(server.url): the response has more than the 100000 bytes that the host allows"))
      while server.endedConnections == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  @Test func aBodyOfJustTheLimitFits() async throws {
    let answer: Server.Answer = { request, connection in
      try connection.respond("200 OK", [:], String(repeating: "x", count: 1000))
    }
    try await Server.answering(answer) { server in
      let fitting = try client(of: server, limit: 1000)
      #expect(try await fitting.get(server.url)["status"] == 200)
      let tight = try client(of: server, limit: 999)
      #expect(await tight.failure(getting: server.url)["code"] == "tooLarge")
      #expect(try await tight.call("head", Value(server.url), nil)["body"] == "")
    }
  }

  @Test func endlessHeadersAreNoResponse() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write("HTTP/1.1 200 OK\r\n")
      while true {
        try connection.write("x-header: \(String(repeating: "x", count: 1000))\r\n")
      }
    }
    try await Server.answering(answer) { server in
      let failure = await (try client(of: server)).failure(getting: server.url)
      #expect(failure["code"] == "protocol", "\(failure)")
    }
  }

  @Test func aServerWithoutTLSIsToldAsAConnection() async throws {
    let answer: Server.Answer = { _, connection in try connection.respond() }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let failure = await http.failure(
        getting: "https://\(server.host)/", ["timeout": 20])
      #expect(failure["code"] == "connection", "\(failure)")
    }
  }

  @Test func cancellingClosesTheConnection() async throws {
    let (asked, heard) = AsyncStream.makeStream(of: Void.self)
    let answer: Server.Answer = { _, connection in
      heard.yield()
      connection.waitForEnd()
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let task = Task { try await http.get(server.url) }
      var requests = asked.makeAsyncIterator()
      await requests.next()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      while server.endedConnections == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  @Test func aTaskThatIsCancelledAlreadyGetsNothing() async throws {
    let answer: Server.Answer = { _, connection in try connection.respond() }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await http.get(server.url)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
#endif

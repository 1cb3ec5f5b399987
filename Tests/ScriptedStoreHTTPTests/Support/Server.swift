import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on the loopback interface that answers with whatever bytes a test wants.
final class Server: Sendable {
  /// A request as its bytes came in.
  struct Heard: Sendable {
    /// `GET /path HTTP/1.1`.
    let line: String
    /// Names in lower case.
    let headers: [String: String]
    let body: String
  }

  /// Answers one request. What it throws, or does not answer, closes the connection.
  typealias Answer = @Sendable (Heard, Connection) async throws -> Void

  let port: Int
  private let log = Mutex<[Heard]>([])
  private let ended = Mutex(0)

  /// `http://127.0.0.1:<port>`.
  var url: String { "http://127.0.0.1:\(port)" }
  /// As hosts are allowed.
  var host: String { "127.0.0.1:\(port)" }
  var heard: [Heard] { log.withLock { $0 } }
  /// Connections that are over.
  var endedConnections: Int { ended.withLock { $0 } }

  private init(port: Int) { self.port = port }

  /// Runs a server while `body` does.
  static func answering<Result>(
    _ answer: @escaping Answer, _ body: (Server) async throws -> Result
  ) async throws -> Result {
    let listening = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let server = Server(port: listening.channel.localAddress?.port ?? 0)
    let serving = Task {
      try await listening.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients {
            group.addTask { await server.serve(client, answer) }
          }
        }
      }
    }
    defer { serving.cancel() }
    return try await body(server)
  }

  /// A port of the loopback interface on which nobody listens.
  static func unusedPort() async throws -> Int {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = channel.localAddress?.port ?? 0
    try await channel.close()
    return port
  }

  private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ answer: Answer) async {
    try? await client.executeThenClose { inbound, outbound in
      let connection = Connection(inbound.makeAsyncIterator(), outbound)
      while let request = try await connection.request() {
        log.withLock { $0.append(request) }
        let before = connection.written
        try await answer(request, connection)
        if connection.written == before { break }
      }
    }
    ended.withLock { $0 += 1 }
  }

  /// What a client sees of a server and a server of a client.
  final class Connection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received = ByteBuffer()
    fileprivate private(set) var written = 0

    fileprivate init(
      _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
      _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      self.inbound = inbound
      self.outbound = outbound
    }

    /// The next request; nil if the client is gone.
    fileprivate func request() async throws -> Heard? {
      while true {
        let text = String(buffer: received)
        if let end = text.range(of: "\r\n\r\n") {
          let lines = text[..<end.lowerBound].split(separator: "\r\n")
          var headers: [String: String] = [:]
          for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
          }
          let length = Int(headers["content-length"] ?? "") ?? 0
          let body = text[end.upperBound...]
          if body.utf8.count >= length {
            received.clear()
            return Heard(line: String(lines[0]), headers: headers, body: String(body))
          }
        }
        // The first byte of TLS, of which this knows nothing.
        if received.readableBytesView.first == 0x16 {
          return Heard(line: "TLS", headers: [:], body: "")
        }
        guard var more = try await inbound.next() else { return nil }
        received.writeBuffer(&more)
      }
    }

    /// Returns when the client has closed its side.
    func waitForEnd() async throws {
      while try await inbound.next() != nil {}
    }

    func write(_ bytes: some Sequence<UInt8>) async throws {
      written += 1
      try await outbound.write(ByteBuffer(bytes: bytes))
    }

    func write(_ text: String) async throws { try await write(text.utf8) }

    /// A whole response.
    func respond(
      _ status: String = "200 OK", _ headers: [String: String] = [:], _ body: some Sequence<UInt8>
    ) async throws {
      let body = Array(body)
      let lines = headers.map { "\($0): \($1)\r\n" }.joined()
      try await write(
        Array("HTTP/1.1 \(status)\r\ncontent-length: \(body.count)\r\n\(lines)\r\n".utf8) + body)
    }

    func respond(
      _ status: String = "200 OK", _ headers: [String: String] = [:], _ body: String = ""
    ) async throws {
      try await respond(status, headers, body.utf8)
    }
  }
}

#if HTTP
import Foundation
import Synchronization

/// A server on the loopback interface that answers with whatever bytes a test wants, each connection on a
/// thread of its own.
final class Server: Sendable {
  /// A request as its bytes came in.
  struct Heard: Sendable {
    /// `GET /path HTTP/1.1`.
    let line: String
    /// Names in lower case.
    let headers: [String: String]
    let body: String
  }

  /// Answers one request; it may block. What it throws closes the connection.
  typealias Answer = @Sendable (Heard, Connection) throws -> Void

  let port: Int
  private let listener: Int32
  private let answer: Answer
  private let state = Mutex(State())

  private struct State {
    var heard: [Heard] = []
    var open: Set<Int32> = []
    var ended = 0
    var isStopped = false
  }

  /// `http://127.0.0.1:<port>`.
  var url: String { "http://127.0.0.1:\(port)" }
  /// As hosts are allowed.
  var host: String { "127.0.0.1:\(port)" }
  var heard: [Heard] { state.withLock { $0.heard } }
  /// Connections that are over.
  var endedConnections: Int { state.withLock { $0.ended } }

  /// Runs a server while `body` does.
  static func answering<Result>(
    _ answer: @escaping Answer, _ body: (Server) async throws -> Result
  ) async throws -> Result {
    let server = try Server(answer)
    defer { server.stop() }
    return try await body(server)
  }

  /// Runs `body` with a port of the loopback interface on which nobody listens, nor can meanwhile.
  static func refusing<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
    let (socket, port) = try bound()
    defer { close(socket) }
    return try await body(port)
  }

  private init(_ answer: @escaping Answer) throws {
    (listener, port) = try Server.bound()
    self.answer = answer
    guard listen(listener, 128) == 0 else { throw Server.error }
    Thread.detachNewThread { self.acceptAll() }
  }

  private static func bound() throws -> (socket: Int32, port: Int) {
    #if canImport(Darwin)
    let stream = SOCK_STREAM
    #else
    let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let server = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(server, address, size) == 0 && getsockname(server, address, &size) == 0
      }
    }
    guard status else { throw Server.error }
    return (server, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static var error: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      let goesOn = state.withLock { state in
        guard client >= 0, !state.isStopped else { return false }
        state.open.insert(client)
        return true
      }
      guard goesOn else {
        if client >= 0 { close(client) }
        close(listener)
        return
      }
      Thread.detachNewThread { self.serve(client) }
    }
  }

  private func serve(_ client: Int32) {
    let connection = Connection(client)
    while let request = connection.request() {
      state.withLock { $0.heard.append(request) }
      do { try answer(request, connection) } catch { break }
    }
    state.withLock { state in
      state.open.remove(client)
      state.ended += 1
      close(client)
    }
  }

  /// Ends what waits for a client; the threads close the sockets.
  private func stop() {
    state.withLock { state in
      state.isStopped = true
      for client in state.open { shutdown(client, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

extension Server {
  struct ClientIsGone: Error {}

  /// A client, as the server sees it.
  final class Connection {
    private let socket: Int32
    private var received: [UInt8] = []

    fileprivate init(_ socket: Int32) { self.socket = socket }

    /// The next request; nil if the client is gone.
    fileprivate func request() -> Heard? {
      while true {
        let text = String(decoding: received, as: UTF8.self)
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
            received = []
            return Heard(line: String(lines[0]), headers: headers, body: String(body))
          }
        }
        // The first byte of TLS, of which this knows nothing.
        if received.first == 0x16 {
          received = []
          return Heard(line: "TLS", headers: [:], body: "")
        }
        guard receive() else { return nil }
      }
    }

    private func receive() -> Bool {
      var part = [UInt8](repeating: 0, count: 0x4000)
      let count = recv(socket, &part, part.count, 0)
      guard count > 0 else { return false }
      received += part[..<count]
      return true
    }

    /// Returns when the client has closed its side.
    func waitForEnd() { while receive() {} }

    func write(_ bytes: [UInt8]) throws {
      #if canImport(Darwin)
      let flags: Int32 = 0
      var yes: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      #else
      let flags = Int32(MSG_NOSIGNAL)
      #endif
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
        guard count > 0 else { throw ClientIsGone() }
        rest = rest.dropFirst(count)
      }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// A whole response.
    func respond(
      _ status: String = "200 OK", _ headers: [String: String] = [:], _ body: some Sequence<UInt8>
    ) throws {
      let body = Array(body)
      let lines = headers.map { "\($0): \($1)\r\n" }.joined()
      let head = "HTTP/1.1 \(status)\r\ncontent-length: \(body.count)\r\n\(lines)\r\n"
      try write(Array(head.utf8) + body)
    }

    func respond(
      _ status: String = "200 OK", _ headers: [String: String] = [:], _ body: String = ""
    ) throws {
      try respond(status, headers, body.utf8)
    }
  }
}
#endif

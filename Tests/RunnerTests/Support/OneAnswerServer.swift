import Foundation
import Platform

/// A web server on the loopback interface that gives the same answer to everything.
final class OneAnswerServer: Sendable {
  /// As hosts are allowed: `127.0.0.1:4711`.
  let host: String
  private let listener: Int32

  /// - Parameter body: that of the answer; nil for a server that never answers.
  init(_ body: String?) throws {
    let (listener, port) = try RunnerProcess.withoutSpawning { try Self.listen() }
    self.listener = listener
    host = "127.0.0.1:\(port)"
    Thread.detachNewThread { Self.serve(body, on: listener) }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func listen() throws -> (listener: Int32, port: Int) {
    #if canImport(Darwin)
    let stream = SOCK_STREAM
    #else
    let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, stream, 0)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    guard isBound, Foundation.listen(listener, 8) == 0 else {
      throw RunnerProcess.SpawnError(number: errno)
    }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Until the listener is shut down.
  private static func serve(_ body: String?, on listener: Int32) {
    var unanswered: [Int32] = []
    defer { for descriptor in unanswered + [listener] { close(descriptor) } }
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard let body else {
        unanswered.append(client)
        continue
      }
      var request = [UInt8](repeating: 0, count: 0x4000)
      if read(client, &request, request.count) > 0 {
        let answer =
          "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n"
          + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
        write(client, answer, answer.utf8.count)
      }
      close(client)
    }
  }
}

import Platform

private let systemConnect = connect
private let systemSend = send
private let systemClose = close

/// A connection to a port of the loopback interface, without anything of the server's own code.
final class TestSocket {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  init(port: Int) throws {
    #if canImport(Darwin)
    let stream = SOCK_STREAM
    #else
    let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, stream, 0)
    // A test that waits in vain ends with an error.
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    signal(SIGPIPE, SIG_IGN)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      throw Failed(description: "connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit { _ = systemClose(descriptor) }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else {
        throw Failed(description: "send: \(String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends what the system takes within a second. Returns the number of bytes.
  func writeIfTaken(_ bytes: [UInt8]) throws -> Int {
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        systemSend(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else {
        guard errno == EAGAIN || errno == EWOULDBLOCK else {
          throw Failed(description: "send: \(String(cString: strerror(errno)))")
        }
        return sent
      }
      sent += count
    }
    return sent
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// The next bytes. Throws at the end of what is sent.
  func read(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// All up to a text, and that text.
  func read(upTo end: String) throws -> String {
    let end = Array(end.utf8)
    while true {
      if let range = buffer.firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
      }
      try fill()
    }
  }

  private func fill() throws {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else {
      throw Failed(description: count == 0 ? "closed" : "recv: \(String(cString: strerror(errno)))")
    }
    buffer += bytes[..<count]
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes to a file descriptor, each call at once. After a failure it writes no more.
struct OutputStream {
  private let descriptor: Int32
  /// The `errno` of the write that failed.
  private(set) var failure: Int32?

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The reader has gone, which is its right.
  var isClosed: Bool { failure == EPIPE }

  /// The descriptor is somebody else's from then on.
  func close() { systemClose(descriptor) }

  mutating func write(_ text: TerminalText) { write(text.bytes) }

  mutating func write(_ bytes: [UInt8]) {
    guard failure == nil else { return }
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        switch systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest)) {
        case .success(let count): rest = rest.dropFirst(count)
        case .failure(let code) where code.rawValue == EINTR: continue
        case .failure(let code) where code.rawValue == EAGAIN:
          // Somebody who shares the terminal or pipe made it non-blocking.
          var space = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&space, 1, -1)
        case .failure(let code):
          failure = code.rawValue
          return
        }
      }
    }
  }
}

struct ErrorNumber: Error {
  var rawValue: Int32
}

private func systemWrite(
  _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
) -> Result<Int, ErrorNumber> {
  let count = write(descriptor, bytes.baseAddress, bytes.count)
  return count >= 0 ? .success(count) : .failure(ErrorNumber(rawValue: errno))
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

/// The system's words for an error number.
func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

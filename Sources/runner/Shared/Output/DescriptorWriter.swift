import Platform

/// Writes to a file descriptor without a buffer. After a failure, further writes are ignored.
struct DescriptorWriter {
  private let descriptor: Int32
  /// The `errno` of the write that failed.
  private(set) var failure: Int32?

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// True if the reader of a pipe has closed it. This is no error.
  var isClosed: Bool { failure == EPIPE }

  /// The reason why output is missing; nil if nothing is, or if the reader of a pipe has closed it.
  var failureText: String? {
    guard let failure, !isClosed else { return nil }
    return errorText(failure)
  }

  /// Closes the descriptor. The stream must not be used afterwards, as the system may reuse the
  /// number.
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
          // Another process that shares the terminal or pipe has made it non-blocking. Wait until
          // it can be written.
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

private func systemWrite(
  _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
) -> Result<Int, ErrorNumber> {
  let count = write(descriptor, bytes.baseAddress, bytes.count)
  return count >= 0 ? .success(count) : .failure(ErrorNumber(rawValue: errno))
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

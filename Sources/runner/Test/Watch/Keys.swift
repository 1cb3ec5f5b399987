#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is typed at a watch: single keys, or a line.
struct Keys {
  /// To wait on; below 0 when there will be none any more.
  private(set) var descriptor = STDIN_FILENO

  /// Nobody is there to press one any more.
  var haveEnded: Bool { descriptor < 0 }

  /// The next key, if one was pressed.
  mutating func next() -> Character? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard descriptor >= 0, poll(&entry, 1, 0) > 0 else { return nil }
    var byte: UInt8 = 0
    let count = read(descriptor, &byte, 1)
    if count == 1 { return Character(Unicode.Scalar(byte)) }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { descriptor = -1 }
    return nil
  }

  /// Waits for a line and returns it without its end; nil if there is none.
  mutating func line() -> String? {
    var bytes: [UInt8] = []
    while descriptor >= 0 && !Interruption.isRequested {
      Interruption.wait(for: descriptor)
      var byte: UInt8 = 0
      let count = Interruption.isRequested ? 0 : read(descriptor, &byte, 1)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}

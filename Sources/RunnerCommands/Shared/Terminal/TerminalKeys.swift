import Platform
import ScriptedStoreTerminal

/// The keys that are pressed on the terminal of standard input.
final class TerminalKeys {
  private var parser = KeyParser()
  private var isAtPause = false
  /// True after standard input has ended or failed.
  private(set) var hasEnded = false

  /// How long after ESC the rest of a key may arrive, in seconds.
  private static let escapeTimeout = 0.03

  /// How long to wait for the rest of a key, in seconds; nil if a pause would complete none.
  var timeout: Double? { parser.awaitsPause ? Self.escapeTimeout : nil }

  /// Reads the bytes that have arrived. If there are none, a key that has begun counts as complete.
  func read() {
    isAtPause = !readBytes()
  }

  /// The next key; nil if none is complete.
  func next() -> Key? { parser.next(isAtPause: isAtPause) }

  /// Returns false if no byte could be read.
  private func readBytes() -> Bool {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Platform.read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 {
      parser.add(bytes[..<count])
      return true
    }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { hasEnded = true }
    return false
  }
}

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

/// Reads what the user types during a watch: single keys, or a line.
struct KeyInput {
  /// The file descriptor to wait on; negative once the input has ended.
  private(set) var descriptor = STDIN_FILENO
  /// Tells keys from what the terminal answers.
  private var parser = KeyParser()

  /// Whether the input has ended.
  var hasEnded: Bool { descriptor < 0 }

  /// The next key that is a character, or Enter; nil if none was pressed. Does not wait.
  mutating func next() -> Character? {
    while true {
      let hasRead = readByte()
      switch parser.next(isAtPause: !hasRead) {
      case .character(let character)?: return character
      case .enter?: return "\n"
      case .some: continue
      case nil: if !hasRead { return nil }
      }
    }
  }

  /// Reads one byte, because a line may follow. Returns false if there is none now.
  private mutating func readByte() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard descriptor >= 0, poll(&entry, 1, 0) > 0 else { return false }
    var byte: UInt8 = 0
    let count = read(descriptor, &byte, 1)
    if count == 1 { parser.add([byte]) }
    if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { descriptor = -1 }
    return count == 1
  }

  /// Waits for a line and returns it without its line break. Nil if the input ends or the run is
  /// interrupted.
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

import Platform
import ScriptedStoreTerminal

/// The keys that are pressed on the terminal of standard input, and lines.
package final class TerminalKeys {
  private var parser = KeyParser()
  private var isAtPause = false
  /// True after standard input has ended or failed.
  package private(set) var hasEnded = false
  /// How many bytes are read at once.
  private let count: Int

  /// How long after ESC the rest of a key may arrive, in seconds.
  private static let escapeTimeout = 0.03

  /// - Parameter readsLines: whether a line may follow a key, of which no byte may be read before.
  package init(readsLines: Bool = false) { count = readsLines ? 1 : 4096 }

  /// The file descriptor to wait on; negative once the input has ended.
  package var descriptor: Int32 { hasEnded ? -1 : STDIN_FILENO }

  /// How long to wait for the rest of a key, in seconds; nil if a pause would complete none.
  package var timeout: Double? { parser.awaitsPause ? Self.escapeTimeout : nil }

  /// Reads the bytes that have arrived. If there are none, a key that has begun counts as complete.
  package func read() {
    isAtPause = !readBytes()
  }

  /// The next key; nil if none is complete.
  package func next() -> Key? { parser.next(isAtPause: isAtPause) }

  /// Reads, and returns the next key that is a character, or Enter; nil if none was pressed.
  package func character() -> Character? {
    while true {
      read()
      switch next() {
      case .character(let character)?: return character
      case .enter?: return "\n"
      case .some: continue
      case nil: if isAtPause { return nil }
      }
    }
  }

  /// Waits for a line and returns it without its line break. Nil if the input ends or the run is
  /// interrupted.
  package func line() -> String? {
    var bytes: [UInt8] = []
    while !hasEnded && !Interruption.isRequested {
      Interruption.wait(for: descriptor)
      var byte: UInt8 = 0
      let count = Interruption.isRequested ? 0 : Platform.read(descriptor, &byte, 1)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Returns false if no byte could be read.
  private func readBytes() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard !hasEnded, poll(&entry, 1, 0) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: count)
    let count = Platform.read(descriptor, &bytes, count)
    if count > 0 { parser.add(bytes[..<count]) }
    if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { hasEnded = true }
    return count > 0
  }
}

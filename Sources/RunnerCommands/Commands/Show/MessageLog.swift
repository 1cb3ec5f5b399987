import RunnerShared
import Synchronization

/// What goes to standard error once a screen no longer has the terminal.
final class MessageLog: Sendable {
  private struct Content {
    var messages: [TerminalText] = []
    /// What the last row of the screen has not yet said. It says the first line.
    var said: String?
  }

  private let content = Mutex(Content())
  /// The most messages that are kept. The oldest ones are dropped.
  private static let limit = 1000

  var hasMessage: Bool { content.withLock { $0.said != nil } }

  func takeMessage() -> String? { content.withLock { $0.said.take() } }

  /// Adds what is to be printed later, of which the screen says the first line.
  func add(_ message: TerminalText) {
    content.withLock { content in
      content.messages.append(message)
      if content.messages.count > Self.limit { content.messages.removeFirst() }
      content.said = message.text
    }
    Interruption.wake()
  }

  /// Says something on the screen alone.
  func say(_ message: String) {
    content.withLock { $0.said = message }
    Interruption.wake()
  }

  /// Prints the messages where they would have been without the screen.
  func print() {
    for message in content.withLock({ $0.messages }) { StandardStreams.error(message) }
  }
}

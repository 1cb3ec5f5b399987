import ScriptedStore
import Synchronization

/// Something that happens while a console is open.
enum ConsoleEvent: Sendable {
  case action(ActionRecord)
  case warning(RuntimeWarning)
  /// A line that a script, or a reducer that prints, has written.
  case printed(String)
  /// Scripts were saved.
  case reload(Result<ReloadReport, ReloadError>)
}

/// What the threads on which things happen leave for the one that has the terminal.
final class ConsoleEvents: Sendable {
  private let pending = Mutex<[ConsoleEvent]>([])

  var isEmpty: Bool { pending.withLock { $0.isEmpty } }

  func add(_ event: ConsoleEvent) {
    pending.withLock { $0.append(event) }
    Interruption.wake()
  }

  func take() -> [ConsoleEvent] {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }
}

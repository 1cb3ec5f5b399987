import ScriptedStore
import Synchronization

extension RuntimeWarning {
  /// Whether the record of an action has this warning, and shows it.
  package var isInActionRecord: Bool {
    switch kind {
    case .unknownAction, .malformedAction, .missingElement, .absentChild, .otherCase, .duplicateID,
      .unhandledBinding, .unknownBindingKey, .notPresented:
      action != nil
    case .effectError, .sendAfterEnd, .cancellationSwallowed, .memoryFull, .vanishedHandler,
      .lostLocal, .locked, .sharedDefault, .sharedStorage, .sharedLoop, .sharedState:
      false
    }
  }
}

/// An event to show in an open console.
package enum ConsoleEvent: Sendable {
  case action(ActionRecord)
  case warning(RuntimeWarning)
  /// A line that a script or a printing reducer has written.
  case printed(String)
  /// The screen has changed. The present one is shown, however many changes there were.
  case screen
  /// The result of a reload after scripts were saved.
  case reload(Result<ReloadReport, ReloadError>)
}

/// A queue of events from any thread to the thread that runs the console. Adding an event wakes
/// that thread.
package final class ConsoleEvents: Sendable {
  private let pending = Mutex<[ConsoleEvent]>([])

  package init() {}

  package var isEmpty: Bool { pending.withLock { $0.isEmpty } }

  package func add(_ event: ConsoleEvent) {
    pending.withLock { $0.append(event) }
    Interruption.wake()
  }

  package func take() -> [ConsoleEvent] {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }
}

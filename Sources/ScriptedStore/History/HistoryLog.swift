import ScriptValue
import Synchronization

/// The entries of a history, readable from any thread.
final class HistoryLog: Sendable {
  let entries: Mutex<HistoryEntries>
  private let locked = Atomic<Bool>(false)
  private let holding = Atomic<Bool>(false)

  init(limit: Int, state: Value) {
    entries = Mutex(HistoryEntries(limit: limit, state: state))
  }

  /// Whether the store drops all actions.
  var isLocked: Bool {
    get { locked.load(ordering: .sequentiallyConsistent) }
    set { locked.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Whether actions of effects are dropped while entries follow the store's position.
  var holdsEffects: Bool {
    get { holding.load(ordering: .sequentiallyConsistent) }
    set { holding.store(newValue, ordering: .sequentiallyConsistent) }
  }
}

import ScriptValue
import Synchronization

/// The state of a store for readers on any thread.
final class StateSnapshot: Sendable {
  /// Owned (+1).
  private let slot = Mutex(Slot.null)

  deinit { slot.withLock { $0.release() } }

  var current: Value {
    let slot = slot.withLock { $0.retained() }
    return Value(owning: slot)
  }

  /// Makes a state (+0) the current one, and retains it.
  @inline(__always)
  func publish(_ new: Slot) {
    new.retain()
    let old = slot.withLock { slot in
      defer { slot = new }
      return slot
    }
    old.release()
  }
}

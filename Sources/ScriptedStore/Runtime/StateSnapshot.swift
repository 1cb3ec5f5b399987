import ScriptValue
import Synchronization

/// The state of a store for readers on any thread.
final class StateSnapshot: Sendable {
  private struct Content {
    /// Owned (+1).
    var slot = Slot.null
    /// The shared values of which the state shows version ``shown``; nil in a store that shares nothing.
    var values: SharedValues?
    var shown: UInt64 = 0
    /// Whether the worker was asked to bring the state up to date.
    var isAsked = false
  }

  private let content = Mutex(Content())

  deinit { content.withLock { $0.slot.release() } }

  var current: Value {
    let slot = content.withLock { $0.slot.retained() }
    return Value(owning: slot)
  }

  /// Makes a state (+0) the current one, and retains it.
  @inline(__always)
  func publish(_ new: Slot) {
    new.retain()
    let old = content.withLock { content in
      defer { content.slot = new }
      return content.slot
    }
    old.release()
  }

  // MARK: Shared values

  /// Notes which version of the shared values the state shows from now on.
  func shows(_ version: UInt64, of values: SharedValues) {
    content.withLock { content in
      content.shown = version
      if content.values !== values { content.values = values }
      content.isAsked = false
    }
  }

  /// Whether the state is older than the shared values, and nobody has been told yet.
  func takeOutdated() -> Bool {
    content.withLock { content in
      guard let values = content.values, !content.isAsked, values.isNewer(than: content.shown)
      else { return false }
      content.isAsked = true
      return true
    }
  }
}

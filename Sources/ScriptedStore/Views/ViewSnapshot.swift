import LuaBridge
import Synchronization

/// The tree of one who looks, for readers on any thread.
final class ViewSnapshot: Sendable {
  private let content = Mutex(Value.null)

  var current: Value { content.withLock { $0 } }

  /// Makes a tree the current one. Returns the one before.
  func publish(_ new: Value) -> Value {
    content.withLock { content in
      defer { content = new }
      return content
    }
  }
}

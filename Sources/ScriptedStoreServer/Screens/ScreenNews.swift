#if Server
import ScriptedStore
import Synchronization

/// Tells the event loop, from the threads that change a store, that there is a new tree.
final class ScreenNews: Sendable {
  private struct State {
    /// What the script has given as the animation of the last action that had one.
    var animation: Value?
    var isAnnounced = false
  }

  private let state = Mutex(State())

  func add(animation: Value) { state.withLock { $0.animation = animation } }

  /// Returns whether the event loop has to be told, because it has looked since it was told before.
  func announce() -> Bool {
    state.withLock { state in
      defer { state.isAnnounced = true }
      return !state.isAnnounced
    }
  }

  /// Called before the loop looks. Returns the animation since it looked before.
  func take() -> Value? {
    state.withLock { state in
      defer { state = State() }
      return state.animation
    }
  }
}
#endif

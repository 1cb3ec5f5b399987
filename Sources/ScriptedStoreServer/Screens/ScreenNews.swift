#if Server
import NIOCore
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

  /// Observes what changes. A store may run scripts for that, so this is not called on the event loop.
  ///
  /// - Parameter screen: is told, once it is there.
  func observe(
    _ store: Store, _ views: ViewTree, for screen: NIOLoopBoundBox<ServedScreen?>,
    on loop: any EventLoop
  ) -> [StoreObservation] {
    // State observers are called before those of views, so that an animation is there before its tree.
    let animations = store.observe(withTransaction: { [self] _, transaction in
      if let animation = transaction?["animation"], !animation.isNull {
        state.withLock { $0.animation = animation }
      }
    })
    let trees = views.observe { [self] _, _ in
      if announce() { loop.execute { screen.value?.takeNews() } }
    }
    return [animations, trees]
  }

  /// Returns whether the event loop has to be told, because it has looked since it was told before.
  private func announce() -> Bool {
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

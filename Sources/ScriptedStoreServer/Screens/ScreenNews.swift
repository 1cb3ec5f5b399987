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

  /// The screen that is told, once it is there.
  let screen: NIOLoopBoundBox<ServedScreen?>
  private let state = Mutex(State())
  private let observations = Mutex<[StoreObservation]>([])

  /// Observes what changes. A store may run scripts for that, so this is not called on the event
  /// loop.
  init(_ store: Store, _ views: ViewTree, on loop: any EventLoop) {
    let screen = NIOLoopBoundBox<ServedScreen?>.makeEmptyBox(eventLoop: loop)
    self.screen = screen
    // State observers are called before those of views, so that an animation is there before its tree is announced. Only an event of a
    // page that ends in between takes the tree without it.
    let animations = store.observe(withTransaction: { [self] _, transaction in
      if let animation = transaction?["animation"], !animation.isNull {
        state.withLock { $0.animation = animation }
      }
    })
    let trees = views.observe { [self] _, _ in
      if announce() { loop.execute { screen.value?.takeNews() } }
    }
    observations.withLock { $0 = [animations, trees] }
  }

  /// Ends the observations on the store's queue, because a store may run scripts then.
  func end(_ served: ServedStore) {
    screen.value = nil
    served.async { [self] in
      let ended = observations.withLock { observations in
        defer { observations = [] }
        return observations
      }
      for observation in ended { observation.cancel() }
    }
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

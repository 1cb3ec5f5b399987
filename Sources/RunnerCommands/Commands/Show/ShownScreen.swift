import Dispatch
import ScriptedStore

/// A store whose screen is looked at.
struct ShownScreen {
  private let store: Store
  private let views: ViewTree
  /// The virtual clock; nil if time passes in real time.
  private let clock: VirtualClock?
  private let observation: StoreObservation

  /// Begins to look: nodes with `task` and `onAppear` have sent their actions when this returns.
  init(
    _ store: Store, environment: Value.Object, clock: VirtualClock?, _ messages: ScreenMessages
  ) {
    self.store = store
    self.clock = clock
    observation = store.onAction { messages.add($0) }
    views = store.view(environment: environment)
    settle()
  }

  /// The tree of what is on the screen.
  var tree: Value { views.value }

  func send(_ action: Action) {
    store.send(action)
    settle()
  }

  /// Lets time pass, in seconds.
  func pass(_ seconds: Double) {
    if let clock { clock.pass(seconds) } else { Interruption.wait(atMost: seconds) }
    settle()
  }

  /// Waits until observers have received all that has happened so far. On a virtual clock, also waits
  /// until no effect can continue without time passing; otherwise the screen would depend on real
  /// timing.
  private func settle() {
    WaitFlag { [store] in await store.waitForObservers() }.wait()
    clock?.settle()
  }
}

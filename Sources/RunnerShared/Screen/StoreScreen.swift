import ScriptView
import ScriptedStore
import ScriptedStoreTerminal
import Synchronization

/// The screen of a store, for a terminal.
final class StoreScreen: ScreenSource {
  private let store: Store
  private let changes = Changes()
  private var environment: Value.Object
  private var views: ViewTree
  private var observation: StoreObservation
  /// Set when the store has taken all gestures so far.
  private var answer: WaitFlag?

  /// Whether the tree has changed, set by the threads of the store.
  private final class Changes: Sendable {
    let pending = Atomic<Bool>(false)

    func add() {
      pending.store(true, ordering: .sequentiallyConsistent)
      Interruption.wake()
    }
  }

  /// How long a key waits for the store, in seconds. A store that is busy answers later.
  private static let patience = 0.1

  init(_ store: Store, environment: Value.Object) {
    self.store = store
    self.environment = environment
    views = store.view(environment: environment)
    observation = views.observe { [changes] _, _ in changes.add() }
  }

  /// Shows the screen for another environment, as after a change of the width. Nodes that stay on the
  /// screen do not appear anew.
  func look(with environment: Value.Object) {
    guard environment != self.environment else { return }
    self.environment = environment
    views = store.view(environment: environment)
    observation = views.observe { [changes] _, _ in changes.add() }
    changes.add()
  }

  /// Whether the tree has changed, or a late answer has come, since ``takeChange()``.
  var hasChanged: Bool {
    changes.pending.load(ordering: .sequentiallyConsistent) || answer?.isSet == true
  }

  /// Clears ``hasChanged``. Read the tree only after this call.
  func takeChange() {
    changes.pending.store(false, ordering: .sequentiallyConsistent)
    if answer?.isSet == true { answer = nil }
  }

  var tree: Value { views.value }
  var isSettled: Bool { answer?.isSet ?? true }

  func perform(
    _ gesture: ViewGesture, at path: ViewPath, in shown: Value
  ) throws(ViewRefusal) -> ViewOutcome {
    let outcome = try ViewScreen(shown).perform(gesture, at: path)
    guard case .send(let action, _) = outcome else { return outcome }
    do throws(ViewRefusal) {
      try views.perform(gesture, at: path)
    } catch {
      // The person has opened something that is closed in the tree itself.
      guard error.reason == .absent, let action = try? Action(action) else { throw error }
      store.send(action)
    }
    let answer = WaitFlag { [store] in await store.waitForObservers() }
    self.answer = answer
    answer.wait(atMost: Self.patience)
    return outcome
  }

  func show(_ list: ViewPath, first: Int, count: Int) {
    views.show(list, first: first, count: count)
  }
}

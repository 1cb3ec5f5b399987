import Synchronization

/// A flag that another thread sets once. Setting it wakes the thread that waits in
/// ``Interruption``.
final class WaitFlag: Sendable {
  private let state = Atomic<Bool>(false)

  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  func set() {
    state.store(true, ordering: .sequentiallyConsistent)
    Interruption.wake()
  }
}

import Synchronization

/// Something that happens on another thread, for the one that waits.
final class Occurrence: Sendable {
  private let state = Atomic<Bool>(false)

  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  func set() {
    state.store(true, ordering: .sequentiallyConsistent)
    Interruption.wake()
  }
}

import Synchronization

/// A flag that another thread sets once. Setting it wakes the thread that waits in
/// ``Interruption``.
final class WaitFlag: Sendable {
  private let state = Atomic<Bool>(false)

  init() {}

  /// A flag that is set when `operation` has ended.
  convenience init(after operation: @escaping @Sendable () async -> Void) {
    self.init()
    Task {
      await operation()
      set()
    }
  }

  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  func set() {
    state.store(true, ordering: .sequentiallyConsistent)
    Interruption.wake()
  }

  /// Waits until the flag is set, the time in seconds has passed, or the run must end.
  func wait(atMost seconds: Double? = nil) { Interruption.wait(atMost: seconds) { isSet } }
}

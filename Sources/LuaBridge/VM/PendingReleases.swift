import Synchronization

/// Registry references whose Swift owners were deallocated, until the VM releases them.
///
/// Invariants:
/// 1. Any thread may add, also while Lua collects garbage, and after the VM was deallocated. Only
///    the thread that uses the VM takes.
/// 2. `hasSlots` is set after each addition, so a thread that adds and then uses the VM sees its
///    reference. It may be set although another thread has already taken the reference.
final class PendingReleases: Sendable {
  private let slots = Mutex<[Int32]>([])
  private let hasSlots = Atomic<Bool>(false)

  func add(_ slot: Int32) {
    slots.withLock { $0.append(slot) }
    hasSlots.store(true, ordering: .releasing)
  }

  @inline(__always)
  var isEmpty: Bool { !hasSlots.load(ordering: .acquiring) }

  /// Swaps the references with an empty array, whose capacity is reused.
  func takeAll(into empty: inout [Int32]) {
    slots.withLock { slots in
      hasSlots.store(false, ordering: .relaxed)
      swap(&slots, &empty)
    }
  }
}

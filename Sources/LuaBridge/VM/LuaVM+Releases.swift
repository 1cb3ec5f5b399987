import CLua
import Synchronization

/// Releases of what Lua and Swift hold of each other, at times when that is safe.
extension LuaVM {
  /// Retains a value until C has pushed the results of a host function.
  func retainUntilPushed(_ value: Any) { released.retain(value) }

  /// Does what must wait until no values are on the tapes. Collects the garbage of a
  /// turn that ended for lack of memory, and releases the host's objects that Lua no longer holds,
  /// whose `deinit`s may call this VM.
  @inline(__always)
  func releaseDeferred() {
    if released.hasSome || core.pointee.memory.owes_collection { releaseAllDeferred() }
  }

  func releaseAllDeferred() {
    // A `deinit` that calls this VM must not release again, or many of them would nest. What it
    // leaves is released the next time.
    guard !isReleasingDeferred else { return }
    isReleasingDeferred = true
    defer { isReleasingDeferred = false }
    let isOwed = core.pointee.memory.owes_collection
    sl_collect_owed(core)
    let (collected, retained) = released.takeAll()
    for object in collected { object.release() }
    withExtendedLifetime(retained) {}
    if isOwed {
      takeReturned()
      sl_update_is_full(core)
    }
  }

  /// Records a registry reference (owned) for a later release. Safe while Lua collects garbage.
  func releaseLater(_ reference: Int32) { pendingReleases.add(reference) }

  @inline(__always)
  func releasePending() {
    if !pendingReleases.isEmpty { releaseAllPending() }
  }

  private func releaseAllPending() {
    for reference in pendingReleases.takeAll() { sl_release(core, reference) }
  }
}

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

  func takeAll() -> [Int32] {
    slots.withLock { slots in
      defer { slots = [] }
      hasSlots.store(false, ordering: .relaxed)
      return slots
    }
  }
}

/// Swift objects that wait to be released at a safe time: the `deinit` of a host's object may call
/// the VM, which must not happen while Lua collects garbage or while values are on a tape. Used
/// only by the thread that uses the VM.
final class DeferredReleases {
  /// Whether an object waits.
  private(set) var hasSome = false
  /// Objects (+1) whose boxes Lua has collected.
  private var collected: [Unmanaged<AnyObject>] = []
  /// Objects among the results of a host function, and errors that one has thrown. It may be that
  /// nothing else retains them until C has pushed them.
  private var retained: [Any] = []

  /// Adds an object and consumes one reference (+1) to it.
  func add(_ object: Unmanaged<AnyObject>) {
    hasSome = true
    collected.append(object)
  }

  /// Retains a value until the next ``takeAll()``.
  func retain(_ value: Any) {
    hasSome = true
    retained.append(value)
  }

  func takeAll() -> (collected: [Unmanaged<AnyObject>], retained: [Any]) {
    defer { (hasSome, collected, retained) = (false, [], []) }
    return (collected, retained)
  }
}

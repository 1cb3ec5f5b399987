// Accounting for memory that Swift uses on behalf of scripts. It counts as memory of the VM.
//
// ```
//  lend ──▶ lent ──end of the action or turn──▶ free
//            └──keep──▶ kept ──last reference to KeptMemory──▶ returned ──takeReturned──▶ free
// ```
//
// Invariants:
// 1. Lent bytes are those that Swift has allocated for scripts in the current action or turn. They
//    are subtracted when it ends.
// 2. Kept bytes outlive it. They count until the last reference to their ``KeptMemory`` is
//    released, on any thread, and the VM has then called ``LuaVM/takeReturned()``.
// 3. Only the thread that uses the VM changes its counters. ``ReturnedMemory`` collects from other
//    threads.

import CLua
import ScriptValue
import Synchronization

/// Counts as memory of one VM while it exists: the bytes of an effect's payload, of an action in a
/// queue, or of the arguments of an asynchronous host function.
package final class KeptMemory: Sendable {
  private let bytes: Int
  private let returned: ReturnedMemory

  fileprivate init(_ bytes: Int, _ returned: ReturnedMemory) {
    self.bytes = bytes
    self.returned = returned
  }

  deinit { returned.add(bytes) }
}

/// Bytes that are no longer kept but still counted. Any thread may add, also after the VM was
/// deallocated.
final class ReturnedMemory: Sendable {
  private let bytes = Atomic<Int>(0)

  func add(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }

  @inline(__always)
  var isEmpty: Bool { bytes.load(ordering: .relaxed) == 0 }

  func takeAll() -> Int { bytes.exchange(0, ordering: .relaxed) }
}

extension LuaVM {
  /// Fewer bytes get no ``KeptMemory``. The constant that C counts for each effect covers them.
  private static let least = 256

  /// Bytes that Swift has allocated for scripts in this action or turn, beside those of the drafts.
  var lent: Int { core.pointee.memory.temporary - arena.pointee.memory.counted }

  /// Subtracts lent bytes until only `before` are left.
  @inline(__always)
  func returnLent(downTo before: Int) {
    if lent > before { sl_subtract_temporary_memory(core, before + arena.pointee.memory.counted) }
  }

  /// Runs `body`. The bytes lent meanwhile no longer count when it has returned, except those that
  /// it keeps.
  ///
  /// - Parameter body: gets a function that keeps the bytes lent so far.
  @inline(__always)
  package func lending<R>(
    _ body: (_ keep: () -> KeptMemory?) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let before = lent
    defer { returnLent(downTo: before) }
    return try body { lent > before ? keep(lent - before) : nil }
  }

  /// Keeps that many of the lent bytes; nil if they are few.
  package func keep(_ bytes: Int) -> KeptMemory? {
    guard bytes >= Self.least else { return nil }
    sl_make_memory_lasting(core, bytes)
    return KeptMemory(bytes, returned)
  }

  /// Keeps the bytes of values that scripts passed to the host; nil if they are few. O(size).
  package func keep(_ values: [HostValue?]) -> KeptMemory? {
    keep(values.reduce(0) { $0 + ($1?.size ?? 0) })
  }

  /// Releases the effects that Lua has collected. If the VM is still over its limit, makes Lua
  /// collect garbage first. Lua would do so too late, as an effect takes little of Lua's memory,
  /// however large its payload is.
  func releaseDeferredEffects() {
    releaseDeferred()
    guard !sl_has_room(core, 0), core.pointee.stop.reason == SL_STOP_NONE else { return }
    takeReturned()
    guard !sl_has_room(core, 0) else { return }
    sl_collect(core, true)
    releaseDeferred()
    takeReturned()
  }

  /// Subtracts the bytes that ``KeptMemory`` objects have returned since the last call.
  @inline(__always)
  func takeReturned() {
    if !returned.isEmpty { sl_subtract_lasting_memory(core, returned.takeAll()) }
  }
}

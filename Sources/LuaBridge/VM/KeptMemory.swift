import CLua
import Synchronization

/// Bytes that Swift keeps for the scripts of one VM, from the action or turn that made them until the last reference to this
/// is gone: the payload of an effect, of an action that waits, the arguments of a function that is awaited. They count as
/// memory of the VM.
package final class KeptMemory: Sendable {
  private let bytes: Int
  private let returned: ReturnedMemory

  fileprivate init(_ bytes: Int, _ returned: ReturnedMemory) {
    self.bytes = bytes
    self.returned = returned
  }

  deinit { returned.add(bytes) }
}

/// What was kept and is not any more. From any thread, also when the VM is gone.
final class ReturnedMemory: Sendable {
  private let bytes = Atomic<Int>(0)

  func add(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }

  @inline(__always)
  var isEmpty: Bool { bytes.load(ordering: .relaxed) == 0 }

  func takeAll() -> Int { bytes.exchange(0, ordering: .relaxed) }
}

extension LuaVM {
  /// Payloads of fewer bytes get no ``KeptMemory``: the constant that C counts for each effect covers them.
  private static let least = 256

  /// Bytes that Swift has made for scripts in this action or turn.
  var lent: Int { core.pointee.lent }

  /// What `body` makes for scripts counts no longer when it has returned, but for what it keeps.
  ///
  /// - Parameter body: gets a function that keeps what was made so far.
  @inline(__always)
  package func lending<R>(
    _ body: (_ keep: () -> KeptMemory?) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let before = lent
    defer { sl_take_back(core, before) }
    return try body { lent > before ? keep(lent - before) : nil }
  }

  /// Keeps so many of these bytes for longer; nil where they are few.
  package func keep(_ bytes: Int) -> KeptMemory? {
    guard bytes >= Self.least else { return nil }
    sl_keep(core, bytes)
    return KeptMemory(bytes, returned)
  }

  /// The same for values that scripts handed over. O(size).
  package func keep(_ values: some Sequence<Value?>) -> KeptMemory? {
    keep(values.reduce(0) { $0 + ($1?.size(upTo: .max) ?? 0) })
  }

  /// Releases the effects that Lua has collected. If the VM is over its limit nevertheless, Lua collects garbage first: it
  /// does not do so by itself in time, as an effect takes little of Lua's memory, however large its payload is.
  func settleEffects() {
    settle()
    guard !sl_has_room(core, 0), core.pointee.stopping == SL_STOP_NONE else { return }
    takeReturned()
    guard !sl_has_room(core, 0) else { return }
    sl_collect(core, true)
    settle()
    takeReturned()
  }

  /// Subtracts the bytes that ``KeptMemory`` objects have given back since the last call.
  @inline(__always)
  func takeReturned() {
    if !returned.isEmpty { sl_give_back(core, returned.takeAll()) }
  }
}

extension Value {
  /// What the value counts for under ``Limits/stateSize``. Elements are visited until the size is more than `most`.
  package func size(upTo most: Int) -> Int {
    if case .string(let text) = self { return 16 + text.utf8.count }
    let slot = ownedSlot()
    defer { slot.release() }
    var room = most
    slot.takeSize(from: &room)
    return most - room
  }
}

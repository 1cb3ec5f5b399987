import CLua
import Synchronization

/// Where the numbers of registry references go whose owners are gone, until the VM has a moment to release
/// them. From any thread, also while Lua collects garbage, also when the VM is gone.
final class Graveyard: Sendable {
  private let slots = Mutex<[Int32]>([])
  private let hasSlots = Atomic<Bool>(false)

  func add(_ slot: Int32) {
    slots.withLock { $0.append(slot) }
    hasSlots.store(true, ordering: .releasing)
  }

  @inline(__always)
  var isEmpty: Bool { !hasSlots.load(ordering: .acquiring) }

  /// Exchanges what came for an empty array, whose room is used for what comes next.
  func takeAll(into empty: inout [Int32]) {
    slots.withLock { slots in
      hasSlots.store(false, ordering: .relaxed)
      swap(&slots, &empty)
    }
  }
}

/// Objects that Lua has collected, or that it was just given, and that wait to be released: the `deinit` of a host's
/// object may call the VM, which must not happen while Lua collects garbage or while values are on a tape.
struct ReleasedObjects {
  /// Whether there is something to release.
  private(set) var hasSome = false
  private var collected: [Unmanaged<AnyObject>] = []
  /// Objects among the results of a host function, and errors that one has thrown, which nobody else may hold until the
  /// trampoline has pushed them.
  private var handedOver: [Any] = []

  /// Takes over a reference.
  mutating func add(_ object: Unmanaged<AnyObject>) {
    hasSome = true
    collected.append(object)
  }

  mutating func keep(_ value: Any) {
    hasSome = true
    handedOver.append(value)
  }

  /// Exchanges what came for an empty array, whose room is used for what comes next.
  mutating func takeAll(into empty: inout [Unmanaged<AnyObject>]) -> [Any] {
    hasSome = false
    swap(&collected, &empty)
    defer { handedOver = [] }
    return handedOver
  }
}

/// A function of a VM that does not keep the VM alive, so that what Lua holds may hold it: the code of an
/// effect.
package final class FunctionToken: Sendable {
  package let slot: Int32
  private let graveyard: Graveyard

  init(slot: Int32, of vm: LuaVM) {
    self.slot = slot
    graveyard = vm.graveyard
  }

  deinit { graveyard.add(slot) }

  /// Whether it is a function of this VM; one of another must not be called here.
  package func belongs(to vm: LuaVM) -> Bool { graveyard === vm.graveyard }
}

extension LuaFunction {
  /// The same function without keeping the VM. O(1).
  package func token() -> FunctionToken? {
    var copy: Int32 = 0
    guard sl_copy_reference(vm.core, slot, &copy) == LUA_OK else { return nil }
    return FunctionToken(slot: copy, of: vm)
  }
}

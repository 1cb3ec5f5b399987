import CLua
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

/// Swift objects that wait to be released at a safe time: the `deinit` of a host's object may call
/// the VM, which must not happen while Lua collects garbage or while values are on a tape. Used
/// only by the thread that uses the VM.
struct DeferredReleases {
  /// Whether an object waits.
  private(set) var hasSome = false
  /// Objects (+1) whose boxes Lua has collected.
  private var collected: [Unmanaged<AnyObject>] = []
  /// Objects among the results of a host function, and errors that one has thrown. It may be that
  /// nothing else retains them until the trampoline has pushed them.
  private var handedOver: [Any] = []

  /// Adds an object and consumes one reference (+1) to it.
  mutating func add(_ object: Unmanaged<AnyObject>) {
    hasSome = true
    collected.append(object)
  }

  /// Retains a value until the next ``takeAll(into:)``.
  mutating func keep(_ value: Any) {
    hasSome = true
    handedOver.append(value)
  }

  /// Returns the retained values, and swaps the collected objects with an empty array, whose
  /// capacity is reused.
  mutating func takeAll(into empty: inout [Unmanaged<AnyObject>]) -> [Any] {
    hasSome = false
    swap(&collected, &empty)
    defer { handedOver = [] }
    return handedOver
  }
}

/// A Lua function that does not retain its VM, so that an object that Lua holds, such as an effect,
/// can hold it without a cycle.
package final class FunctionToken: Sendable {
  package let slot: Int32
  private let graveyard: PendingReleases

  init(slot: Int32, of vm: LuaVM) {
    self.slot = slot
    graveyard = vm.graveyard
  }

  deinit { graveyard.add(slot) }

  /// Whether the function is in this VM. A function of another VM must not be called here.
  package func belongs(to vm: LuaVM) -> Bool { graveyard === vm.graveyard }
}

extension LuaFunction {
  /// The same function without a reference to the VM. Nil if there is no memory. O(1).
  package func token() -> FunctionToken? {
    var copy: Int32 = 0
    guard sl_copy_reference(vm.core, slot, &copy) == LUA_OK else { return nil }
    return FunctionToken(slot: copy, of: vm)
  }
}

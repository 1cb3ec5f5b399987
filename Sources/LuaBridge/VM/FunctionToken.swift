import CLua

/// A Lua function that does not retain its VM, so that an object that Lua holds, such as an effect,
/// can hold it without a cycle.
package final class FunctionToken: Sendable {
  package let slot: Int32
  private let releases: PendingReleases

  init(slot: Int32, of vm: LuaVM) {
    self.slot = slot
    releases = vm.pendingReleases
  }

  deinit { releases.add(slot) }

  /// Whether the function is in this VM. A function of another VM must not be called here.
  package func belongs(to vm: LuaVM) -> Bool { releases === vm.pendingReleases }
}

extension LuaFunction {
  /// The same function without a reference to the VM. Nil if there is no memory. O(1).
  package func token() -> FunctionToken? {
    var copy: Int32 = 0
    guard sl_copy_reference(vm.core, slot, &copy) == LUA_OK else { return nil }
    return FunctionToken(slot: copy, of: vm)
  }
}

/// A value in a VM that is accessed by reference: a table, a function or a thread. The reference
/// keeps it alive.
///
/// References retain their VM. They are not `Sendable`; use them on the thread that uses the VM.
public class LuaReference {
  public let vm: LuaVM
  let slot: Int32

  init(vm: LuaVM, slot: Int32) {
    self.vm = vm
    self.slot = slot
  }

  /// Only records the reference for a later release, since a `deinit` may run while Lua collects
  /// garbage.
  deinit { vm.releaseLater(slot) }
}

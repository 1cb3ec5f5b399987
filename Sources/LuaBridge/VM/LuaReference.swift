/// A value in a VM that is accessed by reference: a table, a function or a thread. The reference
/// keeps it alive.
///
/// References retain their VM. They are not `Sendable`; use them on the thread that uses the VM.
public class LuaReference: Codable {
  public let vm: LuaVM
  let slot: Int32

  init(vm: LuaVM, slot: Int32) {
    self.vm = vm
    self.slot = slot
  }

  /// Always throws. Tables and functions are `Codable` only so that typed functions and calls
  /// accept them as parameters and results, which do not come here.
  public required init(from decoder: any Decoder) throws {
    throw LuaReference.undecodable(decoder.codingPath)
  }

  /// Always throws, as ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    throw LuaReference.unencodable(self, "reference", encoder.codingPath)
  }

  /// Only records the reference for a later release, since a `deinit` may run while Lua collects
  /// garbage.
  deinit { vm.releaseLater(slot) }
}

import CLua

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

/// A Lua function, by reference.
public final class LuaFunction: LuaReference {
  /// Calls the function and returns its results.
  ///
  /// - Parameter tablesAsValues: plain tables among the results are copied to `.value`, instead of
  ///   being returned by reference.
  /// - Throws: what the function raises.
  @discardableResult
  public func call(
    _ arguments: [LuaValue] = [], tablesAsValues: Bool = false
  ) throws(ScriptError) -> [LuaValue] {
    let status = try vm.withTape(arguments) {
      sl_call(vm.core, vm.core.pointee.L, slot, $0, Int32(arguments.count), tablesAsValues)
    }
    return try vm.readResults(after: status)
  }

  /// Where a script defined the function, and how many parameters it declares (nil: any number).
  /// Nil for a host function.
  package func definition() -> (script: String, line: Int, parameters: Int?)? {
    vm.definition(ofSlot: slot)
  }
}

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

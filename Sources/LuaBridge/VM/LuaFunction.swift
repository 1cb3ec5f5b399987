import CLua

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
    vm.forgetCause()
    var count: Int32 = 0
    let status = try vm.withTape(arguments) {
      sl_call(
        vm.core, vm.core.pointee.L, slot, $0, Int32(arguments.count), tablesAsValues, &count)
    }
    return try vm.readResults(Int(count), after: status)
  }

  /// Where a script defined the function, and how many parameters it declares (nil: any number).
  /// Nil for a host function.
  package func definition() -> (script: String, line: Int, parameters: Int?)? {
    vm.definition(ofSlot: slot)
  }
}

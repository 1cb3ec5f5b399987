import CLua

/// Writes values for Lua to a tape, and reads those that Lua has left on one.
extension LuaVM {
  /// Calls `body` with a tape of `values`.
  func withTape(
    _ values: [LuaValue], _ body: (UnsafePointer<sl_value>) -> Int32
  ) throws(ScriptError) -> Int32 {
    let problem = write(values)
    guard problem == nil, sl_tape_reserve(&core.pointee.tapes.to_lua, 1),
      let items = core.pointee.tapes.to_lua.items
    else {
      let problem = problem ?? .memory
      throw ScriptError(problem.rawValue, kind: problem == .memory ? .memory : .runtime)
    }
    return withExtendedLifetime(values) { body(items) }
  }

  /// Writes `values` to `sl_vm.tapes.to_lua`. Returns the reason if they cannot be pushed.
  func write(_ values: [LuaValue]) -> TapeWriter.Problem? {
    sl_begin_tape_to_lua(&core.pointee.tapes)
    var writer = TapeWriter(core: core)
    for value in values { writer.add(value) }
    return writer.problem
  }

  /// Writes a host function's results to `sl_vm.tapes.to_lua`, where the trampoline takes them from.
  /// Returns the reason if they cannot be pushed. Must come after the function's last call of the
  /// VM, which writes there as well.
  func writeResults(_ values: [LuaValue]) -> TapeWriter.Problem? {
    for case .object(let object) in values { retainUntilPushed(object) }
    return write(values)
  }

  /// Decodes the values that a protected call has left on the tape.
  func readResults(_ count: Int, after status: Int32) throws(ScriptError) -> [LuaValue] {
    try check(status) { () throws(ScriptError) in
      var reader = TapeReader(vm: self, items: core.pointee.tapes.to_swift.items)
      var values: [LuaValue] = []
      values.reserveCapacity(count)
      for _ in 0..<count { values.append(try reader.next()) }
      return values
    }
  }
}

import CLua

/// Support for running tests in a VM.
extension LuaVM {
  /// Adds `protect` to a table. The table must have `format`, a function that returns the text of a
  /// value, or nil.
  package func addProtect(to table: LuaTable) throws(ScriptError) {
    try check(sl_add_protect(core, table.slot))
  }

  /// Gives the VM Lua's stock globals instead of the sandbox, for tests of plain Lua libraries. Must
  /// be called before any script runs. Adds to `natives` the table `globals` and functions of the
  /// time.
  package func openPlain(_ natives: LuaTable) throws(ScriptError) {
    try check(sl_open_plain(core, natives.slot))
  }

  /// Whether memory ran out and most of it was still in use after a collection. The VM should then
  /// be replaced.
  package var isSpent: Bool { core.pointee.testing.is_spent }

  /// The stock Lua function that a function of the sandbox replaces.
  package func replaced(by function: LuaFunction) throws(ScriptError) -> LuaFunction {
    LuaFunction(vm: self, slot: try reference { sl_replaced(core, function.slot, &$0) })
  }

  // MARK: Stopping

  /// Stops what runs: the next instruction raises `message`, and so does each one after it, until
  /// the call that the test framework protects has failed.
  package func stop(_ message: String, isInterruption: Bool) {
    let reason = isInterruption ? SL_STOP_INTERRUPT : SL_STOP_TIME
    message.withChars { sl_stop(core, reason, 0, $0, $1) }
  }

  // MARK: Output

  /// Collects what `print` writes from now on, for ``takeOutput()``.
  package func collectOutput() {
    sl_begin_output(&core.pointee.testing)
  }

  /// Returns the lines printed since ``collectOutput()``. `print` writes to standard error again.
  package func takeOutput() -> [String] {
    sl_end_output(&core.pointee.testing)
    let output = core.pointee.testing.output
    guard output.count > 0 else { return [] }
    defer { sl_clear_output(&core.pointee.testing) }
    // By bytes: Swift takes a line feed behind a carriage return for a part of another character.
    var lines = output.string.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { String(Substring($0)) }
  }

  // MARK: Lines

  /// Counts from now on how often lines of scripts run. Must be called before a script is loaded.
  package func beginCountingLines() { sl_begin_lines(core) }

  /// How often each line of each script ran since the last call: `counts[n]` is that of line n.
  package func takeLineCounts() -> [(script: String, counts: [UInt32])] {
    defer { sl_clear_lines(core) }
    var counts: [(script: String, counts: [UInt32])] = []
    var next = core.pointee.testing.lines
    while let lines = next {
      let entry = lines.pointee
      counts.append(
        (
          ScriptError.chunkName(entry.script),
          Array(UnsafeBufferPointer(start: entry.counts, count: entry.count))
        ))
      next = entry.next
    }
    return counts
  }

  /// The lines of a script's chunk, and of the functions in it, that contain instructions.
  package func executableLines(of chunk: LuaFunction) throws(ScriptError) -> Set<Int> {
    var reader = BytecodeLines(try bytecode(of: chunk))
    return reader.read()
  }
}

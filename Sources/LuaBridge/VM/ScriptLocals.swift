import CLua

/// The variables outside of the functions of a script that can still be reached, by name: what tells their values, of a
/// table the scalars that are in it. Those of one name are one.
package struct ScriptLocals: Sendable, Equatable {
  private var values: [String: UInt64] = [:]

  fileprivate mutating func add(_ name: String, _ value: UInt64) {
    values[name, default: 0] &+= value
  }

  /// The names of those that are not what they were before.
  package func changed(since before: ScriptLocals) -> [String] {
    before.values.filter { values[$0.key] != $0.value }.keys.sorted()
  }
}

extension LuaVM {
  /// Those of a script, as far as what it has returned leads to functions that use them; none for a script that returns
  /// nothing of the kind.
  func locals(of script: String, returning value: LuaValue) throws(ScriptError) -> ScriptLocals {
    let slot: Int32
    switch value {
    case .table(let table): slot = table.slot
    case .function(let function): slot = function.slot
    default: return ScriptLocals()
    }
    return try check(sl_locals(core, slot, "@" + script)) { readLocals() }
  }

  private func readLocals() -> ScriptLocals {
    var locals = ScriptLocals()
    let tape = core.pointee.tape
    var index = 0
    while index + 1 < tape.count {
      let (name, value) = (tape.items[index], tape.items[index + 1])
      let bytes = UnsafeRawBufferPointer(start: name.as.bytes, count: Int(name.length))
      locals.add(String(decoding: bytes, as: UTF8.self), value.as.bits)
      index += 2
    }
    return locals
  }
}

import CLua
import ScriptValue

/// Fingerprints of a script's locals (upvalues) that its functions use, by name. The fingerprint of
/// a table covers the scalars in it. Locals of one name are summed up in one fingerprint.
package struct ScriptLocals: Sendable, Equatable {
  private var values: [String: UInt64] = [:]

  fileprivate mutating func add(_ name: String, _ value: UInt64) {
    values[name, default: 0] &+= value
  }

  /// The names of the locals whose fingerprints differ, sorted.
  package func changed(since before: ScriptLocals) -> [String] {
    before.values.filter { values[$0.key] != $0.value }.keys.sorted()
  }
}

extension LuaVM {
  /// The locals of a script's functions that can be reached from `value`, which the script has
  /// returned. Empty if `value` is neither a table nor a function.
  func locals(of script: String, returning value: LuaValue) throws(ScriptError) -> ScriptLocals {
    let slot: Int32
    switch value {
    case .table(let table): slot = table.slot
    case .function(let function): slot = function.slot
    default: return ScriptLocals()
    }
    return try check(sl_upvalue_hashes(core, slot, "@" + script)) { readLocals() }
  }

  private func readLocals() -> ScriptLocals {
    var locals = ScriptLocals()
    let tape = core.pointee.tapes.to_swift
    var index = 0
    while index + 1 < tape.count {
      let (name, value) = (tape.items[index], tape.items[index + 1])
      locals.add(String(decoding: name.stringBytes, as: UTF8.self), value.as.bits)
      index += 2
    }
    return locals
  }
}

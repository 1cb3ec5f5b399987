import CLua
import ScriptValue
import Synchronization

/// A script that a VM has read, with what a reload needs to find out whether it changed and what
/// that affects.
package struct LoadedScript: Sendable {
  package let script: ScriptRoot.Script
  /// The bytes that were compiled.
  package internal(set) var text: [UInt8] = []
  /// The module name under which it is required; nil if it was loaded only by its path.
  package private(set) var module: String?
  /// The names of the scripts that have required it.
  package private(set) var requirers: Set<String> = []
  /// Whether the host loaded it, or a running function required it while no script was being
  /// loaded. A reload must load such a script explicitly; others are loaded by the scripts that
  /// require them.
  package private(set) var isWanted = false
  /// Whether it ran to its end.
  package internal(set) var isLoaded = false

  /// Its reachable locals just after it ran.
  package internal(set) var locals = ScriptLocals()

  init(_ script: ScriptRoot.Script) { self.script = script }

  mutating func record(_ module: String?, for requirer: String?, whileLoading: Bool) {
    if let module { self.module = self.module ?? module }
    if let requirer { requirers.insert(requirer) }
    if requirer == nil || !whileLoading { isWanted = true }
  }
}

/// The texts of scripts, each as it was when it was first read, so that all loads of one reload see
/// the same text. Safe from any thread.
package final class ScriptTexts: Sendable {
  private let texts = Mutex<[String: [UInt8]]>([:])

  package init() {}

  /// The texts of scripts that are already loaded, whatever their files contain now.
  package init(of scripts: some Sequence<LoadedScript>) {
    texts.withLock { texts in
      for loaded in scripts { texts[loaded.script.path] = loaded.text }
    }
  }

  /// Throws if the script cannot be read.
  package func text(of script: ScriptRoot.Script) throws(ScriptError) -> [UInt8] {
    if let known = texts.withLock({ $0[script.path] }) { return known }
    let text = try script.read()
    texts.withLock { $0[script.path] = text }
    return text
  }
}

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

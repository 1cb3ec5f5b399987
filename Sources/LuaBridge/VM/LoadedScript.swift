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

import Synchronization

/// What is known of a script that was read, for those who want to know whether it changed, and what that concerns.
package struct LoadedScript: Sendable {
  package let script: ScriptRoot.Script
  /// As it was when it was compiled.
  package internal(set) var text: [UInt8] = []
  /// What it is required as; nil for one that only its path was used of.
  package private(set) var module: String?
  /// The scripts that have required it.
  package private(set) var requirers: Set<String> = []
  /// Whether the host asked for it, or a script that was loaded already: it does not come along with others.
  package private(set) var isWanted = false
  /// Whether it ran to its end.
  package internal(set) var isLoaded = false

  /// What it kept for itself when it had run.
  package internal(set) var locals = ScriptLocals()

  init(_ script: ScriptRoot.Script) { self.script = script }

  mutating func note(_ module: String?, for requirer: String?, whileLoading: Bool) {
    if let module { self.module = self.module ?? module }
    if let requirer { requirers.insert(requirer) }
    if requirer == nil || !whileLoading { isWanted = true }
  }
}

/// The texts of scripts as they were when each was first asked for, so that all who load see the same.
package final class ScriptTexts: Sendable {
  private let texts = Mutex<[String: [UInt8]]>([:])

  package init() {}

  /// Those that were loaded, whatever is on the disk.
  package init(of scripts: some Sequence<LoadedScript>) {
    texts.withLock { texts in
      for loaded in scripts { texts[loaded.script.path] = loaded.text }
    }
  }

  /// Throws where it cannot be read.
  package func text(of script: ScriptRoot.Script) throws(ScriptError) -> [UInt8] {
    if let known = texts.withLock({ $0[script.path] }) { return known }
    let text = try script.read()
    texts.withLock { $0[script.path] = text }
    return text
  }
}

import Synchronization

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

import LuaBridge
import ScriptedStore

/// Warnings of `runner test` and `runner dev` about results that scripts make and drop. They are
/// found in the text: a handler does not pass a dropped effect to the store, so the store cannot
/// warn.
package enum DroppedResultWarnings {
  /// The findings in scripts, which are given as absolute paths by name. The paths of the findings are the
  /// names. A script that cannot be read or parsed has none.
  package static func findings(in scripts: [String: String]) -> [Finding] {
    scripts.sorted { $0.key < $1.key }.flatMap { name, path -> [Finding] in
      guard let script = try? ScriptFile(name: name, path: path),
        var found = ScriptFindings(script, as: script.isTest ? .test : .module)
      else { return [] }
      found.findDroppedResults()
      return found.findings.map { finding in
        var finding = finding
        finding.path = name
        return finding
      }
    }
  }

  /// The absolute paths of a feature's script and of all scripts that it requires, by name. Reads
  /// the texts, and so finds only modules that are required by a literal name.
  package static func scripts(of feature: String, under root: ScriptRoot) -> [String: String] {
    var paths: [String: String] = [:]
    var new: [ScriptRoot.Script?] = [root.script(of: feature)]
    while let next = new.popLast() {
      guard let next, paths.updateValue(next.path, forKey: next.name) == nil,
        let script = try? ScriptFile(name: next.name, path: next.path)
      else { continue }
      new += script.requiredModules.map { (try? root.module($0)) ?? nil }
    }
    return paths
  }

  /// Absolute paths by their names for people, which are relative to the script root for scripts
  /// in it.
  package static func scripts(
    at paths: some Sequence<String>, under root: String
  ) -> [String: String] {
    let folder = (try? ScriptRoot(root).folderPrefix) ?? "/"
    return Dictionary(
      paths.map { path in
        (path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path, path)
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension ScriptRoot {
  /// The script of a feature, which is a module's name or a path that ends in `.lua`; nil if there is
  /// none.
  package func script(of feature: String) -> Script? {
    feature.hasSuffix(".lua") ? try? file(feature) : (try? module(feature)) ?? nil
  }
}

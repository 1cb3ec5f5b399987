import LuaBridge
import ScriptedStore

extension ScriptRoot {
  /// The script of a feature, which is a module's name or a path that ends in `.lua`; nil if there is
  /// none.
  func script(of feature: String) -> Script? {
    feature.hasSuffix(".lua") ? try? file(feature) : (try? module(feature)) ?? nil
  }
}

/// Warnings of `runner test` and `runner dev` about results that scripts make and drop. They are
/// found in the text: a handler does not pass a dropped effect to the store, so the store cannot
/// warn.
enum DroppedResultWarnings {
  /// What stands before the colon of each.
  static let head: TerminalText = "warning[dropped-result]"

  /// The warnings about scripts, given as absolute paths by name: `scripts/app.lua:5: …`. A script that
  /// cannot be read or parsed has none.
  static func warnings(of scripts: [String: String]) -> [TerminalText] {
    scripts.sorted { $0.key < $1.key }.flatMap { name, path -> [TerminalText] in
      guard let script = try? ScriptFile(FoundFile(path: path, name: name)),
        let found = DroppedResults(script, script.isTest ? .test : .module)
      else { return [] }
      return found.findings.map { finding in
        "\(ScriptPaths.path(of: name)):\(finding.line): \(finding.message); \(finding.remedy ?? "")"
      }
    }
  }

  /// The absolute paths of a feature's script and of all scripts that it requires, by name. Reads
  /// the texts, and so finds only modules that are required by a literal name.
  static func scripts(of feature: String, under root: ScriptRoot) -> [String: String] {
    var paths: [String: String] = [:]
    var new: [ScriptRoot.Script?] = [root.script(of: feature)]
    while let next = new.popLast() {
      guard let next, paths.updateValue(next.path, forKey: next.name) == nil,
        let script = try? ScriptFile(FoundFile(path: next.path, name: next.name))
      else { continue }
      new += script.analysis?.required.map { (try? root.module($0.name)) ?? nil } ?? []
    }
    return paths
  }

  /// Absolute paths by their names for people, which are relative to the script root for scripts
  /// in it.
  static func scripts(
    at paths: some Sequence<String>, under root: String
  ) -> [String: String] {
    let folder = (try? ScriptRoot(root).folderPrefix) ?? "/"
    return Dictionary(
      paths.map { path in
        (path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path, path)
      }, uniquingKeysWith: { first, _ in first })
  }
}

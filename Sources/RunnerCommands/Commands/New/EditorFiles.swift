import EmbeddedDocuments
import Platform
import RunnerShared
import ScriptValue

/// The files with which the Lua language server knows what scripts and tests see: `.luarc.json`, and
/// the definitions of `scripts/types` of this package, which are embedded in the runner.
struct EditorFiles {
  /// The path of the language server's configuration.
  let configuration: String
  /// The folder of the definitions.
  let types: String
  /// The root as the configuration names it, with a slash at its end; empty for its own folder.
  private let prefix: String

  /// - Parameter root: the folder of scripts. The configuration is in the current folder if the root
  ///   is in it, because editors open the project's folder; else it is in the root.
  init(root: String) {
    let path = Paths.fromCurrentFolder(root)
    let isHere = !path.hasPrefix("/") && !path.hasPrefix("../") && path != ".."
    prefix = isHere && path != "." ? Paths.join(path, "") : ""
    let name = ".luarc.json"
    configuration = isHere ? name : Paths.join(root, name)
    types = path == "." ? "types" : Paths.join(root, "types")
  }

  private static let definitions = [
    "busted.lua", "sandbox.lua", "scripted.lua", "test.lua", "ui.lua",
  ]

  /// Writes what is missing, and replaces definitions of another version of the runner. Returns a
  /// line for each change. A failure is only noted, because the feature works without these files.
  func write() -> [String] {
    noting(configuration, writeConfiguration) + noting(types, writeDefinitions)
  }

  private func noting(
    _ path: String, _ write: () throws(FileFault) -> [String]
  ) -> [String] {
    do throws(FileFault) {
      return try write()
    } catch {
      StandardStreams.error("note: the files for editors are incomplete: \(path): \(error)")
      return []
    }
  }

  private func writeConfiguration() throws(FileFault) -> [String] {
    if Paths.real(configuration) == nil {
      try WholeFile.create(Array(text.utf8), at: configuration)
      return ["created \(configuration)"]
    }
    let existing = String(decoding: try WholeFile.read(configuration), as: UTF8.self)
    if !existing.contains(library) {
      StandardStreams.error(
        "note: \(configuration) is there already; add \(library) to its workspace.library")
    }
    return []
  }

  private func writeDefinitions() throws(FileFault) -> [String] {
    let isNew = !Paths.isFolder(types)
    try WholeFile.makeFolder(types)
    var hasChanged = false
    for name in Self.definitions {
      let text = embedded(documentation_file(name))
      let path = Paths.join(types, name)
      if Paths.real(path) != nil {
        let existing = try WholeFile.read(path)
        // A file of the same name that is none of the runner's belongs to the project.
        guard existing != text, existing.starts(with: "---@meta scripted".utf8) else { continue }
      }
      try OrdinaryFile.save(text, to: path)
      hasChanged = true
    }
    return hasChanged ? ["\(isNew ? "created" : "updated") \(types)"] : []
  }

  /// The folder of the definitions, as the configuration names it.
  private var library: String { quoted(prefix + "types") }

  private func quoted(_ text: String) -> String { Value.string(text).json() }

  /// Libraries that scripts do not have are disabled. So are `os`, of which they have a part, and
  /// `package`, which declares `require`: `sandbox.lua` declares what there is of both.
  private var text: String {
    """
    {
      "$schema": "https://raw.githubusercontent.com/LuaLS/vscode-lua/master/setting/schema.json",
      "runtime.version": "Lua 5.4",
      "runtime.path": [\(quoted(prefix + "?.lua")), \(quoted(prefix + "?/init.lua"))],
      "runtime.builtin": {
        "coroutine": "disable",
        "debug": "disable",
        "io": "disable",
        "os": "disable",
        "package": "disable"
      },
      "workspace.library": [\(library)],
      "workspace.checkThirdParty": false
    }

    """
  }
}

import LuaBridge

/// The scripts that one worker has loaded, as a reload needs them.
struct LoadedScripts: Sendable {
  /// The scripts by name.
  let scripts: [String: LoadedScript]
  /// The names of modules that did not exist, with the scripts that required them.
  let missing: [String: Set<String>]
  /// The sources of the worker's stores, each once.
  let sources: [StoreSource]
  /// Whether the worker has test stores. They cannot be reloaded.
  let hasTests: Bool
}

extension Engine {
  var loadedScripts: LoadedScripts {
    var seen: Set<ObjectIdentifier> = []
    let sources = cores.compactMap(\.origin.source)
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
    return LoadedScripts(
      scripts: modules.scripts, missing: modules.missing, sources: sources, hasTests: tests != nil
    )
  }
}

extension ScriptRoot {
  /// The current file of a loaded script; nil if there is none.
  func script(of loaded: LoadedScript) -> Script? {
    if let name = loaded.module { return (try? module(name)) ?? nil }
    // The host named a script outside of the root by a path. Its symbolic links may lead to another
    // file now, so the name counts and not the resolved path.
    let isInside = loaded.script.path.hasPrefix(folderPrefix)
    return try? file(isInside ? loaded.script.path : loaded.script.name)
  }
}

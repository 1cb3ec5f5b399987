import LuaBridge

/// The differences between the scripts on the disk and the loaded ones.
struct ScriptChanges: Sendable {
  private(set) var changed: Set<String> = []
  private(set) var removed: Set<String> = []
  /// The changed and removed scripts, and all scripts that require them directly or indirectly.
  private(set) var affected: Set<String> = []

  /// Whether a changed script is empty. An editor may be about to write it.
  private(set) var hasEmptyText = false

  var isEmpty: Bool { affected.isEmpty }

  /// - Parameter texts: the texts are read through it, so that each is read once.
  init(in workers: [LoadedScripts], _ texts: ScriptTexts, root: ScriptRoot) {
    for worker in workers {
      for (name, loaded) in worker.scripts { look(at: loaded, named: name, texts, root) }
      for (module, requirers) in worker.missing {
        guard let script = try? root.module(module) else { continue }
        changed.insert(script.name)
        affected.formUnion(requirers)
      }
    }
    affected.formUnion(changed)
    affected.formUnion(removed)
    var open = Array(affected)
    while let name = open.popLast() {
      for worker in workers {
        for requirer in worker.scripts[name]?.requirers ?? []
        where affected.insert(requirer).inserted {
          open.append(requirer)
        }
      }
    }
  }

  private mutating func look(
    at loaded: LoadedScript, named name: String, _ texts: ScriptTexts, _ root: ScriptRoot
  ) {
    guard let script = root.script(of: loaded),
      let text = try? texts.text(of: script)
    else {
      removed.insert(name)
      return
    }
    // The module is now another file.
    if script.name != name {
      removed.insert(name)
      changed.insert(script.name)
    } else if text != loaded.text {
      changed.insert(name)
      if text.isEmpty { hasEmptyText = true }
    }
  }

  /// A hash of the current texts of the affected scripts. Reloads that fail with the same texts
  /// have the same value.
  func textsHash(_ workers: [LoadedScripts], _ texts: ScriptTexts, root: ScriptRoot) -> Int {
    var hasher = Hasher()
    for name in affected.sorted() {
      hasher.combine(name)
      let loaded = workers.lazy.compactMap { $0.scripts[name] }.first
      if let script = loaded.flatMap({ root.script(of: $0) }) {
        hasher.combine(try? texts.text(of: script))
      }
    }
    return hasher.finalize()
  }
}

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
      scripts: modules.files.scripts, missing: modules.files.missing, sources: sources,
      hasTests: tests != nil
    )
  }
}

extension ScriptRoot {
  /// The current file of a loaded script; nil if there is none.
  func script(of loaded: LoadedScript) -> Script? {
    if let name = loaded.module { return try? module(name) }
    // The host named a script outside of the root by a path. Its symbolic links may lead to another
    // file now, so the name counts and not the resolved path.
    let isInside = relativePath(of: loaded.script.path) != nil
    return try? file(isInside ? loaded.script.path : loaded.script.name)
  }
}

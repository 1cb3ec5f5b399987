import LuaBridge

/// What one worker has loaded, for those who want to load it again.
struct LoadedScripts: Sendable {
  /// By name.
  let scripts: [String: LoadedScript]
  /// Modules that were not there, with the scripts that asked for them.
  let missing: [String: Set<String>]
  /// What its stores were made of.
  let sources: [StoreSource]
  /// Whether it has stores of tests, which keep their scripts.
  let hasTests: Bool
}

extension Engine {
  var loadedScripts: LoadedScripts {
    var seen: Set<ObjectIdentifier> = []
    var sources: [StoreSource] = []
    for core in cores {
      guard let source = core.source, seen.insert(ObjectIdentifier(source)).inserted else {
        continue
      }
      sources.append(source)
    }
    return LoadedScripts(
      scripts: modules.scripts, missing: modules.missing, sources: sources, hasTests: session != nil
    )
  }
}

/// How scripts on the disk differ from those that run.
struct ScriptChanges: Sendable {
  private(set) var changed: Set<String> = []
  private(set) var removed: Set<String> = []
  /// These and all that require them.
  private(set) var affected: Set<String> = []

  /// Whether nothing is in one that has changed, as in those that somebody is about to write.
  private(set) var hasEmptyText = false

  var isEmpty: Bool { affected.isEmpty }

  /// Reads each text once, into `texts`.
  init(in workers: [LoadedScripts], _ texts: ScriptTexts, root: ScriptRoot) {
    for worker in workers {
      for (name, loaded) in worker.scripts { look(at: loaded, named: name, texts, root) }
      for (module, requirers) in worker.missing {
        guard let script = (try? root.module(module)) ?? nil else { continue }
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
    guard let script = ScriptChanges.script(of: loaded, root),
      let text = try? texts.text(of: script)
    else {
      removed.insert(name)
      return
    }
    // Another file stands for the module now.
    if script.name != name {
      removed.insert(name)
      changed.insert(script.name)
    } else if text != loaded.text {
      changed.insert(name)
      if text.isEmpty { hasEmptyText = true }
    }
  }

  /// Where a script is now, if it is there.
  static func script(of loaded: LoadedScript, _ root: ScriptRoot) -> ScriptRoot.Script? {
    if let module = loaded.module { return (try? root.module(module)) ?? nil }
    // The host has named one outside of the root by a path, which may lead elsewhere now.
    let isInside = loaded.script.path.hasPrefix(root.real == "/" ? "/" : root.real + "/")
    return try? root.file(isInside ? loaded.script.path : loaded.script.name)
  }

  /// Tells the texts that there are now from others.
  func attempt(_ workers: [LoadedScripts], _ texts: ScriptTexts, root: ScriptRoot) -> Int {
    var hasher = Hasher()
    for name in affected.sorted() {
      hasher.combine(name)
      let loaded = workers.lazy.compactMap { $0.scripts[name] }.first
      if let script = loaded.flatMap({ ScriptChanges.script(of: $0, root) }) {
        hasher.combine(try? texts.text(of: script))
      }
    }
    return hasher.finalize()
  }
}

import LuaBridge

/// Scripts that are loaded beside those that run, for one worker.
// Proof: who makes it hands it to its worker, and nobody but that has it from then on; the threads meet in between at
// the worker's lock.
final class GenerationBuild: @unchecked Sendable {
  let generation: Generation
  private var codes: [ObjectIdentifier: (source: StoreSource, code: StoreCode)] = [:]
  /// What is wrong with the scripts; nothing may be done with the rest then.
  private(set) var errors: [ScriptError] = []
  /// For each feature that is loaded, and for the migration of all stores.
  private let limits: TurnLimits

  /// Where loading may take any time: what never ends must not keep the scripts that run.
  private static let seconds = 1.0

  /// Loads all that a worker has, and compiles what its stores run, on the thread that calls.
  init(
    _ number: Int, of loaded: LoadedScripts, _ texts: ScriptTexts, root: ScriptRoot,
    configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    generation = try Generation(number, root: root, configuration: configuration)
    var limits = configuration.limits
    limits.loadTime = limits.loadTime ?? GenerationBuild.seconds
    self.limits = TurnLimits(limits)
    let modules = generation.modules
    modules.read { (script) throws(ScriptError) in try texts.text(of: script) }
    load(loaded, root)
    modules.read { (script) throws(ScriptError) in try script.read() }
  }

  private func load(_ loaded: LoadedScripts, _ root: ScriptRoot) {
    for source in loaded.sources {
      attempt { () throws(ScriptError) in _ = try code(for: source) }
    }
    let wanted = loaded.scripts.values.filter { $0.isWanted && $0.isLoaded }
    for script in wanted.sorted(by: { $0.script.name < $1.script.name }) {
      // One that is gone is missed only by those who require it.
      guard ScriptChanges.script(of: script, root) != nil else { continue }
      attempt { () throws(ScriptError) in
        if let module = script.module {
          _ = try generation.modules.require(module)
        } else {
          _ = try generation.modules.load(file: script.script.path)
        }
      }
    }
  }

  private func attempt(_ body: () throws(ScriptError) -> Void) {
    do throws(ScriptError) {
      try generation.vm.loading(limits, body)
    } catch {
      if !errors.contains(where: { $0.description == error.description }) { errors.append(error) }
    }
  }

  /// What a store of a source runs.
  func code(for source: StoreSource) throws(ScriptError) -> StoreCode {
    let key = ObjectIdentifier(source)
    if let known = codes[key] { return known.code }
    let code = try generation.code(for: source)
    codes[key] = (source, code)
    return code
  }

  /// Stops what takes too long on this thread.
  func watching<R>(_ body: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    try generation.vm.loading(limits, body)
  }
}

import LuaBridge

/// The next generation of scripts for one worker, loaded while the current one still runs.
// Proof: the thread that makes a build transfers it to one worker and does not use its contents
// afterwards. The worker's lock orders the two.
final class GenerationBuild: @unchecked Sendable {
  let generation: Generation
  private var codes: [ObjectIdentifier: (source: StoreSource, code: StoreCode)] = [:]
  /// The errors in the scripts, each once. If there are any, nothing else of the build may be used.
  private(set) var errors: [ScriptError] = []
  /// The limits for loading each feature, and for migrating all stores together.
  private let limits: TurnLimits

  /// The load time if the host sets no limit: a script that never ends must not block
  /// the reload.
  private static let defaultLoadTime = Duration.seconds(1)

  /// Loads the scripts that a worker has loaded and compiles the code of its stores, on the calling
  /// thread. Errors in scripts are collected in `errors`.
  init(
    _ number: Int, of loaded: LoadedScripts, _ texts: ScriptTexts, root: ScriptRoot,
    configuration: HostConfiguration
  ) throws(ScriptError) {
    generation = try Generation(number, root: root, configuration: configuration)
    var limits = configuration.limits
    limits.loadTime = limits.loadTime ?? GenerationBuild.defaultLoadTime
    self.limits = TurnLimits(limits)
    let modules = generation.modules
    modules.files.read = { (script) throws(ScriptError) in try texts.text(of: script) }
    load(loaded, root)
    modules.files.read = { (script) throws(ScriptError) in try script.read() }
  }

  private func load(_ loaded: LoadedScripts, _ root: ScriptRoot) {
    for source in loaded.sources {
      attempt { () throws(ScriptError) in _ = try code(for: source) }
    }
    let wanted = loaded.scripts.values.filter { $0.isWanted && $0.isLoaded }
    for script in wanted.sorted(by: { $0.script.name < $1.script.name }) {
      // A module that is gone is an error only in scripts that require it.
      guard root.script(of: script) != nil else { continue }
      attempt { () throws(ScriptError) in
        if let module = script.module {
          _ = try generation.modules.require(module)
        } else {
          _ = try generation.modules.files.load(file: script.script.path)
        }
      }
    }
  }

  /// After a script that takes too long, nothing else is loaded: whatever requires it would take that time again.
  private func attempt(_ body: () throws(ScriptError) -> Void) {
    guard !errors.contains(where: { $0.kind == .time }) else { return }
    do throws(ScriptError) {
      try withLoadLimits(body)
    } catch {
      if !errors.contains(where: { $0.description == error.description }) { errors.append(error) }
    }
  }

  /// The compiled code for stores of a source; compiled once.
  func code(for source: StoreSource) throws(ScriptError) -> StoreCode {
    let key = ObjectIdentifier(source)
    if let known = codes[key] { return known.code }
    let code = try generation.code(for: source)
    codes[key] = (source, code)
    return code
  }

  /// Runs `body` with the limits for loading on the calling thread.
  func withLoadLimits<R>(_ body: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    try generation.vm.loading(limits, body)
  }
}

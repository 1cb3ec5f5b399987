import LuaBridge

/// One loaded version of all scripts: a VM, its modules, its dependencies, and the compiled
/// features. It exists until no effect, and no screen of a durable store, uses its code any more.
///
/// It is used inside a worker, or on the thread that builds it: until a worker takes it over,
/// nothing in it refers to a worker.
final class Generation {
  /// Counts up with each reload, from 0.
  let number: Int
  let modules: ScriptModules
  /// The features that scripts have declared. A reload compares them with those of the new scripts.
  let features = FeatureDeclarations()
  /// The `deps` of stores without overrides of their own.
  let dependencies: DependencyScope
  let context: ReduceContext
  let link: SchedulerLink
  let compiler: ReducerCompiler
  private let runs: DirectRuns
  private var hashes = ScriptHashes()
  private var domains: [String: CompiledFeature] = [:]

  /// A compiled feature of a module or file.
  struct CompiledFeature {
    let domain: Domain
    /// The script's function that makes the initial state; nil for a reducer that is built on no
    /// feature.
    let initial: LuaFunction?
  }

  var vm: LuaVM { context.vm }

  init(
    _ number: Int, root: ScriptRoot, configuration: HostConfiguration
  ) throws(ScriptError) {
    self.number = number
    // Only the limit on memory, because the library loads its own Lua files first. The other limits
    // are for scripts.
    let vm = try LuaVM(limits: LuaLimits(memory: configuration.limits.memory))
    vm.runsFeatures = true
    link = SchedulerLink(vm, Computing(root: root, limits: configuration.limits))
    let natives = try vm.makeNatives()
    let declarations = DependencyDeclarations(
      taken: DependencyRegistry.nativeNames.union(configuration.dependencies.names))
    try declarations.addDeclaring(to: natives)
    try features.addDeclaring(to: natives)
    try EffectNatives.add(to: natives, link)
    try SharedNatives.add(to: natives, link)
    try KeeperNatives.add(to: natives, link)
    let reducers = configuration.reducers.sorted { $0.key < $1.key }
    modules = try ScriptModules(
      natives: natives, root: root, hostReducers: reducers.map(\.key),
      offersScripted: configuration.offersScripted)
    dependencies = DependencyScope(
      DependencyRegistry(
        configuration.dependencies, declarations, modules, context: configuration.context,
        scheduler: link))
    context = ReduceContext(
      vm: vm, dependencies: dependencies, silencedWarnings: configuration.silencedWarnings)
    context.instrument = configuration.instrument
    compiler = ReducerCompiler(
      modules: modules, dependencies: dependencies.registry, hostReducers: reducers.map(\.value))
    runs = DirectRuns(context, compiler)
    try runs.define(in: modules)
    try vm.setLimits(TurnLimits(configuration.limits))
  }

  deinit { close() }

  /// Releases all that the scripts refer to, because some of it retains the VM.
  func close() {
    link.disconnect()
    vm.effects = nil
    vm.close()
  }

  /// The hashes of the scripts that are loaded by now.
  var scriptHashes: ScriptHashes {
    let scripts = modules.files.scripts
    if scripts.count != hashes.byName.count { hashes = ScriptHashes(scripts) }
    return hashes
  }

  // MARK: Features

  /// The feature of a module, or of a file if the name ends in `.lua`. Compiled once.
  func feature(_ name: String) throws(ScriptError) -> CompiledFeature {
    if let known = domains[name] { return known }
    let loaded =
      name.hasSuffix(".lua") ? try modules.files.load(file: name) : try modules.require(name)
    guard let description = try modules.prelude.describe(loaded) else {
      throw modules.notAReducer(name, loaded)
    }
    let made = CompiledFeature(
      domain: try compiler.domain(of: loaded), initial: try description.function("initial"))
    domains[name] = made
    return made
  }

  /// The `deps` of a store with these overrides.
  func scope(_ overrides: [String: Dependency]) throws(ScriptError) -> DependencyScope {
    try dependencies.storeScope(overriding: overrides, origin: "the store's dependencies")
  }
}

/// The generations of an engine: the one that its stores run on, and earlier ones, each until no job in flight needs its
/// scripts.
final class Generations {
  private(set) var current: Generation { didSet { contextLink = .passUnretained(current.context) } }
  /// The context of the current generation, unowned, so that an action counts no reference to it.
  private var contextLink: Unmanaged<ReduceContext>
  /// The oldest first. No store runs on them any more.
  private var retired: [Generation] = [] { didSet { hasRetired = !retired.isEmpty } }
  /// Asked after each action, for which the list would take a dynamic exclusivity check.
  private var hasRetired = false

  init(_ first: Generation) {
    current = first
    contextLink = .passUnretained(first.context)
  }

  /// Calls `body` with the context of the current generation without counting a reference.
  @inline(__always)
  func withContext<R>(_ body: (ReduceContext) -> R) -> R {
    contextLink._withUnsafeGuaranteedRef(body)
  }

  func replaceCurrent(by new: Generation) {
    retired.append(current)
    current = new
  }

  /// The retired generations that effects in flight need.
  var needed: [Generation] { retired.filter { $0.link.jobs > 0 } }

  /// Releases the retired generations that no effect in flight needs. One that a ``ScreenCode`` retains is closed with that.
  @inline(__always)
  func closeUnneeded() {
    if hasRetired { retired = needed }
  }

  func close() {
    for generation in retired + [current] { generation.close() }
  }
}

/// The SHA-256 hashes of scripts, by which recordings tell which code has run.
struct ScriptHashes {
  private(set) var byName: [String: String] = [:]
  /// The first 16 digits of the hash of all: identifies the scripts together.
  private(set) var code = ""

  init() {}

  init(_ scripts: [String: LoadedScript]) {
    byName = scripts.mapValues { SHA256.hex(of: $0.text) }
    let all = byName.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
    code = String(SHA256.hex(of: Array(all.utf8)).prefix(16))
  }
}

import LuaBridge

/// One loaded version of all scripts: a VM, its modules, its dependencies, and the compiled
/// features. It exists until no effect uses its code any more.
///
/// It is used inside a worker, or on the thread that builds it: until a worker takes it over,
/// nothing in it refers to a worker.
final class Generation {
  /// Counts up with each reload, from 0.
  let number: Int
  let modules: ScriptModules
  /// The `deps` of stores without overrides of their own.
  let dependencies: DependencyScope
  let context: ReduceContext
  let link: SchedulerLink
  private let runs: DirectRuns
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
    _ number: Int, root: ScriptRoot, configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    self.number = number
    // Only the limit on memory, because the library loads its own Lua files first. The other limits
    // are for scripts.
    let vm = try LuaVM(limits: LuaLimits(memory: configuration.limits.memory))
    vm.runsFeatures = true
    link = SchedulerLink(vm, Computing(root: root, limits: configuration.limits))
    modules = try ScriptModules(
      vm: vm, root: root, reducers: configuration.reducers,
      dependencies: configuration.dependencies, scheduler: link,
      offersScripted: configuration.offersScripted)
    dependencies = DependencyScope(
      DependencyRegistry(
        configuration.dependencies, modules, context: configuration.context, scheduler: link))
    context = ReduceContext(
      vm: vm, dependencies: dependencies, silencedWarnings: configuration.silencedWarnings)
    context.instrument = configuration.instrument
    runs = DirectRuns(
      context, ReducerCompiler(modules: modules, dependencies: dependencies.registry))
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

  // MARK: Features

  var compiler: ReducerCompiler {
    ReducerCompiler(modules: modules, dependencies: dependencies.registry)
  }

  /// The feature of a module, or of a file if the name ends in `.lua`. Compiled once.
  func feature(_ name: String) throws(ScriptError) -> CompiledFeature {
    if let known = domains[name] { return known }
    let loaded = name.hasSuffix(".lua") ? try modules.load(file: name) : try modules.require(name)
    guard let description = try modules.prelude.describe(loaded) else {
      throw modules.notAReducer(name, loaded)
    }
    let domain = try compiler.domain(of: loaded)
    var initial: LuaFunction?
    if case .function(let function) = try description.get("initial") { initial = function }
    let made = CompiledFeature(domain: domain, initial: initial)
    domains[name] = made
    return made
  }

  /// The `deps` of a store with these overrides.
  func scope(_ overrides: [String: Dependency]) throws(ScriptError) -> DependencyScope {
    try dependencies.storeScope(overriding: overrides, origin: "the store's dependencies")
  }
}

/// The generation that the stores of a worker run on, and the retired ones, which no store runs any more while effects of
/// theirs are in flight.
struct Generations {
  private(set) var current: Generation
  private var retired: [Generation] = []

  init(_ first: Generation) {
    current = first
  }

  mutating func replaceCurrent(by new: Generation) {
    retired.append(current)
    current = new
  }

  /// The retired generations that effects in flight need, the oldest first.
  var waiting: [Generation] { retired.filter { $0.link.jobs > 0 } }

  /// Releases the retired generations that no effect in flight needs.
  mutating func closeRetired() { retired = waiting }

  var hasRetired: Bool { !retired.isEmpty }

  func close() {
    for generation in retired + [current] { generation.close() }
  }
}

import LuaBridge

/// What the scripts of one VM are, from when they were loaded until none of their code is used any more: their
/// modules, what they find in `deps`, and what their features were compiled to.
///
/// Inside a worker, or while it is made on whatever thread makes it: until a worker takes it over nothing in it knows
/// one.
final class Generation {
  /// Counts up with each reload, from 0.
  let number: Int
  let modules: ScriptModules
  /// What stores without overrides of their own find in `deps`.
  let dependencies: DependencyScope
  /// The same for test stores, which stand for what presents their features.
  private(set) lazy var presentedDependencies = dependencies.overriding(
    Presentation.override(origin: "the test store"))
  let context: ReduceContext
  let link: SchedulerLink
  private let runs: DirectRuns
  private var domains: [String: CompiledFeature] = [:]

  /// A feature, by its module or file.
  struct CompiledFeature {
    let domain: Domain
    /// The script's function that makes its initial state; nil for a reducer that is built on no feature.
    let initial: LuaFunction?
  }

  var vm: LuaVM { context.vm }

  init(
    _ number: Int, root: ScriptRoot, configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    self.number = number
    // The other limits are for scripts, none of which is loaded yet.
    let vm = try LuaVM(limits: Limits(memory: configuration.limits.memory))
    link = SchedulerLink(vm, Computing(root: root, limits: configuration.limits))
    modules = try ScriptModules(
      vm: vm, root: root, reducers: configuration.reducers,
      dependencies: configuration.dependencies, scheduler: link)
    dependencies = DependencyScope(
      DependencyRegistry(
        configuration.dependencies, modules, context: configuration.context, scheduler: link))
    context = ReduceContext(
      vm: vm, dependencies: dependencies, lazyReducers: modules.lazyReducers,
      silencedWarnings: configuration.silencedWarnings)
    context.instrument = configuration.instrument
    runs = DirectRuns(
      context, ReducerCompiler(modules: modules, dependencies: dependencies.registry))
    try runs.define(in: modules)
    try vm.setLimits(configuration.limits)
  }

  deinit { close() }

  /// Lets go of all that its scripts hold, which may keep the VM that they are in.
  func close() {
    link.disconnect()
    vm.effects = nil
    vm.close()
  }

  // MARK: Features

  var compiler: ReducerCompiler {
    ReducerCompiler(modules: modules, dependencies: dependencies.registry)
  }

  /// A feature by its module, or its file if the name ends in `.lua`; compiled once.
  func feature(_ name: String) throws(ScriptError) -> CompiledFeature {
    if let known = domains[name] { return known }
    let loaded = name.hasSuffix(".lua") ? try modules.load(file: name) : try modules.require(name)
    guard let description = try modules.describe(loaded) else {
      throw ScriptError(
        "\(name) returns no feature: its last line must be `return scripted.feature { … }` or "
          + "another reducer, this is a \(loaded.typeName)")
    }
    let domain = try compiler.domain(of: loaded)
    var initial: LuaFunction?
    if case .function(let function) = try description.get("initial") { initial = function }
    let made = CompiledFeature(domain: domain, initial: initial)
    domains[name] = made
    return made
  }

  /// What a store with these overrides finds in `deps`.
  func scope(_ overrides: [String: Dependency]) throws(ScriptError) -> DependencyScope {
    try dependencies.overriding(overrides, origin: "the store's dependencies")
  }
}

import LuaBridge

/// What `deps` holds at one place of a tree: what the host and scripts offer, under the overrides around that
/// place. Lives inside one VM's lock.
///
/// Keep it while scripts use a record of it: they do not.
final class DependencyScope {
  let registry: DependencyRegistry
  /// Tells it from all others, those that are gone included.
  let number = SerialNumber.next()
  private let overrides: [String: OverrideChain]
  /// What effects of features here wait on by themselves.
  private(set) lazy var timing = makeTiming()
  private var records = Memo<DeclaredDependencies, LuaReference>()
  /// Those that reducers' overrides make inside of this one.
  private var inner = Memo<DependencyOverride, DependencyScope>()
  private var bindings: [String: DependencyBinding] = [:]
  /// Names that are being resolved, each for the one before.
  private var resolving: [String] = []
  /// For what must not keep it.
  let link = ScopeLink()
  /// What notes the calls of functions, if the store has a history.
  let recorder: DependencyRecorder?
  /// The same without one, which scripts may have records of.
  private var original: DependencyScope?

  /// The outermost scope of a host.
  convenience init(_ registry: DependencyRegistry) {
    self.init(registry, overrides: [:], recorder: nil)
  }

  private init(
    _ registry: DependencyRegistry, overrides: [String: OverrideChain],
    recorder: DependencyRecorder?
  ) {
    self.registry = registry
    self.overrides = overrides
    self.recorder = recorder
    link.scope = self
  }

  deinit { link.scope = nil }

  /// The scope inside of this one that a reducer's override makes; made once.
  func overriding(_ override: DependencyOverride) -> DependencyScope {
    if let made = inner[override.number] { return made }
    let scope = overriding([override])
    inner.keep(scope, for: override, override.number)
    return scope
  }

  private func overriding(_ new: [DependencyOverride]) -> DependencyScope {
    var overrides = overrides
    for override in new {
      overrides[override.name] = OverrideChain(override, inside: overrides[override.name])
    }
    return DependencyScope(registry, overrides: overrides, recorder: recorder)
  }

  /// The same scope, and those that are made inside of it, with what notes the calls of functions.
  func noting(by recorder: DependencyRecorder) -> DependencyScope {
    let scope = DependencyScope(registry, overrides: overrides, recorder: recorder)
    scope.bindings = bindings
    scope.original = self
    return scope
  }

  /// A scope of a store that overrides these.
  func overriding(
    _ dependencies: [String: Dependency], origin: String
  ) throws(ScriptError) -> DependencyScope {
    guard !dependencies.isEmpty else { return self }
    var overrides: [DependencyOverride] = []
    for (name, dependency) in dependencies.sorted(by: { $0.key < $1.key }) {
      try registry.check(name, origin: origin)
      for file in dependency.files { _ = try registry.chunk(file) }
      // One that cannot be made yet may be all the same when it is overridden.
      try (try? binding(of: name))?.checkMembers(of: dependency, as: name, origin: origin)
      overrides.append(DependencyOverride(name, .host(.dependency(dependency)), origin: origin))
    }
    return overriding(overrides)
  }

  /// The same with what a script gives.
  func overriding(
    _ dependencies: [String: DependencyOverride.Change], origin: String
  ) throws(ScriptError) -> DependencyScope {
    guard !dependencies.isEmpty else { return self }
    var overrides: [DependencyOverride] = []
    for (name, change) in dependencies.sorted(by: { $0.key < $1.key }) {
      try registry.check(name, origin: origin)
      overrides.append(DependencyOverride(name, change, origin: origin))
    }
    return overriding(overrides)
  }

  /// The `deps` of a feature that declares these, a userdata; made once.
  @inline(__always)
  func record(for declared: DeclaredDependencies) throws(ScriptError) -> LuaReference {
    if let last = declared.last, last.scope == number { return last.record.takeUnretainedValue() }
    let record =
      if let made = records[declared.number] { made } else { try makeRecord(for: declared) }
    declared.last = (number, .passUnretained(record))
    return record
  }

  private func makeRecord(for declared: DeclaredDependencies) throws(ScriptError) -> LuaReference {
    let record = try DependencyRecord(
      scope: self, feature: declared.feature, declared: declared.names
    )
    .make()
    records.keep(record, for: declared, declared.number)
    return record
  }

  private func makeTiming() -> Timing {
    if overrides["clock"] == nil && !registry.replacesClock {
      return registry.offersClock ? .store : .unimplemented
    }
    if case .client(let members)? = try? binding(of: "clock"),
      case .script(.function(let sleep))? = members["sleep"]
    {
      let (isSleep, clock) = registry.vm.clock(ofSleep: sleep)
      if let clock = clock as? SchedulerClock { return .clock(clock) }
      if isSleep { return .store }
    }
    return registry.context == .test ? .unimplemented : .store
  }

  /// What a script's function of `deps` returns, as the dependency `name`.
  func making(
    _ name: String, by make: LuaFunction
  ) throws(ScriptError) -> DependencyBinding {
    let deps = try DependencyRecord(
      scope: self, feature: "the dependency '\(name)'", isNoted: false
    ).make()
    let made = try make.call([.other(deps)]).first ?? .nil
    return try DependencyBinding(made, named: name, in: registry.vm)
  }

  /// What a name stands for here; made on first use.
  func binding(of name: String) throws(ScriptError) -> DependencyBinding {
    if let known = bindings[name] { return known }
    if let start = resolving.firstIndex(of: name) {
      let cycle = resolving[start...] + [name]
      throw ScriptError("these dependencies need each other: " + cycle.joined(separator: " → "))
    }
    resolving.append(name)
    defer { resolving.removeLast() }
    let binding =
      if let chain = overrides[name] {
        try chain.resolve(in: self).binding
      } else {
        try registry.resolve(name, in: self).binding
      }
    bindings[name] = binding
    return binding
  }
}

/// The way to a scope for what must not keep it. Lives inside one VM's lock.
///
/// Not a weak reference: an object that has one pays for each strong one that is taken, and a scope's are taken with
/// each effect.
final class ScopeLink {
  // Proof: the scope takes itself away in its `deinit`.
  fileprivate(set) unowned(unsafe) var scope: DependencyScope?
}

/// What a feature may reach through `deps`.
final class DeclaredDependencies {
  let names: [String]
  /// Its name, for messages.
  let feature: String
  fileprivate let number = SerialNumber.next()
  /// Its record in the scope where it ran last, since most features run in one. That scope keeps the record, and
  /// its number is no other one's.
  fileprivate var last: (scope: UInt64, record: Unmanaged<LuaReference>)?

  init(_ names: [String], feature: String) {
    self.names = names
    self.feature = feature
  }
}

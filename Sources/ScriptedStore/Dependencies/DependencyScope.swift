// Scopes: what `deps` holds at one position of the reducer tree. `━▶` retains, `┈▶` does not.
//
//     store ━▶ outermost scope ━▶ scope inside ━▶ …     one for each override on the path
//                     ┃
//                     ┗━▶ record (userdata) ━▶ DependencyTable ━▶ ScopeLink ┈▶ scope
//
// 1. Lua retains records, and a record must not retain the VM. So it reaches its scope through a
//    `ScopeLink`. Code that lets scripts use a record retains its scope for that time.
// 2. A scope drops what it has made for an override or a feature some time after that is gone,
//    never before.
// 3. The numbers of scopes are not used again. If a cache has the number of a live scope, what the
//    cache points to is still retained by that scope (2).

import LuaBridge

/// What `deps` holds at one position of the reducer tree: what the host and scripts offer, with the
/// overrides around that position. Used inside one worker, or by the thread that builds the
/// generation.
///
/// Retain the scope while scripts use a record of it (invariant 1).
final class DependencyScope {
  let registry: DependencyRegistry
  /// Distinguishes this scope from all others, including those that are gone.
  let number = SerialNumber.next()
  private let overrides: [String: OverrideChain]
  private var records = WeakKeyCache<DeclaredDependencies, LuaReference>()
  /// The scopes that the overrides of reducers make inside this one.
  private var inner = WeakKeyCache<DependencyOverride, DependencyScope>()
  private var bindings: [String: DependencyBinding] = [:]
  /// The names that are being resolved, each of them for the one before. They show cycles.
  private var resolving: [String] = []
  /// The way to this scope for objects that must not retain it.
  let link = ScopeLink()
  /// Records the calls of functions; nil if the store has no history.
  let recorder: DependencyRecorder?
  /// The scope that ``recording(by:)`` was called on. It is retained, because scripts may have its
  /// records.
  private var unrecordedScope: DependencyScope?
  /// The scope that ``recording(by:)`` has made of this one, as long as a store uses it.
  // Proof: it retains this scope, and sets this to nil in its `deinit`.
  private unowned(unsafe) var recordingScope: DependencyScope?

  /// The outermost scope of a VM.
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

  deinit {
    link.scope = nil
    if let unrecordedScope, unrecordedScope.recordingScope === self {
      unrecordedScope.recordingScope = nil
    }
  }

  /// The scope with the override of a reducer, inside this one; made once.
  func overriding(_ override: DependencyOverride) -> DependencyScope {
    if let made = inner[override.number] { return made }
    let scope = overriding([override])
    inner.store(scope, for: override, override.number)
    return scope
  }

  private func overriding(_ new: [DependencyOverride]) -> DependencyScope {
    var overrides = overrides
    for override in new {
      overrides[override.name] = OverrideChain(override, inside: overrides[override.name])
    }
    return DependencyScope(registry, overrides: overrides, recorder: recorder)
  }

  /// This scope with a recorder, which records the calls of functions. Scopes that are made inside
  /// it have the same recorder. Stores with one recorder have one scope.
  func recording(by recorder: DependencyRecorder) -> DependencyScope {
    if let recordingScope, recordingScope.recorder === recorder { return recordingScope }
    let scope = DependencyScope(registry, overrides: overrides, recorder: recorder)
    scope.bindings = bindings
    scope.unrecordedScope = self
    recordingScope = scope
    return scope
  }

  /// The scope of a store that overrides these dependencies.
  func storeScope(
    overriding dependencies: [String: Dependency], origin: String
  ) throws(ScriptError) -> DependencyScope {
    let scope = try storeScope(
      overriding: dependencies.mapValues { .host($0) }, origin: origin)
    for (name, dependency) in dependencies.sorted(by: { $0.key < $1.key }) {
      for file in dependency.files { _ = try registry.chunk(file) }
      if registry.isStandIn(name) { continue }
      // A dependency that cannot be made may be usable once it is overridden, so it is not an error
      // here.
      try (try? binding(of: name))?.checkMembers(of: dependency, as: name, origin: origin)
    }
    return scope
  }

  /// The scope of a store, of the host or in a script's test, with these changes of dependencies.
  func storeScope(
    overriding changes: [String: DependencyOverride.Change], origin: String
  ) throws(ScriptError) -> DependencyScope {
    guard !changes.isEmpty else { return self }
    var overrides: [DependencyOverride] = []
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
      if let error = registry.missing(name, origin: origin) { throw error }
      overrides.append(DependencyOverride(name, change, origin: origin))
    }
    return overriding(overrides)
  }

  /// The `deps` of a feature that declares these names, a userdata; made once.
  @inline(__always)
  func record(for declared: DeclaredDependencies) throws(ScriptError) -> LuaReference {
    if let last = declared.last, last.scope == number { return last.record.takeUnretainedValue() }
    let record =
      if let made = records[declared.number] { made } else { try makeRecord(for: declared) }
    declared.last = (number, .passUnretained(record))
    return record
  }

  private func makeRecord(for declared: DeclaredDependencies) throws(ScriptError) -> LuaReference {
    let record = try DependencyTable(
      scope: self, feature: declared.feature, declared: declared.names
    )
    .make()
    records.store(record, for: declared, declared.number)
    return record
  }

  /// The clock on which `debounce`, `throttle` and `effect.timeout` of features in this scope wait, as `deps` has it. Nil if a
  /// test has given none.
  ///
  /// - Parameter storeClock: that of the store.
  func timing(on storeClock: SchedulerClock) -> SchedulerClock? {
    let unreplaced = registry.offersClock ? storeClock : nil
    if overrides["clock"] == nil && !registry.replacesClock { return unreplaced }
    if case .client(let members)? = try? binding(of: "clock"),
      case .script(.function(let sleep))? = members["sleep"]
    {
      let (isSleep, clock) = registry.vm.clock(ofSleep: sleep)
      if let clock = clock as? SchedulerClock { return clock }
      if isSleep { return storeClock }
    }
    return unreplaced
  }

  /// Calls a script's function of `deps`, and returns its result as the dependency `name`.
  func evaluate(
    _ name: String, with make: LuaFunction
  ) throws(ScriptError) -> DependencyBinding {
    let deps = try DependencyTable(
      scope: self, feature: "the dependency '\(name)'", isRecorded: false
    ).make()
    let made = try make.call([.other(deps)]).first ?? .nil
    return try DependencyBinding(made, named: name, in: registry.vm)
  }

  /// The binding of a name in this scope; made on first use.
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

/// A reference to a scope that does not retain it. It is used by the same threads as the scope.
///
/// It is not a weak reference. The first weak reference to an object makes each later retain of it
/// slower, and a scope is retained with each effect.
final class ScopeLink {
  // Proof: the scope sets this to nil in its `deinit`.
  fileprivate(set) unowned(unsafe) var scope: DependencyScope?
}

/// The names that a feature may read from `deps`.
final class DeclaredDependencies {
  let names: [String]
  /// The name of the feature, for messages.
  let feature: String
  let number = SerialNumber.next()
  /// The feature's record in the scope where it ran last, because most features run in one scope.
  // Proof: it is used only by the scope with this number, which retains the record while this object
  // exists (invariants 2 and 3).
  fileprivate var last: (scope: UInt64, record: Unmanaged<LuaReference>)?

  init(_ names: [String], feature: String) {
    self.names = names
    self.feature = feature
  }
}

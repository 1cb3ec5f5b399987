import LuaBridge

/// Making, finding and closing the stores of a worker.
extension Engine {
  /// The cores of all stores.
  var cores: [StoreCore] { stores.cores }

  /// Makes the core of a store. Returns its slot.
  ///
  /// - Parameters:
  ///   - given: the state of a reducer; for a feature, top-level keys that replace those of its initial state.
  ///   - limits: nil for those of the host.
  func makeStore(
    of reducing: StoreSource.Reducing, state given: Value?, dependencies: [String: Dependency],
    limits: Limits? = nil, snapshot: StateSnapshot
  ) throws(ScriptError) -> Int {
    let limits = limits.map { StoreLimits($0, in: configuration.limits) }
    return try context.vm.loading(limits?.turns) { () throws(ScriptError) in
      let source = stores.source(reducing, dependencies)
      let code = try current.code(for: source)
      let initial: InitialState
      switch reducing {
      case .feature(let name):
        let isPart = try current.feature(name).initial != nil
        try check(given, of: name, code.domain, isPart: isPart)
        initial = .feature(name, overrides: given)
      case .reducer:
        try check(given, of: code.domain.name, code.domain, isPart: false)
        initial = .given(given ?? .null)
      }
      return try makeStore(
        of: code, state: try value(of: initial), limits: limits, snapshot: snapshot, source: source,
        initial: initial)
    }
  }

  /// Throws if a store cannot begin with the state that it is given, or was most likely meant to get
  /// another one.
  ///
  /// - Parameter isPart: whether the state replaces keys of the feature's own one.
  func check(
    _ given: Value?, of feature: String, _ domain: Domain, isPart: Bool
  ) throws(ScriptError) {
    guard let given, !domain.isTagged else { return }
    if isPart { try domain.givenState.checkFields(given, of: feature) }
    try domain.givenState.checkChildren(given, of: feature)
  }

  /// The state that a store begins with. Keys are replaced in Swift and not by the script's
  /// function: a large state would become Lua tables on its way through it. A tagged state is
  /// replaced as a whole.
  ///
  /// - Parameter initial: the script's function that makes it; nil for a reducer that is built on
  ///   no feature.
  func state(
    of feature: String, _ initial: LuaFunction?, _ overrides: Value?, isTagged: Bool
  ) throws(ScriptError) -> Value {
    guard let initial else {
      if let overrides { return overrides }
      throw ScriptError(
        "\(feature) returns a reducer that is built on no feature, so it has no initial state: "
          + "the store must be given one (`--state` of the runner)")
    }
    guard let defaults = Value(try initial.call([], tablesAsValues: true).at(0)) else {
      throw ScriptError("the initial state of \(feature) is not a table")
    }
    guard let overrides else { return defaults }
    if isTagged, overrides.object?.isEmpty == false { return overrides }
    if case .object(let replacements) = overrides, var object = defaults.object {
      for (key, value) in replacements { object[key] = value }
      return .object(object)
    }
    switch (defaults, overrides) {
    case (_, .array(let none)) where none.isEmpty: return defaults
    case (.array, .array):
      return Value(try initial.call([LuaValue(overrides)], tablesAsValues: true).at(0)) ?? .null
    default:
      throw ScriptError(
        "the state given to \(feature) must be an object, whose keys replace those of its initial state, "
          + "not \(overrides)")
    }
  }

  /// Makes the core of a store that runs compiled code. Returns its slot.
  ///
  /// - Parameters:
  ///   - isRecovered: whether the state is one that the store had before, which gives no shared
  ///     value its first one.
  ///   - recorded: the features that have made the state, as a journal has them; nil for those of now.
  func makeStore(
    of code: StoreCode, state: Value, limits: StoreLimits? = nil, snapshot: StateSnapshot,
    source: StoreSource?, initial: InitialState? = nil, isRecovered: Bool = false,
    madeBy recorded: Value? = nil
  ) throws(ScriptError) -> Int {
    switch state {
    case .object, .array: break
    default: throw ScriptError("the state of a store must be a table, not \(state)")
    }
    guard state.depth <= maximumDepth else {
      throw ScriptError("state cannot be nested deeper than \(maximumDepth)")
    }
    let core = StoreCore(
      code, state: state, snapshot: snapshot,
      origin: StoreOrigin(source: source, initial: initial, limits: limits), self)
    try core.begin(self, isRecovered: isRecovered, madeBy: recorded)
    return stores.add(core)
  }

  /// Cancels all effects of a store, runs what they still have to run, and removes its core. The effects of other stores
  /// wait.
  func close(_ store: Int) {
    if let inFlight = effects(of: store) {
      let hadWork = effects.hasWork
      inFlight.alarms.close()
      inFlight.cancelAll()
      effects.finish(inFlight, hadWork: hadWork)
      inFlight.close()
    }
    // The list of those that hear must not retain it.
    if let core = core(store) {
      core.share(nil)
      core.gate?.fail(
        JournalError(.closed, "the store was closed before its records were written"))
    }
    stores.remove(store)
  }

  /// Gives all stores the states that they begin with, by the scripts of now, and cancels their
  /// effects. If one of the states cannot be made, nothing changes.
  func resetStores() throws(ScriptError) {
    var states: [(core: StoreCore, state: Slot)] = []
    let shared = cores.map { $0.sharing?.moment }
    defer { for (_, state) in states { state.release() } }
    do throws(ScriptError) {
      for core in cores {
        guard let initial = core.origin.initial else { continue }
        let state = try context.vm.loading(core.limits) { () throws(ScriptError) in
          try core.settled(try value(of: initial), self)
        }
        states.append((core, state))
      }
    } catch {
      // Also that of the store whose state cannot be made.
      for (core, moment) in zip(cores, shared) {
        core.indexes.stacks.rollBack()
        if let moment { core.sharing?.goBack(to: moment) }
      }
      throw error
    }
    for (core, state) in states {
      core.effects?.cancelAll()
      core.reset(to: state, self)
    }
  }

  func value(of initial: InitialState) throws(ScriptError) -> Value {
    switch initial {
    case .given(let state): return state
    case .feature(let name, let overrides):
      let compiled = try current.feature(name)
      return try state(of: name, compiled.initial, overrides, isTagged: compiled.domain.isTagged)
    }
  }

  func effects(of store: Int) -> StoreEffects? { core(store)?.effects }

  /// Calls `waiter` when no effect of a store is in flight.
  func whenIdle(_ store: Int, _ waiter: @escaping @Sendable () -> Void) {
    guard let core = core(store) else { return deliver(to: nil, waiter) }
    guard let effects = core.effects else { return core.whenTold(self) { _ in waiter() } }
    effects.whenIdle(waiter)
  }

  /// Makes the core of a store of a module or file with exactly this state. Returns its slot.
  ///
  /// - Parameter recorded: the features that have made the state, as a journal has them; nil for those of now.
  func makeStore(
    of feature: String, in state: Value, dependencies: [String: Dependency],
    madeBy recorded: Value? = nil
  ) throws(ScriptError) -> Int {
    try context.vm.loading { () throws(ScriptError) in
      let source = stores.source(.feature(feature), dependencies)
      let code = try current.code(for: source)
      return try makeStore(
        of: code, state: state, snapshot: StateSnapshot(), source: source, madeBy: recorded)
    }
  }

  /// The features that have another version, or new fields, than when a journal has recorded them.
  ///
  /// - Parameter domain: that of the store.
  func changes(
    since recorded: Value, in domain: Domain
  ) throws(ScriptError) -> [FeatureKey: FeatureChange] {
    try current.features.changes(
      since: [FormerFeature](recorded: recorded), among: domain.root.featureKeys,
      withNewFields: configuration.addsNewFieldsOnReload)
  }

  /// The initial state of a feature's stores; nil for a reducer that is built on no feature.
  func initialState(of feature: String) throws(ScriptError) -> Value? {
    guard try current.feature(feature).initial != nil else { return nil }
    return try value(of: .feature(feature, overrides: nil))
  }

  /// The core in a slot; nil if the slot is free.
  func core(_ slot: Int) -> StoreCore? { stores[slot]?.takeUnretainedValue() }

  /// How the feature of a module or file is composed.
  func tree(of feature: String) throws(ScriptError) -> ReducerTree {
    try context.vm.loading { () throws(ScriptError) in
      try ReducerTree(of: try current.feature(feature).domain)
    }
  }

  /// How a reducer described in Swift is composed.
  func tree(of reducer: Reducer) throws(ScriptError) -> ReducerTree {
    try context.vm.loading { () throws(ScriptError) in
      try ReducerTree(of: try current.compiler.domain(of: reducer))
    }
  }
}

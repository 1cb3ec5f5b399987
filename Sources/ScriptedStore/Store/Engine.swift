import LuaBridge

/// What is inside a worker: the VM, the modules, and the cores of the stores that are pinned to it. Only
/// reached through the worker's lock.
final class Engine {
  let context: ReduceContext
  /// What stores without overrides of their own find in `deps`.
  private let dependencies: DependencyScope
  let effects: EffectRunner
  let clock: SchedulerClock
  private let link: WorkerLink
  private let modules: ScriptModules
  private var domains: [String: (domain: Domain, initial: LuaFunction?)] = [:]
  /// With a reference (+1) each, which no action counts.
  private var stores: [Unmanaged<StoreCore>?] = []
  private var freeSlots: [Int] = []
  private let handlers: HostHandlers
  private var settledWaiters: [@Sendable () -> Void] = []
  private var deliveries: [@Sendable () -> Void] = []
  /// A flag is read without asking who else is at the array.
  private var hasDeliveries = false

  init(
    root: ScriptRoot, configuration: ScriptHost.Configuration, link: WorkerLink
  ) throws(ScriptError) {
    let vm = try LuaVM(memoryLimit: configuration.memoryLimit)
    clock = SchedulerClock(isManual: configuration.clock != nil)
    effects = EffectRunner(vm: vm, clock: clock) { job in link.submit(job) }
    modules = try ScriptModules(
      vm: vm, root: root, reducers: configuration.reducers,
      dependencies: configuration.dependencies, effects: effects)
    dependencies = DependencyScope(
      DependencyRegistry(
        configuration.dependencies, modules, context: configuration.context, scheduler: effects.link
      ))
    context = ReduceContext(
      vm: vm, dependencies: dependencies, lazyReducers: modules.lazyReducers)
    handlers = HostHandlers(
      onWarning: configuration.onWarning, onError: configuration.onError)
    self.link = link
    effects.report = { [unowned(unsafe) self] warnings in report(warnings) }
  }

  deinit {
    for core in stores { core?.release() }
    for waiter in settledWaiters { waiter() }
  }

  // MARK: Jobs

  /// Reduces an action from outside; the key of what it started and has not ended.
  @inline(__always)
  func process(_ action: borrowing Action, in store: Int) -> JobKey? {
    guard let core = stores[store] else { return nil }
    return core._withUnsafeGuaranteedRef { core in
      core.process(action, self)
      return core.effects == nil ? nil : endAction(of: core)
    }
  }

  private func endAction(of core: StoreCore) -> JobKey? {
    core.effects?.endAction()
    work()
    return core.effects?.takeLastOrigin().flatMap { effects.key(of: $0) }
  }

  func run(_ job: Worker.Job) {
    switch job {
    case .action(let store, let action, let task):
      task.start(process(action, in: store))
    case .perform(let body):
      body(self)
      work()
    }
  }

  /// Lets effects go on whose turn it is, and sees to it that somebody looks when the next of them is due.
  func work() {
    guard effects.hasWork else { return }
    if effects.run() {
      // Others may enter in between; where time is made it is this thread that goes on after what they have left,
      // so that what happens does not hang on them.
      if clock.isManual { link.submit { _ in } } else { link.wake(at: 0) }
    }
    tellSettled()
    if let alarm = clock.takeAlarm() { link.wake(at: alarm - clock.now, alarm) }
  }

  /// Lets those go on who are due, and until nobody is ready.
  func wake(_ alarm: Int64) {
    // Another one was set for an earlier time since.
    if alarm == clock.armed { clock.disarm() }
    let now = clock.now
    while let due = clock.popDue(by: now) { due.fire() }
    effects.watchClock()
  }

  /// Calls `waiter` when nobody can go on but by the time that passes.
  func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    settledWaiters.append(waiter)
    tellSettled()
  }

  private func tellSettled() {
    guard !settledWaiters.isEmpty && effects.isSettled else { return }
    for waiter in settledWaiters { deliver(waiter) }
    settledWaiters = []
  }

  /// Lets time pass that does not pass by itself: those who are due go on in the order of time, and all that is
  /// ready after each. `tell` hears how many seconds have passed before each.
  func advance(by seconds: Double, _ tell: (Double) -> Void) {
    let start = clock.now
    pass(to: SchedulerClock.time(start, after: seconds), pausing: false) { now in
      tell(Double(now - start) / 1_000_000)
    }
  }

  /// The same, where the tasks of the host's that effects wait for take no time: at each time at which somebody is
  /// due it stands still until they are done. Calls `waiter` at the end, or where `isOver` says so.
  func advance(
    by seconds: Double, _ tell: @escaping @Sendable (Double) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    let start = clock.now
    step(
      to: start, of: SchedulerClock.time(start, after: seconds),
      { now in tell(Double(now - start) / 1_000_000) }, unless: isOver, waiter)
  }

  /// - Parameter end: how far to go after this step.
  private func step(
    to time: Int64, of end: Int64, _ tell: @escaping @Sendable (Int64) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    let now = pass(to: time, pausing: true, tell)
    whenSettled { [link] in
      guard now < end && !isOver() else { return waiter() }
      let isThere = link.submit { engine in
        engine.step(to: end, of: end, tell, unless: isOver, waiter)
      }
      if !isThere { waiter() }
    }
  }

  /// Lets time pass up to `end`, or with `pausing` to the next time from now at which somebody is due; returns the
  /// time that it is then.
  @discardableResult
  private func pass(to end: Int64, pausing: Bool, _ tell: (Int64) -> Void) -> Int64 {
    var end = end
    clock.beginAdvance()
    while effects.run() {}
    while let due = clock.popDue(by: end) {
      if pausing && due.deadline > clock.now { end = due.deadline }
      clock.advance(to: due.deadline)
      tell(clock.now)
      due.fire()
      while effects.run() {}
    }
    clock.endAdvance(at: end)
    tell(end)
    return end
  }

  func deliver(_ delivery: @escaping @Sendable () -> Void) {
    hasDeliveries = true
    deliveries.append(delivery)
  }

  @inline(__always)
  func takeDeliveries() -> [@Sendable () -> Void] {
    guard hasDeliveries else { return [] }
    hasDeliveries = false
    defer { deliveries = [] }
    return deliveries
  }

  func report(_ warnings: [RuntimeWarning]) {
    guard !warnings.isEmpty, let handler = handlers.onWarning else { return }
    for warning in warnings { deliver { handler(warning) } }
  }

  func report(_ error: ScriptError, _ action: Action) {
    guard let handler = handlers.onError else { return }
    deliver { handler(error, action) }
  }

  // MARK: Stores

  /// Makes a store's core of a module, or of a file if the name ends in `.lua`; `overrides` replaces top-level
  /// keys of the feature's initial state.
  func makeStore(
    of feature: String, overrides: Value?, dependencies: [String: Dependency], box: SnapshotBox
  ) throws(ScriptError) -> Int {
    let (domain, initial) = try domain(of: feature)
    guard let initial else {
      guard let overrides else {
        throw ScriptError(
          "\(feature) returns a reducer that is built on no feature, so it has no initial state: "
            + "the store must be given one (`--state` of the runner)")
      }
      return try makeStore(domain, state: overrides, dependencies: dependencies, box: box)
    }
    guard let state = try state(of: feature, initial, overrides, isTagged: domain.isTagged)
    else {
      throw ScriptError("the initial state of \(feature) is not a table")
    }
    return try makeStore(domain, state: state, dependencies: dependencies, box: box)
  }

  /// What `initial(overrides)` returns; nil if it is no value. Keys are replaced here, because a large state
  /// had to become Lua tables on the way through the script's function; a tagged state is replaced whole.
  private func state(
    of feature: String, _ initial: LuaFunction, _ overrides: Value?, isTagged: Bool
  ) throws(ScriptError) -> Value? {
    let defaults = Value(try initial.call([], tablesAsValues: true).at(0))
    guard let defaults, let overrides else { return defaults }
    if isTagged, overrides.object?.isEmpty == false { return overrides }
    if case .object(let replacements) = overrides, var object = defaults.object {
      for (key, value) in replacements { object[key] = value }
      return .object(object)
    }
    switch (defaults, overrides) {
    case (_, .array(let none)) where none.isEmpty: return defaults
    case (.array, .array):
      return Value(try initial.call([LuaValue(overrides)], tablesAsValues: true).at(0))
    default:
      throw ScriptError(
        "the state given to \(feature) must be an object, whose keys replace those of its initial state, "
          + "not \(overrides)")
    }
  }

  /// Makes a store's core of a reducer described in Swift.
  func makeStore(
    of reducer: Reducer, state: Value, dependencies: [String: Dependency], box: SnapshotBox
  ) throws(ScriptError) -> Int {
    try makeStore(
      try compiler.domain(of: reducer), state: state, dependencies: dependencies, box: box)
  }

  private var compiler: ReducerCompiler {
    ReducerCompiler(modules: modules, dependencies: dependencies.registry)
  }

  private func makeStore(
    _ domain: Domain, state: Value, dependencies overrides: [String: Dependency], box: SnapshotBox
  ) throws(ScriptError) -> Int {
    switch state {
    case .object, .array: break
    default: throw ScriptError("the state of a store must be a table, not \(state)")
    }
    guard state.depth <= maximumDepth else {
      throw ScriptError("state cannot be nested deeper than \(maximumDepth)")
    }
    let dependencies = try dependencies.overriding(overrides, origin: "the store's dependencies")
    let core = StoreCore(domain: domain, state: state, dependencies: dependencies, box: box)
    try core.begin(self)
    if let slot = freeSlots.popLast() {
      stores[slot] = .passRetained(core)
      return slot
    }
    stores.append(.passRetained(core))
    return stores.count - 1
  }

  /// Cancels what is in flight for a store, and forgets it.
  func close(_ store: Int) {
    if let inFlight = stores[store]?.takeUnretainedValue().effects {
      inFlight.cancelAll()
      while !inFlight.isIdle && effects.hasWork { _ = effects.run() }
    }
    stores[store]?.release()
    stores[store] = nil
    freeSlots.append(store)
  }

  func effects(of store: Int) -> [EffectDescription] {
    stores[store]?.takeUnretainedValue().effects?.descriptions ?? []
  }

  /// Calls `waiter` when nothing is in flight for a store.
  func whenIdle(_ store: Int, _ waiter: @escaping @Sendable () -> Void) {
    guard let effects = stores[store]?.takeUnretainedValue().effects else { return deliver(waiter) }
    effects.whenIdle(waiter)
  }

  func withStore(_ store: Int, _ body: (StoreCore) -> Void) {
    if let core = stores[store] { body(core.takeUnretainedValue()) }
  }

  private func domain(
    of feature: String
  ) throws(ScriptError) -> (domain: Domain, initial: LuaFunction?) {
    if let known = domains[feature] { return known }
    let loaded =
      feature.hasSuffix(".lua") ? try modules.load(file: feature) : try modules.require(feature)
    guard let description = try modules.describe(loaded) else {
      throw ScriptError(
        "\(feature) returns no feature: its last line must be `return scripted.feature { … }` or "
          + "another reducer, this is a \(loaded.typeName)")
    }
    let domain = try compiler.domain(of: loaded)
    var initial: LuaFunction?
    if case .function(let function) = try description.get("initial") { initial = function }
    domains[feature] = (domain, initial)
    return (domain, initial)
  }
}

/// What a host wants to hear of all its stores.
struct HostHandlers: Sendable {
  var onWarning: (@Sendable (RuntimeWarning) -> Void)?
  var onError: (@Sendable (ScriptError, Action) -> Void)?
}

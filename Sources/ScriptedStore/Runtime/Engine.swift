import LuaBridge

/// All that is inside one worker: the current generation, the store cores, the effect runner, the
/// clock. Only the thread inside the worker uses it.
///
/// 1. A worker job that may have started or woken effects ends with `work()`: they get their turn,
///    and an alarm is set for the next timer.
/// 2. Nothing here calls the host's handlers. `deliver` collects the calls, and the worker makes
///    them when the thread has left.
/// 3. A retired generation exists until no job in flight needs its scripts.
final class Engine {
  /// The generation that stores run on.
  private(set) var current: Generation
  /// `current.context`, unowned, so that no reference is counted; `current` owns it.
  private var contextLink: Unmanaged<ReduceContext>
  let effects: EffectRunner
  let clock: SchedulerClock
  let link: WorkerLink
  /// Deterministic mode: virtual time or a test; nothing may depend on other threads.
  private let isDeterministic: Bool
  /// What observes this engine for the tests of its VM; nil in live stores. The engine owns it.
  var tests: (any TestObserver)? { didSet { effects.tests = tests } }
  /// Other objects of tests, which live as long as the engine.
  var testObjects: [AnyObject] = []
  var stores = StoreTable()
  /// `StoreSource`s by feature name, of stores without overrides.
  var sources: [String: StoreSource] = [:]
  /// Earlier generations that effects in flight still need.
  private(set) var retired: [RetiredGeneration] = []
  /// Avoids the dynamic exclusivity check on `retired`.
  private var hasRetired = false
  let root: ScriptRoot
  let configuration: ScriptHost.Configuration
  private let onError: (@Sendable (ScriptError, Action) -> Void)?
  private let onPrint: (@Sendable (String) -> Void)?
  /// Reports warnings to the host; nil if the host does not want them.
  private(set) var warningReporter: WarningReporter?
  /// Whether a resumption of a suspended body is already scheduled.
  private var resumesSuspended = false
  var settledWaiters: [@Sendable () -> Void] = []
  /// Avoids the dynamic exclusivity check on `settledWaiters`.
  var hasSettledWaiters = false
  private var deliveries: [@Sendable () -> Void] = []
  /// Avoids the dynamic exclusivity check on `deliveries`.
  private var hasDeliveries = false

  init(
    root: ScriptRoot, configuration: ScriptHost.Configuration, link: WorkerLink
  ) throws(ScriptError) {
    self.root = root
    self.configuration = configuration
    current = try Generation(0, root: root, configuration: configuration)
    contextLink = .passUnretained(current.context)
    clock =
      configuration.clock.map { SchedulerClock(.byHand, now: $0.microseconds) }
      ?? SchedulerClock(.byItself)
    isDeterministic = clock.isManual || configuration.context == .test
    effects = EffectRunner(clock: clock, worker: link, yieldsToOtherThreads: !isDeterministic)
    if let virtual = configuration.clock { effects.keep(clock, for: virtual) }
    onError = configuration.onError
    self.link = link
    onPrint = configuration.onPrint
    connect(current)
    warningReporter = WarningReporter(configuration, self)
    effects.report = { [unowned(unsafe) self] warnings in report(warnings) }
    if configuration.context == .test {
      // Proof: only this engine retains the modules.
      modules.makeTestNatives = { [unowned(unsafe) self] (table) throws(ScriptError) in
        try addTestNatives(to: table)
      }
    }
    effects.isHandling = { [unowned(unsafe) self] in context.vm.isHandling }
    effects.handlingFeature = { [unowned(unsafe) self] in
      context.vm.isHandling ? context.currentNode?.takeUnretainedValue().feature : nil
    }
  }

  /// Connects a generation to this engine's runner and printing.
  private func connect(_ generation: Generation) {
    generation.link.connect(effects)
    generation.context.vm.timesSlices = !isDeterministic
    guard let onPrint else { return }
    generation.context.print = { [unowned(unsafe) self] text in deliver { onPrint(text()) } }
  }

  var context: ReduceContext { current.context }
  var modules: ScriptModules { current.modules }

  /// Calls `body` with the context without counting a reference.
  @inline(__always)
  func withContext<R>(_ body: (ReduceContext) -> R) -> R {
    contextLink._withUnsafeGuaranteedRef(body)
  }

  deinit {
    // Jobs in flight retain themselves and, through their dependency scope, the VM. Closing the
    // stores ends them.
    tests?.end()
    for slot in stores.usedSlots { close(slot) }
    for waiter in settledWaiters { waiter() }
    for generation in retired { generation.close() }
    current.close()
  }

  // MARK: Jobs

  /// Reduces an action from outside, and gives the effects that it started their first turn.
  /// Returns the key of its root job; nil if nothing that it started is in flight.
  @inline(__always)
  func process(_ action: borrowing Action, in store: Int) -> JobKey? {
    guard let core = stores[store] else { return nil }
    return core._withUnsafeGuaranteedRef { core in
      core.process(action, self)
      return core.withEffects { endAction(of: $0) } ?? nil
    }
  }

  private func endAction(of inFlight: StoreEffects) -> JobKey? {
    inFlight.endAction()
    work()
    return inFlight.takeKey()
  }

  func run(_ request: Worker.Request) {
    switch request {
    case .action(let store, let action, let task):
      task.start(process(action, in: store))
      tests?.jobEnded()
    case .perform(let body):
      body(self)
      endJob()
    }
  }

  /// Must follow each worker job other than an action.
  func endJob() {
    work()
    tests?.jobEnded()
  }

  /// Runs the effects that are ready, and schedules a wake-up for the next timer.
  func work() {
    if effects.hasWork { runEffects() }
    if hasRetired { closeRetired() }
  }

  private func runEffects() {
    if effects.run() {
      // Some effects are still ready. Worker jobs of other threads come first. In live stores
      // another thread goes on with the rest: this one may have come to send one action, or a task
      // for which all these effects wait may need it.
      if isDeterministic { link.submit { _ in } } else { deliver { [link] in link.wake(at: 0) } }
    }
    if effects.hasSuspended && !resumesSuspended {
      resumesSuspended = true
      deliver { [link] in link.resumeSuspended() }
    }
    notifySettledWaiters()
    if let alarm = clock.takeAlarm() { link.wake(at: alarm - clock.now, alarm) }
  }

  /// Lets the first suspended body go on.
  func resumeSuspended() {
    resumesSuspended = false
    effects.resumeSuspended()
  }

  /// Runs worker jobs of other threads on the thread inside, and sleeps while there are none, until
  /// `isDone` or `isStopped` returns true or the time is over.
  func pump(
    atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Worker.Pumped {
    link.pump(self, atMost: nanoseconds, isStopped: isStopped, until: isDone)
  }

  /// Collects a call that the worker makes when the thread inside has left.
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
    if let tests { return warnings.forEach(tests.report) }
    for warning in warnings where !context.silencedWarnings.contains(warning.kind) {
      warningReporter?.report(warning)
    }
  }

  func report(_ error: ScriptError, _ action: Action) {
    if error.kind == .memory { scheduleMemoryCheck() }
    if let onError { deliver { onError(error, action) } }
  }

  // MARK: Reloading

  /// Lets stores run a new generation from now on. The old one stays until no effect in flight
  /// needs it.
  func replaceCurrent(by new: Generation) {
    retired.append(RetiredGeneration(current))
    hasRetired = true
    connect(new)
    current = new
    contextLink = .passUnretained(new.context)
  }

  /// Releases the retired generations that no effect in flight needs.
  private func closeRetired() {
    retired.removeAll { $0.isOver }
    hasRetired = !retired.isEmpty
  }

  // MARK: Tests

  /// The session of this VM's tests, made on first use. From then on it gets the warnings instead
  /// of the host.
  func makeSession() -> TestSession {
    if let session { return session }
    let new = TestSession(vm: context.vm)
    session = new
    effects.isExpecting = { [unowned new] in new.isExpecting }
    effects.refusesLateSends = { [unowned new] in !new.isExpectingWarnings }
    effects.onUnimplemented = { [unowned new] in new.note($0.description) }
    return new
  }

  /// Makes a test store of a script's reducer.
  func makeTestStore(
    of reducer: LuaValue, overrides: Value?, dependencies: [String: DependencyOverride.Change],
    origin: String
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    let domain = try current.compiler.domain(of: reducer)
    var initial: LuaFunction?
    if case .function(let function) = try modules.describe(reducer)?.get("initial") {
      initial = function
    }
    let code = StoreCode(
      domain: domain,
      dependencies: try current.presentedDependencies.storeScope(
        overriding: dependencies, origin: origin))
    let slot = try makeStore(
      of: code, state: try state(of: domain.name, initial, overrides, isTagged: domain.isTagged),
      box: StateSnapshot(), source: nil)
    return try testStore(slot, session)
  }

  /// Makes a test store of a module, or of a file if the name ends in `.lua`.
  func makeTestStore(
    of feature: String, overrides: Value?, dependencies: [String: Dependency]
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    let slot = try makeStore(
      of: feature, overrides: overrides, dependencies: Engine.presenting(dependencies),
      box: StateSnapshot())
    return try testStore(slot, session)
  }

  /// Makes a test store of a reducer described in Swift.
  func makeTestStore(
    of reducer: Reducer, state: Value, dependencies: [String: Dependency]
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    let slot = try makeStore(
      of: reducer, state: state, dependencies: Engine.presenting(dependencies), box: StateSnapshot()
    )
    return try testStore(slot, session)
  }

  /// Adds `isPresented`: a test stands for what presents the feature, unless it says otherwise.
  private static func presenting(_ dependencies: [String: Dependency]) -> [String: Dependency] {
    dependencies.merging(["isPresented": .value(true)]) { ofTest, _ in ofTest }
  }

  private func testStore(
    _ slot: Int, _ session: TestSession
  ) throws(ScriptError) -> TestStoreCore {
    guard let core = stores[slot]?.takeUnretainedValue() else { throw ScriptError("no store") }
    return TestStoreCore(self, slot: slot, core: core, session: session)
  }

  /// Runs effects until none can go on before time passes or a task ends.
  func settle() { effects.settle() }

  /// Whether no effect goes on unless a test lets it.
  var isStill: Bool { effects.isSettled && (clock.isManual || clock.earliest == .max) }

  // MARK: Stores

  /// Makes the core of a store of a module, or of a file if the name ends in `.lua`. Returns its
  /// slot.
  ///
  /// - Parameters:
  ///   - overrides: top-level keys that replace those of the feature's initial state.
  ///   - limits: nil for those of the host.
  func makeStore(
    of feature: String, overrides: Value?, dependencies: [String: Dependency],
    limits: TurnLimits? = nil, box: StateSnapshot
  ) throws(ScriptError) -> Int {
    try context.vm.loading(limits) { () throws(ScriptError) in
      let compiled = try current.feature(feature)
      let state = try state(
        of: feature, compiled.initial, overrides, isTagged: compiled.domain.isTagged)
      let source = source(feature, dependencies)
      return try makeStore(
        of: try current.code(for: source), state: state, limits: limits, box: box, source: source)
    }
  }

  /// The state that a store begins with. Keys are replaced in Swift and not by the script's
  /// function: a large state would become Lua tables on its way through it. A tagged state is
  /// replaced as a whole.
  ///
  /// - Parameter initial: the script's function that makes it; nil for a reducer that is built on
  ///   no feature.
  private func state(
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

  /// Makes the core of a store of a reducer described in Swift. Returns its slot.
  func makeStore(
    of reducer: Reducer, state: Value, dependencies: [String: Dependency],
    limits: TurnLimits? = nil, box: StateSnapshot
  ) throws(ScriptError) -> Int {
    try context.vm.loading(limits) { () throws(ScriptError) in
      let source = StoreSource(.reducer(reducer), dependencies: dependencies)
      return try makeStore(
        of: try current.code(for: source), state: state, limits: limits, box: box, source: source)
    }
  }

  /// The source of a feature's store. Stores without overrides share one, so that a reload compiles
  /// it once.
  private func source(_ feature: String, _ dependencies: [String: Dependency]) -> StoreSource {
    guard dependencies.isEmpty else {
      return StoreSource(.feature(feature), dependencies: dependencies)
    }
    if let known = sources[feature] { return known }
    let new = StoreSource(.feature(feature), dependencies: [:])
    sources[feature] = new
    return new
  }

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

  private func makeStore(
    of code: StoreCode, state: Value, limits: TurnLimits? = nil, box: StateSnapshot,
    source: StoreSource?
  ) throws(ScriptError) -> Int {
    switch state {
    case .object, .array: break
    default: throw ScriptError("the state of a store must be a table, not \(state)")
    }
    guard state.depth <= maximumDepth else {
      throw ScriptError("state cannot be nested deeper than \(maximumDepth)")
    }
    let core = StoreCore(
      domain: code.domain, state: state, dependencies: code.dependencies, limits: limits, box: box,
      source: source)
    try core.begin(self)
    if let slot = freeSlots.popLast() {
      stores[slot] = .passRetained(core)
      return slot
    }
    stores.append(.passRetained(core))
    return stores.count - 1
  }

  /// Cancels all effects of a store, runs what they still have to run, and releases the core (+1).
  func close(_ store: Int) {
    if let inFlight = stores[store]?.takeUnretainedValue().effects {
      inFlight.cancelAll()
      while !inFlight.isIdle && (effects.hasWork || effects.resumeSuspended()) {
        _ = effects.run()
      }
      inFlight.close()
    }
    stores[store]?.release()
    stores[store] = nil
    freeSlots.append(store)
  }

  func effects(of store: Int) -> StoreEffects? { stores[store]?.takeUnretainedValue().effects }

  /// Calls `waiter` when no effect of a store is in flight.
  func whenIdle(_ store: Int, _ waiter: @escaping @Sendable () -> Void) {
    guard let effects = stores[store]?.takeUnretainedValue().effects else { return deliver(waiter) }
    effects.whenIdle(waiter)
  }

  /// Makes the core of a store of a module or file with exactly this state. Returns its slot.
  func makeStore(
    of feature: String, in state: Value, dependencies: [String: Dependency]
  ) throws(ScriptError) -> Int {
    try context.vm.loading { () throws(ScriptError) in
      let source = source(feature, dependencies)
      return try makeStore(
        of: try current.code(for: source), state: state, box: StateSnapshot(), source: source)
    }
  }

  /// The initial state of a feature's stores; nil for a reducer that is built on no feature.
  func initialState(of feature: String) throws(ScriptError) -> Value? {
    let compiled = try current.feature(feature)
    guard compiled.initial != nil else { return nil }
    return try state(of: feature, compiled.initial, nil, isTagged: compiled.domain.isTagged)
  }

  func withStore(_ store: Int, _ body: (StoreCore) -> Void) {
    if let core = stores[store] { body(core.takeUnretainedValue()) }
  }
}

/// The host's handlers for all of its stores.
struct HostHandlers: Sendable {
  var onWarning: (@Sendable (RuntimeWarning) -> Void)?
  var onError: (@Sendable (ScriptError, Action) -> Void)?
}

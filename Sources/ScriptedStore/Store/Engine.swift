import LuaBridge

/// What is inside a worker: the scripts, and the cores of the stores that are pinned to it. Only reached through the
/// worker's lock.
final class Engine {
  /// What stores run.
  private(set) var current: Generation
  /// The same one's, to be used without counting a reference.
  private var contextLink: Unmanaged<ReduceContext>
  let effects: EffectRunner
  let clock: SchedulerClock
  let link: WorkerLink
  /// Whether what happens must not hang on other threads: time is made, or a test looks.
  private let isAlone: Bool
  /// The tests that this worker is there for, if it is.
  var tests: TestContext?
  /// With a reference (+1) each, which no action counts.
  private var stores: [Unmanaged<StoreCore>?] = []
  private var freeSlots: [Int] = []
  /// What stores of features were made of, by the features.
  private var sources: [String: StoreSource] = [:]
  /// What stores ran before, while effects of it are in flight.
  private(set) var retired: [RetiredGeneration] = []
  /// A flag is read without asking who else is at the array.
  private var hasRetired = false
  let root: ScriptRoot
  let configuration: ScriptHost.Configuration
  private let handlers: HostHandlers
  private let onPrint: (@Sendable (String) -> Void)?
  /// In live stores.
  private var warningLimiter: WarningLimiter?
  /// Whether effects that compute for long are going to go on when others have had their turn.
  private var resumesSuspended = false
  private var settledWaiters: [@Sendable () -> Void] = []
  /// Of the tests of this VM, if it is there for some.
  private(set) var session: TestSession?
  private var testNatives: TestStoreNatives?
  /// A flag is read without asking who else is at the array.
  private var hasSettledWaiters = false
  private var deliveries: [@Sendable () -> Void] = []
  /// A flag is read without asking who else is at the array.
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
    isAlone = clock.isManual || configuration.context == .test
    effects = EffectRunner(clock: clock, worker: link, letsOthersIn: !isAlone)
    if let virtual = configuration.clock { effects.keep(clock, for: virtual) }
    let isLive = configuration.context == .live
    warningLimiter = isLive ? configuration.warningLimit.map { WarningLimiter(most: $0) } : nil
    handlers = HostHandlers(
      onWarning: configuration.onWarning, onError: configuration.onError)
    self.link = link
    onPrint = configuration.onPrint
    connect(current)
    effects.report = { [unowned(unsafe) self] warnings in report(warnings) }
    if configuration.context == .test {
      // Proof: nobody has the modules but this.
      modules.makeTestNatives = { [unowned(unsafe) self] (table) throws(ScriptError) in
        let natives = TestStoreNatives(self, makeSession())
        try natives.add(to: table)
        testNatives = natives
      }
    }
    effects.isHandling = { [unowned(unsafe) self] in context.vm.isHandling }
    effects.handlingFeature = { [unowned(unsafe) self] in
      context.vm.isHandling ? context.current?.takeUnretainedValue().feature : nil
    }
  }

  /// What its scripts need of this.
  private func connect(_ generation: Generation) {
    generation.link.connect(effects)
    generation.context.vm.timesSlices = !isAlone
    guard let onPrint else { return }
    generation.context.print = { [unowned(unsafe) self] text in deliver { onPrint(text()) } }
  }

  var context: ReduceContext { current.context }
  var modules: ScriptModules { current.modules }

  /// The context without counting a reference.
  @inline(__always)
  func withContext<R>(_ body: (ReduceContext) -> R) -> R {
    contextLink._withUnsafeGuaranteedRef(body)
  }

  deinit {
    // What is in flight keeps itself, and with its scope the VM.
    session?.end()
    for slot in stores.indices where stores[slot] != nil { close(slot) }
    for waiter in settledWaiters { waiter() }
    for generation in retired { generation.close() }
    current.close()
  }

  // MARK: Jobs

  /// Reduces an action from outside; the key of what it started and has not ended.
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

  func run(_ job: Worker.Job) {
    switch job {
    case .action(let store, let action, let task):
      task.start(process(action, in: store))
      session?.tellWaiters()
    case .perform(let body):
      body(self)
      endJob()
    }
  }

  /// What has to follow a job other than an action.
  func endJob() {
    work()
    session?.tellWaiters()
  }

  /// Lets effects go on whose turn it is, and sees to it that somebody looks when the next of them is due.
  func work() {
    if effects.hasWork { runEffects() }
    if hasRetired { closeRetired() }
  }

  private func runEffects() {
    if effects.run() {
      // Others may enter in between. Not before this thread has left, which may have been sent for one action, or may
      // be the one that a task needs which all of them wait for.
      if isAlone { link.submit { _ in } } else { deliver { [link] in link.wake(at: 0) } }
    }
    if effects.hasSuspended && !resumesSuspended {
      resumesSuspended = true
      deliver { [link] in link.resumeSuspended() }
    }
    tellSettled()
    if let alarm = clock.takeAlarm() { link.wake(at: alarm - clock.now, alarm) }
  }

  /// Lets the first effect go on that computes for long.
  func resumeSuspended() {
    resumesSuspended = false
    effects.resumeSuspended()
  }

  /// Lets those go on who are due, and until nobody is ready.
  func wake(_ alarm: Int64) {
    // Another one was set for an earlier time since.
    if alarm == clock.armed { clock.disarm() }
    let now = clock.now
    while let due = clock.popDue(by: now) { due.fire() }
    effects.watchClock()
  }

  /// For the thread that is inside: does what other threads leave to be done here, and sleeps while there is nothing,
  /// until `isDone` or `isStopped` say so or the nanoseconds have passed.
  func pump(
    atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Worker.Pumped {
    link.pump(self, atMost: nanoseconds, isStopped: isStopped, until: isDone)
  }

  /// Calls `waiter` when nobody can go on but by the time that passes.
  func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    settledWaiters.append(waiter)
    hasSettledWaiters = true
    tellSettled()
  }

  private func tellSettled() {
    guard hasSettledWaiters && effects.isSettled else { return }
    hasSettledWaiters = false
    for waiter in settledWaiters { deliver(waiter) }
    settledWaiters = []
  }

  /// Lets time pass on a clock of the host's, as ``EffectRunner/pass(_:to:pausing:_:)``, where the tasks that effects
  /// wait for take no time: at each time at which somebody is due it stands still until they are done. Calls `waiter`
  /// at the end, or where `isOver` says so.
  func advance(
    _ clock: VirtualClock, to end: Int64, _ tell: @escaping @Sendable (Int64) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    step(clock, to: effects.clock(of: clock).now, of: end, tell, unless: isOver, waiter)
  }

  /// - Parameter end: how far to go after this step.
  private func step(
    _ clock: VirtualClock, to time: Int64, of end: Int64,
    _ tell: @escaping @Sendable (Int64) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    let now = effects.pass(effects.clock(of: clock), to: time, pausing: true, tell)
    whenSettled { [link] in
      guard now < end && !isOver() else { return waiter() }
      let isThere = link.submit { engine in
        engine.step(clock, to: end, of: end, tell, unless: isOver, waiter)
      }
      if !isThere { waiter() }
    }
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
    if let session { return warnings.forEach(session.note) }
    guard handlers.onWarning != nil else { return }
    for warning in warnings where !context.silencedWarnings.contains(warning.kind) {
      guard warningLimiter != nil else {
        tell(warning)
        continue
      }
      warningLimiter?.pass(warning, at: .now).forEach(tell)
      if let due = warningLimiter?.takeAlarm() {
        link.submit(at: due) { $0.tellCountedWarnings() }
      }
    }
  }

  private func tell(_ warning: RuntimeWarning) {
    guard let handler = handlers.onWarning else { return }
    deliver { handler(warning) }
  }

  /// Tells how many warnings there were beyond those that were told.
  private func tellCountedWarnings() {
    warningLimiter?.passCounts(at: .now).forEach(tell)
    if let due = warningLimiter?.takeAlarm() { link.submit(at: due) { $0.tellCountedWarnings() } }
  }

  func report(_ error: ScriptError, _ action: Action) {
    if error.kind == .memory { lookAtMemory() }
    guard let handler = handlers.onError else { return }
    deliver { handler(error, action) }
  }

  // MARK: Reloading

  /// The cores of all stores.
  var cores: [StoreCore] { stores.compactMap { $0?.takeUnretainedValue() } }

  /// Runs other scripts from now on. The old ones stay for as long as what is in flight needs them.
  func replaceCurrent(by new: Generation) {
    retired.append(RetiredGeneration(current))
    hasRetired = true
    connect(new)
    current = new
    contextLink = .passUnretained(new.context)
  }

  /// Lets go of old scripts whose last effect has ended.
  private func closeRetired() {
    retired.removeAll { $0.isOver }
    hasRetired = !retired.isEmpty
  }

  // MARK: Tests

  /// What the tests of this VM share; from the first use on it hears of warnings instead of the host.
  func makeSession() -> TestSession {
    if let session { return session }
    let new = TestSession(vm: context.vm)
    session = new
    effects.isExpecting = { [unowned new] in new.isExpecting }
    effects.refusesLateSends = { [unowned new] in !new.isExpectingWarnings }
    effects.onUnimplemented = { [unowned new] in new.note($0.description) }
    return new
  }

  /// Makes a store for a test, of a script's reducer.
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
      dependencies: try current.presentedDependencies.overriding(dependencies, origin: origin))
    let slot = try makeStore(
      of: code, state: try state(of: domain.name, initial, overrides, isTagged: domain.isTagged),
      box: SnapshotBox(), source: nil)
    return try testStore(slot, session)
  }

  /// Makes one of a module, or of a file if the name ends in `.lua`.
  func makeTestStore(
    of feature: String, overrides: Value?, dependencies: [String: Dependency]
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    let slot = try makeStore(
      of: feature, overrides: overrides, dependencies: Engine.presenting(dependencies),
      box: SnapshotBox())
    return try testStore(slot, session)
  }

  /// Makes one of a reducer described in Swift.
  func makeTestStore(
    of reducer: Reducer, state: Value, dependencies: [String: Dependency]
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    let slot = try makeStore(
      of: reducer, state: state, dependencies: Engine.presenting(dependencies), box: SnapshotBox())
    return try testStore(slot, session)
  }

  /// A test stands for what presents its store's feature, unless it says otherwise.
  private static func presenting(_ dependencies: [String: Dependency]) -> [String: Dependency] {
    dependencies.merging(["isPresented": .value(true)]) { ofTest, _ in ofTest }
  }

  private func testStore(
    _ slot: Int, _ session: TestSession
  ) throws(ScriptError) -> TestStoreCore {
    guard let core = stores[slot]?.takeUnretainedValue() else { throw ScriptError("no store") }
    return TestStoreCore(self, slot: slot, core: core, session: session)
  }

  /// Lets effects go on until none can before time passes, or a task of the host's ends.
  func settle() { effects.settle() }

  /// Whether nobody goes on before a test lets them.
  var isStill: Bool { effects.isSettled && (clock.isManual || clock.earliest == .max) }

  // MARK: Stores

  /// Makes a store's core of a module, or of a file if the name ends in `.lua`; `overrides` replaces top-level
  /// keys of the feature's initial state.
  func makeStore(
    of feature: String, overrides: Value?, dependencies: [String: Dependency],
    limits: TurnLimits? = nil, box: SnapshotBox
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

  /// What a store of a feature begins with. Keys are replaced here, because a large state had to become Lua
  /// tables on the way through the script's function; a tagged state is replaced whole.
  ///
  /// - Parameter initial: the script's function that makes it; nil for a reducer that is built on no feature.
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

  /// Makes a store's core of a reducer described in Swift.
  func makeStore(
    of reducer: Reducer, state: Value, dependencies: [String: Dependency],
    limits: TurnLimits? = nil, box: SnapshotBox
  ) throws(ScriptError) -> Int {
    try context.vm.loading(limits) { () throws(ScriptError) in
      let source = StoreSource(.reducer(reducer), dependencies: dependencies)
      return try makeStore(
        of: try current.code(for: source), state: state, limits: limits, box: box, source: source)
    }
  }

  /// Stores of one feature that override nothing share theirs.
  private func source(_ feature: String, _ dependencies: [String: Dependency]) -> StoreSource {
    guard dependencies.isEmpty else {
      return StoreSource(.feature(feature), dependencies: dependencies)
    }
    if let known = sources[feature] { return known }
    let new = StoreSource(.feature(feature), dependencies: [:])
    sources[feature] = new
    return new
  }

  /// How a feature is composed, by its module or file.
  func tree(of feature: String) throws(ScriptError) -> ReducerTree {
    try context.vm.loading { () throws(ScriptError) in
      try ReducerTree(of: try current.feature(feature).domain)
    }
  }

  /// The same of a reducer described in Swift.
  func tree(of reducer: Reducer) throws(ScriptError) -> ReducerTree {
    try context.vm.loading { () throws(ScriptError) in
      try ReducerTree(of: try current.compiler.domain(of: reducer))
    }
  }

  private func makeStore(
    of code: StoreCode, state: Value, limits: TurnLimits? = nil, box: SnapshotBox,
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

  /// Cancels what is in flight for a store, and forgets it.
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

  /// Calls `waiter` when nothing is in flight for a store.
  func whenIdle(_ store: Int, _ waiter: @escaping @Sendable () -> Void) {
    guard let effects = stores[store]?.takeUnretainedValue().effects else { return deliver(waiter) }
    effects.whenIdle(waiter)
  }

  /// Makes the core of a module's store, or a file's, with just this state.
  func makeStore(
    of feature: String, in state: Value, dependencies: [String: Dependency]
  ) throws(ScriptError) -> Int {
    try context.vm.loading { () throws(ScriptError) in
      let source = source(feature, dependencies)
      return try makeStore(
        of: try current.code(for: source), state: state, box: SnapshotBox(), source: source)
    }
  }

  /// What a module's stores begin with; nil for a reducer that is built on no feature.
  func initialState(of feature: String) throws(ScriptError) -> Value? {
    let compiled = try current.feature(feature)
    guard compiled.initial != nil else { return nil }
    return try state(of: feature, compiled.initial, nil, isTagged: compiled.domain.isTagged)
  }

  func withStore(_ store: Int, _ body: (StoreCore) -> Void) {
    if let core = stores[store] { body(core.takeUnretainedValue()) }
  }
}

/// What a host wants to hear of all its stores.
struct HostHandlers: Sendable {
  var onWarning: (@Sendable (RuntimeWarning) -> Void)?
  var onError: (@Sendable (ScriptError, Action) -> Void)?
}

import LuaBridge
import Synchronization

/// All that is inside one worker: the current generation, the store cores, the effect runner, the
/// clock. Only the thread inside the worker uses it.
///
/// 1. A worker request that may have started or woken effects ends with `work()`: they get their turn,
///    and a wake-up is requested for the next timer.
/// 2. Nothing here calls the host's handlers. `deliver` collects the calls, and the worker makes
///    them when the thread has left.
/// 3. All that an action causes runs with the task-local values of the thread that sent it: the request by
///    `run(_:with:)`, later turns of what it has started by ``StoreEffects/withLocals(of:_:)``, the calls of handlers by
///    ``Delivery/locals``. Those in force are known by ``LocalsInForce``.
final class Engine {
  let generations: Generations
  let effects: EffectRunner
  let configuration: HostConfiguration
  private let additions: EngineAdditions
  var stores = StoreTable()
  /// The store whose reducers run, borrowed (+0); nil while none do. What they print is delivered with the store's own calls.
  private var reducing: Unmanaged<StoreCore>?
  /// What tests add to the engine, owned for them; nil in live stores.
  private(set) var testSupport: AnyObject?
  /// Observes the engine for the tests of its VM; nil in live stores, and before the first test store.
  var tests: (any TestObserver)?
  /// Reports warnings to the host; nil if the host does not want them.
  private(set) var warningReporter: WarningReporter?
  let locals = LocalsInForce()
  /// The calls that the worker makes when the thread inside has left.
  private let pending = PendingDeliveries()
  var settledWaiters: [@Sendable () -> Void] = []
  /// Whether a resumption of a suspended body is already scheduled.
  private var resumesSuspended = false
  /// What the stores here share with those of other workers.
  let sharing: WorkerSharing

  init(
    root: ScriptRoot, configuration: HostConfiguration, _ additions: EngineAdditions,
    shared: SharedValues, link: WorkerLink
  ) throws(ScriptError) {
    sharing = WorkerSharing(shared, link)
    self.configuration = configuration
    self.additions = additions
    generations = Generations(try Generation(0, root: root, configuration: configuration))
    let clock =
      configuration.clock.map { SchedulerClock(.byHand, now: $0.instant) }
      ?? SchedulerClock(.byItself)
    let isDeterministic = clock.isManual || configuration.context == .test
    effects = EffectRunner(clock: clock, worker: link, yieldsToOtherThreads: !isDeterministic)
    effects.engine = self
    if let virtual = configuration.clock { effects.keep(clock, for: virtual) }
    sharing.connect(self)
    connect(current)
    warningReporter = WarningReporter(configuration, self)
    if configuration.context == .test { testSupport = additions.testSupport(self) }
  }

  /// Whether time is virtual, or a test runs: then nothing may depend on other threads.
  private var isDeterministic: Bool { !effects.yieldsToOtherThreads }

  /// Connects a generation to this engine's runner and printing.
  func connect(_ generation: Generation) {
    generation.link.connect(effects)
    generation.context.vm.timesSlices = !isDeterministic
    guard let onPrint = configuration.onPrint else { return }
    generation.context.print = { [unowned(unsafe) self] text in
      deliver(to: reducing?.takeUnretainedValue().audience.outbox) { onPrint(text()) }
    }
  }

  /// The generation that stores run on.
  var current: Generation { generations.current }
  var context: ReduceContext { current.context }
  var modules: ScriptModules { current.modules }
  var root: ScriptRoot { modules.root }
  /// The clock of the stores.
  var clock: SchedulerClock { effects.clock }
  var link: WorkerLink { effects.worker }

  /// The feature whose handler runs; nil if none does.
  var handlingFeature: String? {
    context.vm.isHandling ? context.currentNode?.takeUnretainedValue().feature : nil
  }

  /// Calls `body` with the context without counting a reference.
  @inline(__always)
  func withContext<R>(_ body: (ReduceContext) -> R) -> R {
    generations.withContext(body)
  }

  /// Calls `body`, in which reducers of `core` run.
  @inline(__always)
  func withReducing<R, E>(_ core: StoreCore, _ body: () throws(E) -> R) throws(E) -> R {
    let outer = reducing
    reducing = .passUnretained(core)
    defer { reducing = outer }
    return try body()
  }

  deinit {
    // Jobs in flight retain themselves and, through their dependency scope, the VM. Closing the
    // stores ends them.
    tests?.end()
    sharing.end()
    for slot in stores.usedSlots { close(slot) }
    for waiter in settledWaiters { waiter() }
    generations.close()
  }

  // MARK: Jobs

  /// Reduces an action from outside, and gives the effects that it started their first turn.
  /// Returns the key of its root job; nil if nothing that it started is in flight.
  @inline(__always)
  func process(
    _ action: borrowing Action, in store: Int, transaction: Value? = nil
  ) -> JobKey? {
    guard let core = stores[store] else { return nil }
    return core._withUnsafeGuaranteedRef { core in
      core.process(action, transaction: transaction, self)
      return endProcess(of: core)
    }
  }

  /// Gives the effects that an action has started their first turn, and other stores what it has changed of shared
  /// values. Returns the key of the action's root job, as ``process(_:in:transaction:)``.
  @inline(__always)
  private func endProcess(of core: StoreCore) -> JobKey? {
    let othersHear = sharing.hasPublished
    if othersHear { sharing.takeSteps() }
    let key = core.withEffects { endAction(of: $0) } ?? nil
    // The step of another store may have started effects.
    if othersHear && effects.hasWork { work() }
    return key
  }

  /// Reduces the action of a node that has appeared on a screen of a store.
  func process(_ appeared: AppearedTasks.Appearance, in store: Int) {
    guard let core = core(store) else { return appeared.token.start(nil) }
    core.process(appeared, self)
    appeared.token.start(endProcess(of: core))
  }

  private func endAction(of inFlight: StoreEffects) -> JobKey? {
    inFlight.turn.endAction()
    work()
    guard let root = inFlight.turn.takeRootJob() else { return nil }
    return effects.key(of: root)
  }

  /// Runs a request with the task-local values of the thread that appended it.
  func run(_ request: Worker.Request, with locals: TaskLocals) {
    self.locals.with(locals) { run(request) }
  }

  func run(_ request: Worker.Request) {
    switch request {
    case .action(let store, let action, let transaction, let task):
      task.start(process(action, in: store, transaction: transaction))
      tests?.requestEnded()
    case .perform(let body):
      body(self)
      endRequest()
    case .close(let store):
      close(store)
      leaveWork()
      tests?.requestEnded()
    }
  }

  /// Lets another thread run the effects that are ready, because this one has come to close a store.
  private func leaveWork() {
    guard !isDeterministic else {
      work()
      // They may have waited for a task of the store that was closed.
      return notifySettledWaiters()
    }
    if sharing.hasPublished { sharing.takeSteps() }
    generations.closeUnneeded()
    notifySettledWaiters()
    if effects.hasWork { goOnLater() }
  }

  /// Must follow each worker request other than an action.
  func endRequest() {
    work()
    tests?.requestEnded()
  }

  /// Runs the effects that are ready, and schedules a wake-up for the next timer.
  func work() {
    if sharing.hasPublished { sharing.takeSteps() }
    if effects.hasWork { runEffects() }
    generations.closeUnneeded()
    #if SCRIPTED_STORE_CHECKS
    for slot in stores.usedSlots { effects(of: slot)?.checkInvariants() }
    #endif
  }

  private func runEffects() {
    let isUnfinished = effects.run()
    if sharing.hasPublished { sharing.takeSteps() }
    if isUnfinished || effects.hasWork {
      // Some effects are still ready. Worker requests of other threads come first. In live stores
      // another thread goes on with the rest: this one may have come to send one action, or a task
      // for which all these effects wait may need it.
      if isDeterministic {
        link.workLater()
      } else {
        goOnLater()
      }
    }
    if effects.hasSuspended && !resumesSuspended {
      resumesSuspended = true
      deliver(to: pending.wakeUps) { [link] in link.resumeSuspended() }
    }
    notifySettledWaiters()
    if let time = clock.takeWakeUp() { link.wake(at: time - clock.now, time) }
  }

  /// Lets another thread run the effects that are ready, when this one has left.
  private func goOnLater() { deliver(to: pending.wakeUps) { [link] in link.wake(at: 0) } }

  /// Lets the first suspended body go on.
  func resumeSuspended() {
    resumesSuspended = false
    effects.resumeSuspended()
  }

  /// Collects a call that the worker makes when the thread inside has left.
  ///
  /// - Parameter outbox: that of the store whose handler is called; nil if it belongs to none.
  func deliver(to outbox: Outbox?, _ call: @escaping @Sendable () -> Void) {
    pending.add(call, to: outbox, with: locals.areOthers ? TaskLocals() : nil)
  }

  /// Calls `waiter` when all handlers have been called for what has happened so far.
  func deliverAfterAll(_ waiter: @escaping @Sendable () -> Void) {
    let outboxes = [pending.ofHost, sharing.calls] + cores.compactMap(\.audience.madeOutbox)
    let count = Countdown(outboxes.count, waiter)
    for outbox in outboxes { deliver(to: outbox) { count.step() } }
  }

  @inline(__always)
  func takeDeliveries() -> [Delivery] {
    pending.isEmpty ? [] : pending.take()
  }

  /// - Parameter core: the store that the warnings are about; nil if they are about none.
  func report(_ warnings: [RuntimeWarning], of core: StoreCore? = nil) {
    if let tests { return warnings.forEach(tests.report) }
    for warning in warnings where !context.silencedWarnings.contains(warning.kind) {
      warningReporter?.report(warning, to: core?.audience.outbox)
    }
  }

  /// - Parameter core: the store that the warning is about; nil if it is about none.
  func report(_ warning: RuntimeWarning, of core: StoreCore? = nil) { report([warning], of: core) }

  /// Called after scripts were stopped because they ran out of memory.
  func didRunOutOfMemory() {
    if tests == nil { link.submit { $0.additions.didRunOutOfMemory($0) } }
  }

  /// Reports an error that has ended an effect. In the store of a custom key's keeper the keeper hears of it instead.
  func report(_ warning: RuntimeWarning, ofStop error: ScriptError, of core: StoreCore?) {
    if let core, sharing.tellKeeper(core, ofStop: error, in: warning.effect?.id) { return }
    report(warning, of: core)
  }

  func report(_ error: ScriptError, _ action: Action, of core: StoreCore?) {
    if error.kind == .memory { didRunOutOfMemory() }
    guard let onError = configuration.onError else { return }
    deliver(to: core?.audience.outbox) { onError(error, action) }
  }
}

/// Calls `waiter` at the last of so many steps.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let waiter: @Sendable () -> Void

  init(_ count: Int, _ waiter: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.waiter = waiter
  }

  func step() {
    if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { waiter() }
  }
}

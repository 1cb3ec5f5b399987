import LuaBridge

/// The effects in flight for one store. It starts what reducers return, and delivers what effects
/// send. Used inside a worker.
///
/// How the operations of an effect are started:
///
/// ```
///   send, dismiss                   an action in the store's queue
///   cancel                          jobs with the id are cancelled
///   run, task                       Body, SwiftBody: wait for their turn
///   merge                           both parts, in the same group
///   concatenate                     JobSequence: a group that starts the next effect when it is empty
///   cancellable, signpost           JobGroup with an id, MeasuredGroup: a group of the inner effect's jobs
///   debounce                        JobGroup with an id and a DebouncedEffect job on the clock
///   map, transaction, throttle      another stage of the inner effect's route
///   ran                             its parts, each with its own reducer and route
///   alarm, cancelAlarm              an ``Alarm`` at its place, which is no job and not in flight
/// ```
///
/// 1. All that an action from outside starts, directly or through actions of its effects, is one
///    tree of jobs. Its root job is the first job; when a second one starts, ``adopt(_:)`` puts a
///    ``RootGroup`` around it.
/// 2. `rootCount` is the number of root jobs in flight. At 0 the store is idle.
/// 3. `count` is the number of functions and tasks, of debounced effects that wait, and of intervals of
///    `throttle`. ``hasRoom(for:)`` is checked before one of them is started, except for an interval,
///    which an action begins long after its effect was started. Only intervals can make `count`
///    larger than `most`.
/// 4. After ``close()`` nothing reaches the store.
///
/// ``checkInvariants()`` checks them, and those of ``Job`` and the classes around it.
final class StoreEffects {
  let runner: EffectRunner
  /// What the store is doing now.
  let turn: StoreTurn
  /// The core that owns this, unowned; nil once the store is closed.
  var core: Unmanaged<StoreCore>?
  // Proof: the engine owns the runner whose jobs refer to this, and ends them before it is
  // deallocated.
  unowned(unsafe) let engine: Engine
  /// The limits of the store's turns; nil for those of the VM.
  let limits: TurnLimits?
  /// Effects in flight, as ``Limits/effects`` counts them.
  var count = 0
  /// The largest `count`.
  let most: Int
  /// The place at the root.
  let places = EffectPlace()
  /// Hears of the jobs that start or end from now on; nil in a store without a history.
  var log: (any EffectLog)?
  /// The alarms that are set.
  private(set) lazy var alarms = StoreAlarms(self)
  /// The number of root jobs in flight.
  private(set) var rootCount = 0
  private var idleWaiters: [@Sendable () -> Void] = []
  /// Whether effects are cancelled as soon as they start.
  private(set) var isOver = false

  init(_ core: StoreCore, _ engine: Engine) {
    self.core = .passUnretained(core)
    turn = core.turn
    self.engine = engine
    limits = core.limits
    most = core.origin.allLimits(engine).effects ?? .max
    runner = engine.effects
  }

  /// That of a durable store.
  @inline(__always)
  var gate: StoreGate? { core?._withUnsafeGuaranteedRef { $0.gate } }

  /// Called when the store is closed: what ends or sends from now on has no effect.
  func close() {
    // A clock would go on holding them.
    for alarm in places.allAlarms { alarm.remove() }
    core = nil
  }

  /// Cancels all effects, and later ones as soon as they start: the feature at the root was dismissed, or the durable store has
  /// ended.
  func cancelAllForGood() {
    isOver = true
    cancelAll()
  }

  // MARK: Job trees

  /// Calls `body` as a part of the tree of `rootJob`, and then reduces the actions that it has
  /// queued.
  ///
  /// - Parameter cause: that of the burst that goes on; without one it is a new burst.
  func inTurn(
    of rootJob: Job?, after cause: StoreTurn.Cause = StoreTurn.Cause(), _ body: () -> Void
  ) {
    turn.goOn(after: cause)
    withLocals(of: rootJob) { finishing(rootJob, body) }
    turn.end()
  }

  /// Calls `step` as a turn of `body`, which stays in its burst unless it has waited, and then
  /// reduces the queued actions.
  @inline(__always)
  func inTurn(of body: Body, _ step: () -> Void) {
    turn.goOn(after: body.cause)
    body.isWaiting = false
    let rootJob = body.rootJob
    withLocals(of: rootJob) { finishing(rootJob, step) }
    guard turn.isOpen else { return }
    body.cause.burst = body.isWaiting || body.hasEnded ? nil : turn.rest()
    turn.end()
  }

  /// Calls `body`, a later turn of the tree of `rootJob`, with the task-local values of the action that began the tree.
  @inline(__always)
  func withLocals(of rootJob: Job?, _ body: () -> Void) {
    guard let rootJob else { return body() }
    switch rootJob.locals {
    case .current: body()
    case .none where !TaskLocals.isInTask: body()
    case .none: with(.none, of: rootJob, body)
    case .kept(let locals): with(locals, of: rootJob, body)
    }
  }

  private func with(_ locals: TaskLocals, of rootJob: Job, _ body: () -> Void) {
    engine.locals.with(locals) {
      rootJob.locals = .current
      engine.locals.keepLater(of: rootJob)
      body()
    }
  }

  @inline(__always)
  private func finishing(_ rootJob: Job?, _ body: () -> Void) {
    turn.asPart(of: rootJob) {
      // Holds the group until the queued actions are reduced: what they start must become a part of
      // it, even if the last of its jobs has ended.
      if let group = rootJob?.asGroup {
        group.fill {
          body()
          drain()
        }
      } else {
        body()
        drain()
      }
    }
  }

  @inline(__always)
  private func drain() {
    if turn.hasQueue { core?._withUnsafeGuaranteedRef { $0.drainNow(engine) } }
  }

  /// The group for the next job: that of the current tree, or of a new one.
  func rootForNow() -> RootGroup {
    if let job = turn.rootJob, !job.hasEnded { return job as? RootGroup ?? adopt(job) }
    let root = RootGroup(of: self)
    beginRoot(root)
    return root
  }

  /// Begins the root job of the current action.
  func beginRoot(_ job: Job) {
    job.begin()
    rootCount += 1
    turn.rootJob = job
    engine.locals.keepLater(of: job)
  }

  /// Puts a root group around a root job. The group takes over the job's key, and becomes the root
  /// of its tree.
  func adopt(_ job: Job) -> RootGroup {
    assert(job.parent == nil, "invariant 1: only a root job gets a root group")
    assert(!job.hasEnded, "invariant 3 of Job: a job that has ended gets no root group")
    let root = RootGroup(of: self)
    root.begin()
    root.takeOver(job)
    runner.moveKey(of: job, to: root)
    root.locals = job.locals
    if case .current = root.locals { engine.locals.keepLater(of: root) }
    turn.replace(job, by: root)
    return root
  }

  /// Called when a root job has ended.
  func ended(_ rootJob: Job, _ waiters: [@Sendable () -> Void]) {
    if turn.rootJob === rootJob { turn.rootJob = nil }
    runner.forget(rootJob)
    rootCount -= 1
    for waiter in waiters { deliver(waiter) }
    guard rootCount == 0 else { return }
    for waiter in idleWaiters { deliver(waiter) }
    idleWaiters = []
  }

  /// Calls `waiter` when the store's handlers have been called for what has happened so far.
  private func deliver(_ waiter: @escaping @Sendable () -> Void) {
    guard let core = core?.takeUnretainedValue() else { return engine.deliver(to: nil, waiter) }
    core.whenTold(engine) { _ in waiter() }
  }

  var isIdle: Bool { rootCount == 0 }

  /// Calls `waiter` when no effect of the store is in flight.
  func whenIdle(_ waiter: @escaping @Sendable () -> Void) {
    if rootCount == 0 { return deliver(waiter) }
    idleWaiters.append(waiter)
  }
}

/// Hears of each job that starts or ends, and of the calls of `deps` in effects, as a history does.
protocol EffectLog: AnyObject {
  func began(_ job: Job)
  func ended(_ job: Job)
  /// An effect has raised an error, and is about to end.
  func failed(_ job: Job, _ error: ScriptError)
  /// A job is about to be cancelled by the host, a tool, a screen or a reload.
  func willCancel(_ job: Job)
  /// Returns a number for the call.
  func began(_ name: String, isStream: Bool) -> Int
  func ended(_ call: Int, _ answer: DependencyRead.Answer)
}

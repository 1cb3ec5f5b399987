import DequeModule
import LuaBridge

/// Runs the effects of all stores of a worker in turns: jobs that are ready go on in order, each up
/// to its next wait. Used inside a worker; nothing here blocks the thread.
///
/// ```
///             enqueue                proceed           ends
///   new job ----------> ready queue ----------> turn ----------> ended
///                           ^                     | waits
///                           +------- wake --------+
/// ```
///
/// 1. `ready` owns its jobs (+1) until their turn is over.
/// 2. `hasWork` is set when ``Engine/work()`` has something to do: a job is ready, a timer was
///    added, a task has ended, or jobs have run outside of it (``runUntilIdle()``).
/// 3. `tasks` is the number of tasks that effects wait for. While it is 0 and no job is ready or
///    suspended, only time lets an effect go on (`isSettled`).
/// 4. One call of ``run()`` takes a bounded number of turns, and stops when a body has used up its
///    slice.
final class EffectRunner {
  let clock: SchedulerClock
  /// A way into the worker, from any thread.
  let worker: WorkerLink
  /// What the runner is a part of. Set by the engine when it has made the runner.
  // Proof: the engine owns the runner.
  unowned(unsafe) var engine: Engine!
  /// The body that runs now, borrowed (+0); its turn retains it.
  private var runningLink: Unmanaged<Body>?
  /// The jobs whose turn has come, first in, first out, each owned (+1).
  private var ready: Deque<Unmanaged<Job>> = []
  private(set) var hasWork = false
  /// The jobs that tasks and threads outside refer to by keys.
  var jobTable = JobTable()
  /// The tasks in `jobTable`: calls of asynchronous host functions, and Swift effects.
  var tasks = 0
  private var lastJobNumber: UInt64 = 0

  /// This worker's side of the host's virtual clocks.
  private var clocks = WeakKeyCache<VirtualClock, SchedulerClock>()
  /// In the order in which they began to wait.
  var readers: [StreamReader] = []
  /// Bodies that have used up their slice, in that order.
  var suspended: [Body] = []
  /// Whether a body that has used up its slice goes on only after the worker requests of other threads.
  let yieldsToOtherThreads: Bool
  /// Whether ``run()`` is running.
  private(set) var isRunning = false
  /// Whether a script's function maps an action.
  var isTransforming = false
  /// How often an effect has waited on a clock that passes at once since the ready queue was empty.
  var instantWaits = 0

  init(clock: SchedulerClock, worker: WorkerLink, yieldsToOtherThreads: Bool) {
    self.clock = clock
    self.worker = worker
    self.yieldsToOtherThreads = yieldsToOtherThreads
  }

  deinit {
    for job in ready { job.release() }
  }

  /// This worker's side of a virtual clock of the host.
  func clock(of virtual: VirtualClock) -> SchedulerClock {
    if let cached = clocks[virtual.number] { return cached }
    virtual.attach(worker)
    let new = SchedulerClock(.byHand, now: virtual.instant)
    keep(new, for: virtual)
    return new
  }

  func keep(_ clock: SchedulerClock, for virtual: VirtualClock) {
    clocks.store(clock, for: virtual, virtual.number)
  }

  var running: Body? { runningLink?.takeUnretainedValue() }

  /// Calls `body` with the running body without counting a reference; nil if none runs.
  @inline(__always)
  func withRunning<R>(_ body: (Body) -> R) -> R? { runningLink?._withUnsafeGuaranteedRef(body) }

  /// Jobs have larger numbers from now on, because a store that had effects with these comes back.
  func makeJobNumbers(above number: UInt64) { lastJobNumber = max(lastJobNumber, number) }

  func makeJobNumber() -> UInt64 {
    lastJobNumber += 1
    return lastJobNumber
  }

  /// The key of a root job for threads outside, made on first use; nil if the job has ended.
  func key(of job: Job) -> JobKey? {
    if job.hasEnded { return nil }
    if job.tableIndex >= 0 { return jobTable.key(at: job.tableIndex) }
    let key = jobTable.add(job)
    job.tableIndex = key.index
    return key
  }

  /// Calls `waiter` when the root job with this key has ended.
  func whenEnded(_ key: JobKey, _ waiter: @escaping @Sendable () -> Void) {
    switch jobTable[key] {
    case let root as RootGroup: root.whenEnded(waiter)
    case let job?: job.effects.adopt(job).whenEnded(waiter)
    case nil: waiter()
    }
  }

  /// Cancels the root job with this key.
  func cancel(_ key: JobKey) { jobTable[key]?.cancelInTurn() }

  /// Removes the key of a task that has ended, or that no job waits for any more.
  func forget(_ key: JobKey) {
    guard jobTable[key] != nil else { return }
    jobTable.remove(key)
    tasks -= 1
    // A waiter in ``Engine/whenSettled(_:)`` may have waited for this task.
    hasWork = true
  }

  /// Removes the key of a root job.
  func forget(_ job: Job) {
    guard job.tableIndex >= 0 else { return }
    jobTable.remove(at: job.tableIndex)
    job.tableIndex = -1
  }

  /// Makes the key of a root job refer to the group that was put around it.
  func moveKey(of job: Job, to root: RootGroup) {
    guard job.tableIndex >= 0 else { return }
    jobTable.set(root, at: job.tableIndex)
    (root.tableIndex, job.tableIndex) = (job.tableIndex, -1)
  }

  /// Whether no script of a store is what calls: no handler and no effect runs, and no function
  /// that maps an action or says what a test expects.
  var isOutside: Bool {
    running == nil && !isRunning && !isTransforming && !engine.context.vm.isHandling
      && engine.tests?.isExpecting != true
  }

  /// The feature whose handler or effect runs; nil if none does.
  var currentFeature: String? { running?.owner?.feature ?? engine.handlingFeature }

  // MARK: Turns

  /// Gives a job its first turn: at once, or when the record of the action that started it is durable.
  func begin(_ job: Job) {
    if let gate = job.effects.gate { gate.begin(job) } else { enqueue(job) }
  }

  /// Adds a job to the ready queue.
  func enqueue(_ job: Job) {
    ready.append(.passRetained(job))
    hasWork = true
  }

  /// Ends the wait of a body.
  func wake(_ body: Body, with resumption: consuming BodyResumption) {
    guard !body.hasEnded else { return }
    body.state = .ready(resumption)
    enqueue(body)
  }

  /// Called when a timer was added to the clock, so that ``Engine/work()`` requests a wake-up.
  func watchClock() { hasWork = true }

  /// Whether no effect can go on before time passes.
  var isSettled: Bool { ready.isEmpty && suspended.isEmpty && tasks == 0 }

  /// The number of turns in one ``run()``, unless more jobs are ready at its start. Worker requests of
  /// other threads may have to wait for it.
  private static let mostTurns = 10_000

  /// Runs ready jobs, also those that become ready meanwhile, until none is left, the
  /// limit of turns is reached, or a body has used up its slice. Returns whether some are left.
  func run() -> Bool {
    hasWork = false
    isRunning = true
    defer { isRunning = false }
    var left = max(EffectRunner.mostTurns, ready.count)
    let before = suspended.count
    while left > 0, suspended.count <= before, let job = ready.popFirst() {
      left -= 1
      job._withUnsafeGuaranteedRef { $0.proceed(in: self) }
      job.release()
    }
    guard ready.isEmpty else {
      hasWork = true
      return true
    }
    instantWaits = 0
    return false
  }

  /// Runs ready jobs until none is left.
  func runUntilIdle() {
    while run() {}
    // Some may wait on the clock that passes by itself now, or have used up their slices: ``Engine/work()`` looks after these.
    hasWork = true
  }

  /// Runs the ready jobs of one store until it is idle, and those that become ready meanwhile. Those of other stores keep
  /// their order in the queue.
  ///
  /// - Parameter hadWork: ``hasWork`` before the store's effects were cancelled.
  func finish(_ effects: StoreEffects, hadWork: Bool) {
    isRunning = true
    defer { isRunning = false }
    var others: Deque<Unmanaged<Job>> = []
    repeat {
      while let job = ready.popFirst() {
        guard job._withUnsafeGuaranteedRef({ $0.effects === effects }) else {
          others.append(job)
          continue
        }
        job._withUnsafeGuaranteedRef { $0.proceed(in: self) }
        job.release()
      }
    } while !effects.isIdle && resumeSuspended(of: effects)
    ready = others
    hasWork = hadWork || !others.isEmpty
  }
}

/// The turns of bodies, and their slices.
extension EffectRunner {
  /// One turn of a body: its script runs up to its next wait, its end, or the end of its slice. Then the
  /// store reduces the actions that the script has sent.
  func turn(_ body: Body) {
    guard !body.hasEnded else { return }
    var use: BodyUse?
    if case .ready(.goOn(let before)) = body.state { use = before }
    let effects = body.effects
    effects.inTurn(of: body) {
      let outcome = body.vm.turn(effects.limits, after: use) { step(body) }
      leave(body, outcome)
    }
  }

  /// Runs the script of a body.
  private func step(_ body: Body) -> BodyOutcome {
    runningLink = .passUnretained(body)
    defer { runningLink = nil }
    switch body.state {
    case .fresh:
      guard case .functions(let functions) = body.program else { return .finished }
      let thread: BodyThread
      do throws(ScriptError) {
        thread = try body.vm.takeThread()
      } catch {
        return .failed(error, nil)
      }
      body.run(on: thread)
      body.state = .running
      return body.vm.start(
        thread, functions, dependencies: body.owner?.dependencies,
        serial: body.isPart ? 0 : body.serial, generation: body.generation)
    case .ready(.stop(let error)):
      return .failed(error, nil)
    case .ready(let resumption):
      guard let thread = body.thread else { return .finished }
      body.state = .running
      return body.vm.resume(thread, resumption, generation: body.generation)
    case .reading(let stream):
      guard let thread = body.thread, let next = take(from: stream, for: body) else {
        return .waits
      }
      body.state = .running
      return body.vm.resume(thread, next, generation: body.generation)
    default:
      return .waits
    }
  }

  /// Ends a body, or leaves it to what it waits for.
  private func leave(_ body: Body, _ outcome: BodyOutcome) {
    if case .waits = outcome {
      if case .doomed = body.state { stop(body) }
      return
    }
    if case .suspended(let use) = outcome { return suspend(body, use) }
    if let thread = body.thread {
      body.run(on: nil)
      // The state of a Lua thread that was stopped or had no memory is unknown, so it is not used
      // again.
      if case .failed(let error, _) = outcome, error.kind == .memory || error.isStop {
        body.vm.stop(thread)
      } else {
        body.vm.recycle(thread)
      }
    }
    var failure: BodyResumption?
    switch outcome {
    case .failed(let error, let value):
      if body.isPart {
        failure = error.isStop ? .stop(error) : value.map { .raise($0) } ?? .error(error)
      } else {
        body.effects.warn(of: error, in: body)
      }
    case .cancelled: failure = .cancel
    default: break
    }
    if body.isPart, let join = body.parent as? Join { join.partEnded(body, failure) }
    body.end()
  }

  // MARK: Slices

  var hasSuspended: Bool { !suspended.isEmpty }

  /// Called when a body has used up its slice. A cancelled body that goes on computing is stopped.
  func suspend(_ body: Body, _ use: BodyUse) {
    if body.isCancelled {
      body.swallowed += 1
      if body.swallowed >= Body.mostSwallowed { return stop(body) }
    }
    if yieldsToOtherThreads {
      body.state = .suspended(use)
      suspended.append(body)
    } else {
      wake(body, with: .goOn(use))
    }
  }

  /// Makes the first suspended body ready, if there is one.
  func resumeSuspended() {
    guard !suspended.isEmpty else { return }
    let body = suspended.removeFirst()
    if case .suspended(let use) = body.state { wake(body, with: .goOn(use)) }
  }

  /// Makes the suspended bodies of a store ready. Returns false if there are none.
  func resumeSuspended(of effects: StoreEffects) -> Bool {
    let bodies = suspended.filter { $0.effects === effects }
    suspended.removeAll { $0.effects === effects }
    for body in bodies {
      if case .suspended(let use) = body.state { wake(body, with: .goOn(use)) }
    }
    return !bodies.isEmpty
  }

  func removeSuspended(_ body: Body) { suspended.removeAll { $0 === body } }

  /// Ends a body that has swallowed its cancellation too often.
  func stop(_ body: Body) {
    if let thread = body.thread { body.vm.stop(thread) }
    body.run(on: nil)
    body.effects.warnOfSwallowing(body)
    if let join = body.parent as? Join { join.partEnded(body, .cancel) }
    body.end()
  }
}

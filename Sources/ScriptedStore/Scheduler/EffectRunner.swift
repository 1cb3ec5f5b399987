import LuaBridge

/// Runs the bodies of effects of all stores of a worker, in turn: the coroutines that are ready go on, first come,
/// first served, each up to its next wait. Inside a worker.
final class EffectRunner {
  let clock: SchedulerClock
  /// The way into the worker, from any thread.
  let worker: WorkerLink
  /// The body that runs now, which its turn keeps.
  private var runningLink: Unmanaged<Body>?
  /// Bodies and Swift effects whose turn it is.
  private let ready: UnsafeMutablePointer<TurnQueue>
  private(set) var hasWork = false
  /// What threads outside know. This and the queue are in memory of their own, so that nobody asks who else is at them.
  let known: UnsafeMutablePointer<JobTable>
  /// How many of these are tasks: functions of the host that bodies wait for, and Swift effects.
  var tasks = 0
  private var lastSerial: UInt64 = 0

  /// The clocks that hosts let pass, as they are here.
  private var clocks = Memo<VirtualClock, SchedulerClock>()
  /// Bodies that wait for the next value of a stream, first come, first served.
  var readers: [Body] = []
  /// Bodies that compute for long, first come, first served.
  private var suspended: [Body] = []
  /// Whether a body that has used up its slice waits for what other threads leave to be done.
  private let letsOthersIn: Bool
  /// While those whose turn it is go on.
  private(set) var isRunning = false
  /// While a function of a script's transforms an action.
  var isTransforming = false
  /// Whether a test says what it expects.
  var isExpecting: () -> Bool = { false }
  /// Whether a `send` that a test itself calls too late raises there, instead of being a warning.
  var refusesLateSends: () -> Bool = { false }
  /// How often somebody waited on a clock that passes at once since all was idle.
  var skips = 0

  /// Tells the host of warnings.
  var report: ([RuntimeWarning]) -> Void = { _ in }
  /// Whether a handler of the current scripts runs, whose state nothing else may change.
  var isHandling: () -> Bool = { false }
  /// Whose handler runs, nil if none does.
  var handlingFeature: () -> String? = { nil }
  /// Hears of each call of a dependency that has no value in tests, before it raises. Who sets it is warned of none.
  var onUnimplemented: ((UnimplementedCall) -> Void)?

  init(clock: SchedulerClock, worker: WorkerLink, letsOthersIn: Bool) {
    self.clock = clock
    self.worker = worker
    self.letsOthersIn = letsOthersIn
    ready = .allocate(capacity: 1)
    ready.initialize(to: TurnQueue())
    known = .allocate(capacity: 1)
    known.initialize(to: JobTable())
  }

  deinit {
    while let job = ready.pointee.popFirst() { job.release() }
    ready.deinitialize(count: 1)
    ready.deallocate()
    known.deinitialize(count: 1)
    known.deallocate()
  }

  /// A host's clock as it is here.
  func clock(of virtual: VirtualClock) -> SchedulerClock {
    if let known = clocks[virtual.number] { return known }
    virtual.attach(worker)
    let new = SchedulerClock(.byHand, now: virtual.microseconds)
    keep(new, for: virtual)
    return new
  }

  func keep(_ clock: SchedulerClock, for virtual: VirtualClock) {
    clocks.keep(clock, for: virtual, virtual.number)
  }

  var running: Body? { runningLink?.takeUnretainedValue() }

  /// The same without counting a reference; nil where no body runs.
  @inline(__always)
  func withRunning<R>(_ body: (Body) -> R) -> R? { runningLink?._withUnsafeGuaranteedRef(body) }

  func makeSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }

  /// By which threads outside know all that an action started, nil if it has ended.
  func key(of job: Job) -> JobKey? {
    if job.hasEnded { return nil }
    if job.known >= 0 { return known.pointee.key(at: job.known) }
    let key = known.pointee.add(job)
    job.known = key.place
    return key
  }

  /// Calls `waiter` when all of that has ended.
  func whenEnded(_ key: JobKey, _ waiter: @escaping @Sendable () -> Void) {
    switch known.pointee[key] {
    case let root as RootGroup: root.whenEnded(waiter)
    case let body as Body: body.effects.adopt(body).whenEnded(waiter)
    case let scope as Scope: scope.effects.adopt(scope).whenEnded(waiter)
    default: waiter()
    }
  }

  /// Cancels all of that.
  func cancel(_ key: JobKey) {
    switch known.pointee[key] {
    case let root as RootGroup: root.effects.inTurn(of: root) { root.cancel() }
    case let body as Body: body.effects.inTurn(of: body) { body.cancel() }
    case let scope as Scope: scope.effects.inTurn(of: scope) { scope.cancel() }
    default: break
    }
  }

  /// A task has ended, or nobody waits for it any more.
  func forget(_ key: JobKey) {
    guard known.pointee[key] != nil else { return }
    known.pointee.remove(key)
    tasks -= 1
    // Somebody may wait for just this.
    hasWork = true
  }

  /// Threads outside find nothing any more where they find a job now.
  func forget(_ job: Job) {
    guard job.known >= 0 else { return }
    known.pointee.remove(at: job.known)
    job.known = -1
  }

  /// What threads outside know as one job is from now on another.
  func hand(_ job: Job, to root: RootGroup) {
    guard job.known >= 0 else { return }
    known.pointee.set(root, at: job.known)
    (root.known, job.known) = (job.known, -1)
  }

  // MARK: Turns

  /// Lets a job have its turn.
  func enqueue(_ job: Job) {
    ready.pointee.append(.passRetained(job))
    hasWork = true
  }

  /// A body's wait is over.
  func wake(_ body: Body, with resumption: consuming BodyResumption) {
    guard !body.hasEnded else { return }
    body.state = .ready(resumption)
    enqueue(body)
  }

  /// Somebody waits on the clock, which may have to be watched.
  func watchClock() { hasWork = true }

  /// Whether nobody can go on but by the time that passes.
  var isSettled: Bool { ready.pointee.isEmpty && suspended.isEmpty && tasks == 0 }

  /// Turns that others may have to wait for, if there are not more at the start.
  private static let mostTurns = 10_000

  /// Lets those go on whose turn it is, and those whose turn comes up by that, until nobody is left or it has been
  /// a while, as when one has used up its slice; whether some are left.
  func run() -> Bool {
    hasWork = false
    isRunning = true
    defer { isRunning = false }
    var left = max(EffectRunner.mostTurns, ready.pointee.count)
    let before = suspended.count
    while left > 0, suspended.count <= before, let job = ready.pointee.popFirst() {
      left -= 1
      job._withUnsafeGuaranteedRef { $0.takeTurn(in: self) }
      job.release()
    }
    guard ready.pointee.isEmpty else {
      hasWork = true
      return true
    }
    ready.pointee.removeAll()
    skips = 0
    return false
  }

  /// Lets those go on until nobody is left.
  func settle() { while run() {} }

  func run(_ body: Body, in effects: StoreEffects) {
    guard !body.hasEnded else { return }
    var use: BodyUse?
    if case .ready(.goOn(let before)) = body.state { use = before }
    effects.inTurn(of: body) {
      finish(body, body.vm.turn(effects.limits, after: use) { step(body) })
    }
  }

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
      guard let thread = body.thread, let next = stream.take() else {
        readers.append(body)
        return .waits
      }
      body.state = .running
      return body.vm.resume(thread, next, generation: body.generation)
    default:
      return .waits
    }
  }

  private func finish(_ body: Body, _ outcome: BodyOutcome) {
    if case .waits = outcome {
      if case .doomed = body.state { stop(body) }
      return
    }
    if case .suspended(let use) = outcome { return suspend(body, use) }
    if let thread = body.thread {
      body.run(on: nil)
      // Of a thread that could not even end its body nothing is known.
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

  /// A body has used up its slice. One that computes on and on after it was cancelled is stopped.
  private func suspend(_ body: Body, _ use: BodyUse) {
    if body.isCancelled {
      body.swallowed += 1
      if body.swallowed >= Body.mostSwallowed { return stop(body) }
    }
    if letsOthersIn {
      body.state = .suspended(use)
      suspended.append(body)
    } else {
      wake(body, with: .goOn(use))
    }
  }

  /// Lets the first of those go on who have used up their slice; whether there is one.
  @discardableResult
  func resumeSuspended() -> Bool {
    guard !suspended.isEmpty else { return false }
    let body = suspended.removeFirst()
    if case .suspended(let use) = body.state { wake(body, with: .goOn(use)) }
    return true
  }

  func removeSuspended(_ body: Body) { suspended.removeAll { $0 === body } }

  private func stop(_ body: Body) {
    if let thread = body.thread { body.vm.stop(thread) }
    body.run(on: nil)
    body.effects.warnOfSwallowing(body)
    if let join = body.parent as? Join { join.partEnded(body, .cancel) }
    body.end()
  }
}

/// Jobs whose turn it is, first come, first served, each with a reference (+1).
struct TurnQueue {
  private var jobs: [Unmanaged<Job>] = []
  private var next = 0

  var count: Int { jobs.count - next }
  var isEmpty: Bool { next == jobs.count }

  mutating func append(_ job: Unmanaged<Job>) { jobs.append(job) }

  mutating func popFirst() -> Unmanaged<Job>? {
    guard next < jobs.count else { return nil }
    // Most often it is the only one.
    if next == 0 && jobs.count == 1 { return jobs.removeLast() }
    let job = jobs[next]
    next += 1
    // Forget what is done once it is most of the queue: O(1) a job.
    if next >= 1024 && next * 2 >= jobs.count {
      jobs.removeFirst(next)
      next = 0
    }
    return job
  }

  /// Begins anew; nobody is left.
  mutating func removeAll() {
    if jobs.isEmpty && jobs.capacity <= 1024 { return }
    jobs.removeAll(keepingCapacity: jobs.capacity <= 1024)
    next = 0
  }
}

/// An action on its way to the store.
struct Message {
  var action: Action
  /// Whose effect sends it.
  let sender: ReducerNode?
  var transaction: Value?
  /// The memory of the action, where that is a script's, and whose.
  private(set) var kept: KeptMemory?
  private(set) var keeper: SchedulerLink?

  init(_ action: Action, from sender: ReducerNode?) {
    self.action = action
    self.sender = sender
  }

  init(
    _ action: Action, from sender: ReducerNode?, kept: KeptMemory?, of owner: EffectOwner?
  ) {
    self.init(action, from: sender)
    keep(kept, of: owner)
  }

  /// Another action has taken the place of the one before.
  mutating func keep(_ memory: KeptMemory?, of owner: EffectOwner?) {
    kept = memory
    keeper = memory == nil ? nil : owner?.code
  }
}

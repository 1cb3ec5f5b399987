import Synchronization

/// The task-local values of a thread at one moment, for one closure that runs later, on any thread.
///
/// Swift copies task-local values only into a new task. So this makes a task that waits until ``run(_:)`` runs it on the
/// calling thread. That takes 0.3 µs and a kilobyte; what runs at once on the thread that asked for it needs none.
final class TaskLocals: Sendable {
  private let carrier = Carrier()

  /// With the values of the calling thread.
  init() { Task(executorPreference: carrier) { [carrier] in carrier.work() } }

  private init(detached: Void) {
    Task.detached(executorPreference: carrier) { [carrier] in carrier.work() }
  }

  /// Without values, for what must not see those of the calling thread.
  static var none: TaskLocals { TaskLocals(detached: ()) }

  /// Ends the task if its closure never came.
  deinit { carrier.run {} }

  /// Calls `body` with the values. To be called once: another call runs `body` with the values of the calling thread.
  func run(_ body: () -> Void) { carrier.run(body) }

  /// Whether the calling thread runs a task.
  static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }
}

/// The executor of one task, which runs when ``run(_:)`` is called.
private final class Carrier: TaskExecutor {
  /// The task until it runs.
  private let job = Mutex<UnownedJob?>(nil)
  // Proof: only the thread that took `job` uses it: it sets it, runs the task, which reads it, and clears it.
  private nonisolated(unsafe) var body: (() -> Void)?

  func enqueue(_ new: consuming ExecutorJob) {
    let new = UnownedJob(new)
    job.withLock { $0 = new }
  }

  func work() { body?() }

  func run(_ body: () -> Void) {
    guard let job = job.withLock({ $0.take() }) else { return body() }
    withoutActuallyEscaping(body) { body in
      self.body = body
      job.runSynchronously(on: asUnownedTaskExecutor())
      self.body = nil
    }
  }
}

/// The task-local values for the later turns of what an action has started.
enum RootLocals {
  /// Those of the calling thread: the action, or a turn of what it has started, is being processed.
  case current
  /// None: the action came from a thread outside of all tasks. What such a thread has bound, it has bound for the time of
  /// the call that sends; effects that go on later pay nothing for it.
  case none
  case kept(TaskLocals)

  /// Those of the calling thread, for later.
  static var ofThread: RootLocals { TaskLocals.isInTask ? .kept(TaskLocals()) : .none }
}

/// The task-local values that are in force inside a worker, and the root jobs that have yet to keep them for later turns.
final class LocalsInForce {
  /// Whether they are not those of the thread inside: then a delivery keeps them.
  private(set) var areOthers = false
  /// The root jobs that began, or had a turn, with these values, and have not kept them yet.
  private var roots: [Job] = [] { didSet { hasRoots = !roots.isEmpty } }
  /// Asked after each action, for which the list would take a dynamic exclusivity check.
  private var hasRoots = false

  /// Calls `body` with values that were kept for it. What it starts keeps them, too.
  func with(_ locals: TaskLocals, _ body: () -> Void) {
    let outer = (areOthers, roots)
    (areOthers, roots) = (true, [])
    locals.run {
      body()
      keep()
    }
    (areOthers, roots) = outer
  }

  /// Lets a root job keep the values when the request or the turn ends, if it is still in flight then.
  @inline(__always)
  func keepLater(of rootJob: Job) { roots.append(rootJob) }

  /// Gives the values to the root jobs that have to keep them. Called at the end of a request or a turn.
  @inline(__always)
  func keep() {
    if hasRoots { keepNow() }
  }

  private func keepNow() {
    for job in roots where !job.hasEnded {
      let rootJob = job.rootJob
      if case .current = rootJob.locals { rootJob.locals = .ofThread }
    }
    roots.removeAll(keepingCapacity: true)
  }
}

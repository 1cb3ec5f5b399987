import Dispatch
import LuaBridge
import Synchronization

/// A way into a worker for objects that must not retain it: timers, and tasks of effects.
///
/// It is not a weak reference. An object that is referenced weakly once pays for each strong retain
/// and release from then on, and each action retains the worker.
final class WorkerLink: Sendable {
  private let reference = Mutex<Worker?>(nil)

  fileprivate func connect(_ worker: Worker) { reference.withLock { $0 = worker } }
  fileprivate func disconnect() { reference.withLock { $0 = nil } }

  private var worker: Worker? { reference.withLock { $0 } }

  /// Whether the worker still exists. Does not copy the reference: the copy could become the last
  /// one, and the worker would be deallocated here, while the caller holds a lock.
  fileprivate var isConnected: Bool { reference.withLock { $0 != nil } }

  /// Runs a closure inside the worker. Returns false if the worker no longer exists.
  @discardableResult
  func submit(_ body: @escaping @Sendable (Engine) -> Void) -> Bool {
    guard let worker else { return false }
    worker.submit(.perform(body))
    return true
  }

  /// Runs a closure inside, on a thread of the global queue. For the ends of tasks: scripts and handlers that take long
  /// must not keep one of the few threads that tasks run on.
  func submitFromTask(_ body: @escaping @Sendable (Engine) -> Void) {
    DispatchQueue.global().async { self.submit(body) }
  }

  /// Runs the effects that are ready, after the requests that are queued by then. Called inside.
  func workLater() { worker?.submitWork { _ in } }

  /// Runs a closure inside at the given time, unless the worker no longer exists by then.
  func submit(at time: ContinuousClock.Instant, _ body: @escaping @Sendable (Engine) -> Void) {
    let (seconds, attoseconds) = (time - .now).components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(max(0, nanoseconds))) {
      self.submit(body)
    }
  }

  /// Runs a closure inside and waits for it. A thread that is inside a worker only queues the
  /// closure, because it would wait for itself.
  func perform(_ body: @escaping @Sendable (Engine) -> Void) {
    guard !Worker.isInsideOne else {
      submit(body)
      return
    }
    try? worker?.perform { (engine) throws(ScriptError) in body(engine) }
  }

  /// ``Worker/pump(_:atMost:isStopped:until:)``, for the thread inside.
  func pump(
    _ engine: Engine, atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Worker.Pumped {
    worker?.pump(engine, atMost: nanoseconds, isStopped: isStopped, until: isDone) ?? .isStopped
  }

  /// Runs a closure inside, waits for it, and rethrows its error. Throws if the calling thread is
  /// inside a worker, because it would wait for itself. Does nothing if the worker no longer
  /// exists.
  func performOutside(
    _ body: @escaping @Sendable (Engine) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot wait for what is outside of it")
    }
    try worker?.perform(body)
  }

  /// Resumes a suspended body, after the requests that are queued by then.
  func resumeSuspended() {
    DispatchQueue.global().async { self.worker?.submitWork { $0.resumeSuspended() } }
  }

  /// Fires the timers that are due after `delay` microseconds, and runs the effects that are ready
  /// then.
  ///
  /// - Parameter time: the time for which this wake-up was requested; -1 for one without such a
  ///   time.
  func wake(at delay: Int64, _ time: Int64 = -1) {
    let nanoseconds = Int(clamping: max(0, min(delay, .max / 2000)) * 1000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      self.worker?.submitWork { $0.wake(time) }
    }
  }
}

/// The workers that use one virtual clock or stream. Adding one removes those that no longer exist.
struct WorkerLinks: Sendable {
  private(set) var all: [WorkerLink] = []

  mutating func add(_ link: WorkerLink) {
    if all.contains(where: { $0 === link }) { return }
    all.removeAll { !$0.isConnected }
    all.append(link)
  }
}

/// A worker as its owners, the host and the stores, retain it. Its `deinit` disconnects the link.
final class OwnedWorker: Sendable {
  let worker: Worker
  let link: WorkerLink

  /// - Parameter shared: the values that the stores of all workers of a host share.
  init(
    root: ScriptRoot, configuration: HostConfiguration, _ additions: EngineAdditions,
    shared: SharedValues = SharedValues(
      MemoryStorage(), MemoryDatabase(), savesInBackground: false)
  ) throws(ScriptError) {
    let link = WorkerLink()
    worker = Worker(
      try Engine(root: root, configuration: configuration, additions, shared: shared, link: link))
    self.link = link
    link.connect(worker)
    configuration.clock?.attach(link)
  }

  deinit { link.disconnect() }
}

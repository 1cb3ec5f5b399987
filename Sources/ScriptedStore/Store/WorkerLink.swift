import Dispatch
import LuaBridge
import Synchronization

/// The way into a worker for what must not keep it: timers, and tasks of effects.
///
/// Not by a weak reference: an object that has one pays for each strong one that is taken, and the worker's is
/// taken with each action.
final class WorkerLink: Sendable {
  private let reference = Mutex<Worker?>(nil)

  fileprivate func connect(_ worker: Worker) { reference.withLock { $0 = worker } }
  fileprivate func disconnect() { reference.withLock { $0 = nil } }

  private var worker: Worker? { reference.withLock { $0 } }

  /// Whether the worker is still there. Without a reference to it, which might be the last one.
  fileprivate var isConnected: Bool { reference.withLock { $0 != nil } }

  /// Does something inside, unless the worker is gone; whether it is not.
  @discardableResult
  func submit(_ job: @escaping @Sendable (Engine) -> Void) -> Bool {
    guard let worker else { return false }
    worker.submit(.perform(job))
    return true
  }

  /// Does something inside at a time, unless the worker is gone by then.
  func submit(at time: ContinuousClock.Instant, _ job: @escaping @Sendable (Engine) -> Void) {
    let (seconds, attoseconds) = (time - .now).components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(max(0, nanoseconds))) {
      self.submit(job)
    }
  }

  /// Does something inside and waits for it, but not in a reducer, which would wait for itself.
  func perform(_ job: @escaping @Sendable (Engine) -> Void) {
    guard !Worker.isInsideOne else {
      submit(job)
      return
    }
    try? worker?.perform { (engine) throws(ScriptError) in job(engine) }
  }

  /// ``Worker/pump(_:atMost:isStopped:until:)`` for the thread that is inside.
  func pump(
    _ engine: Engine, atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Worker.Pumped {
    worker?.pump(engine, atMost: nanoseconds, isStopped: isStopped, until: isDone) ?? .isStopped
  }

  /// Does something inside, waits for it, and throws what it throws; in a reducer, which would wait for itself, that it
  /// cannot. Nothing is done if the worker is gone.
  func performOutside(
    _ job: @escaping @Sendable (Engine) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot wait for what is outside of it")
    }
    try worker?.perform(job)
  }

  /// Lets an effect go on that computes for long, when what others have left until then is done.
  func resumeSuspended() {
    DispatchQueue.global().async { self.submit { $0.resumeSuspended() } }
  }

  /// Lets effects go on in so many microseconds that are due then.
  func wake(at delay: Int64, _ alarm: Int64 = -1) {
    let nanoseconds = Int(clamping: max(0, min(delay, .max / 2000)) * 1000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      self.submit { $0.wake(alarm) }
    }
  }
}

/// The workers that hear of what a test's clock or stream does; those that are gone are dropped when another one comes.
struct WorkerLinks: Sendable {
  private(set) var all: [WorkerLink] = []

  mutating func add(_ link: WorkerLink) {
    if all.contains(where: { $0 === link }) { return }
    all.removeAll { !$0.isConnected }
    all.append(link)
  }
}

/// A worker as its owners have it, the host and the stores: it goes with the last of them.
final class OwnedWorker: Sendable {
  let worker: Worker
  let link: WorkerLink

  init(root: ScriptRoot, configuration: ScriptHost.Configuration) throws(ScriptError) {
    let link = WorkerLink()
    worker = Worker(try Engine(root: root, configuration: configuration, link: link))
    self.link = link
    link.connect(worker)
    configuration.clock?.attach(link)
  }

  deinit { link.disconnect() }
}

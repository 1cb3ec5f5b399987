import CLua
import Dispatch
import LuaBridge
import Synchronization

/// One VM with its stores, and the rule by which threads enter it one at a time.
///
/// A job is a ``Worker/Job`` here, an action or a closure, and not a ``Job`` of an effect;
/// elsewhere it is called a worker job. A thread that finds the worker free runs the queued jobs
/// itself. A thread that does not leaves its job in the inbox for the thread inside.
/// ``send(_:to:)`` and ``submit(_:)`` never wait.
///
/// Invariants:
///
/// 1. At most one thread is inside: the one that changed `isTaken` from false to true in `enter()`.
///    The mutex of `engine` is free at that moment; it only gives access to the engine.
/// 2. A thread is inside at most one worker. A thread that is inside a worker only appends jobs to
///    other workers, so that two workers never wait for each other.
/// 3. `hasJobs` is true as long as `inbox` has jobs or `isReserved` is true. All three change with
///    `inbox` locked.
/// 4. No job is lost. A submitter sets `hasJobs` before it calls `enter()`; a thread that leaves
///    clears `isTaken` before it reads `hasJobs`. Both are sequentially consistent, so that at
///    least one of the two threads sees the job. Therefore each `leave()` is followed by a look at
///    `hasJobs`.
/// 5. Jobs run in the order of `inbox`. ``send(_:to:)`` passes it by only while `hasJobs` is false.
/// 6. Deliveries run outside, on one thread at a time (`isDelivering`), in the order in which they
///    came up: a thread posts those of its jobs before it leaves. So a handler of the host may do
///    anything.
/// 7. A thread does a bounded number of rounds for other threads (`mostRounds`). Then a thread of
///    the global queue continues.
///
/// The states of the worker:
///
/// ```
///   free --enter()--> taken --pump() finds no job--> asleep inside
///    ^                |   ^                             |
///    +----leave()-----+   +-----------wakePump()-----------+
/// ```
///
/// The way of a job:
///
/// ```
///   submit: append to inbox, hasJobs = true
///     |
///     +-- this thread is inside a worker --> return; finish() follows when it has left
///     v
///   finish: hasJobs?
///     |
///     +-- isReserved --> signal `turns`, the reserving thread runs the job
///     +-- enter() fails --> return; the thread inside finds hasJobs after it has left
///     v
///   inside: run all jobs of inbox, post deliveries, leave(); then finish again
/// ```
final class Worker: Sendable {
  enum Job: Sendable {
    case action(store: Int, Action, TaskToken)
    case perform(@Sendable (Engine) -> Void)
  }

  private let engine: Mutex<Engine>
  /// Whether a thread is inside (invariant 1).
  private let isTaken = Atomic<Bool>(false)
  private let inbox = Mutex<[Job]>([])
  private let hasJobs = Atomic<Bool>(false)
  /// Whether a thread in ``performNext(_:)`` is to enter next (invariant 3).
  private let isReserved = Atomic<Bool>(false)
  /// Signalled for the reserving thread, by a thread that left its jobs to it.
  private let turns = DispatchSemaphore(value: 0)
  /// Admits one thread at a time to ``performNext(_:)``.
  private let reservations = DispatchSemaphore(value: 1)
  /// Signalled by ``wakePump()`` while the thread inside is in ``pump(_:atMost:isStopped:until:)``.
  private let knocks = DispatchSemaphore(value: 0)
  /// Whether the thread inside is in ``pump(_:atMost:isStopped:until:)``.
  private let isPumping = Atomic<Bool>(false)
  /// Calls of the host's handlers, and other work for a thread that is outside.
  private let outbox = Mutex<[@Sendable () -> Void]>([])
  private let hasDeliveries = Atomic<Bool>(false)
  private let isDelivering = Atomic<Bool>(false)

  init(_ engine: consuming sending Engine) { self.engine = Mutex(engine) }

  /// Sends an action to a store. All actions of hosts come through here.
  ///
  /// If the worker is free, this thread reduces the action itself, and no job is made.
  @inline(__always)
  func send(_ action: borrowing Action, to store: StoreHandle) -> StoreTask {
    if !Worker.isInsideOne && !hasJobs.load(ordering: .sequentiallyConsistent) && enter() {
      var started: JobKey?
      let slot = store.slot
      runInside { started = $0.process(action, in: slot) }
      leave()
      finish()
      guard let started else { return StoreTask(nil) }
      return StoreTask(TaskToken(store.link, started))
    }
    let token = TaskToken(store.link)
    submit(.action(store: store.slot, copy action, token))
    return StoreTask(token)
  }

  /// Queues a job. If no thread is inside, this thread runs all queued jobs before it returns;
  /// otherwise the thread inside runs them.
  func submit(_ job: Job) {
    inbox.withLock { jobs in
      jobs.append(job)
      // An exchange and not a store: ThreadSanitizer does not understand the lock of `inbox`. A
      // read-modify-write shows it that this thread comes before the one that takes the jobs.
      _ = hasJobs.exchange(true, ordering: .sequentiallyConsistent)
    }
    wakePump()
    guard let owner = sl_current_worker() else { return finish() }
    // The calling thread is inside a worker. If it is this one, it finds the job after it has left.
    // If it is another one, a delivery there looks after this worker's jobs. The pointer is valid
    // because the thread runs a method of that worker.
    let current = Unmanaged<Worker>.fromOpaque(owner).takeUnretainedValue()
    if current !== self { current.post([{ self.finish() }]) }
  }

  /// Runs the jobs and deliveries that came up meanwhile. Must follow each `leave()` (invariant 4).
  @inline(__always)
  private func finish() {
    if hasJobs.load(ordering: .sequentiallyConsistent) { runJobs() }
    if hasDeliveries.load(ordering: .sequentiallyConsistent) { deliver() }
  }

  /// The number of rounds that a thread looks for new jobs of other threads (invariant 7). Without
  /// a bound, others could occupy it for ever.
  private static let mostRounds = 100

  private func runJobs() {
    var rounds = 0
    // Jobs can arrive while a thread is inside, after it took the inbox.
    while hasJobs.load(ordering: .sequentiallyConsistent) {
      if rounds == Worker.mostRounds { return handOver() }
      rounds += 1
      if isReserved.load(ordering: .sequentiallyConsistent) {
        turns.signal()
        return
      }
      guard enter() else { return }
      let jobs = takeJobs()
      runInside { engine in for job in jobs { engine.run(job) } }
      leave()
    }
  }

  /// Lets a thread of the global queue do the remaining work, in the same order.
  private func handOver() { DispatchQueue.global().async { self.finish() } }

  /// Takes all jobs out of the inbox.
  private func takeJobs() -> [Job] {
    inbox.withLock { jobs in
      let isReserved = isReserved.load(ordering: .sequentiallyConsistent)
      _ = hasJobs.exchange(isReserved, ordering: .sequentiallyConsistent)
      defer { jobs = [] }
      return jobs
    }
  }

  /// Whether the calling thread is inside a worker of any host.
  @inline(__always)
  static var isInsideOne: Bool { sl_current_worker() != nil }

  /// Runs `body` inside, on any thread, and waits for its result.
  ///
  /// Must not be called by a thread that is inside a worker: two such threads could wait for each
  /// other for ever.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable (Engine) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let result = ResultBox<R>()
    let done = DispatchSemaphore(value: 0)
    submit(
      .perform { engine in
        do throws(ScriptError) {
          result.set(.success(try body(engine)))
        } catch {
          result.set(.failure(error))
        }
        done.signal()
      })
    done.wait()
    return try result.get()
  }

  /// Runs `body` inside on the calling thread, once the worker is free.
  ///
  /// Must not be called by a thread that is inside a worker.
  func performHere<R>(
    _ body: (Engine) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    while !enter() {
      let turn = DispatchSemaphore(value: 0)
      submit(.perform { _ in turn.signal() })
      turn.wait()
    }
    var result: Result<R, ScriptError>?
    runInside { engine in
      do throws(ScriptError) {
        result = .success(try body(engine))
      } catch {
        result = .failure(error)
      }
    }
    leave()
    finish()
    guard let result else { throw ScriptError("the host was closed") }
    return try result.get()
  }

  /// Runs `body` inside on the calling thread, before all jobs that are submitted from now on.
  /// Other threads leave their jobs and do not wait; only ``performHere(_:)`` may still come first.
  ///
  /// Jobs that are queued when `body` has run, run after it on this thread. Another thread runs
  /// later ones, because there may be no end to them. Must not be called by a thread that is inside
  /// a worker.
  func performNext(_ body: (Engine) -> Void) {
    reservations.wait()
    defer { reservations.signal() }
    inbox.withLock { _ in
      isReserved.store(true, ordering: .sequentiallyConsistent)
      hasJobs.store(true, ordering: .sequentiallyConsistent)
    }
    while !enter() { turns.wait() }
    inbox.withLock { _ in isReserved.store(false, ordering: .sequentiallyConsistent) }
    runInside { engine in
      body(engine)
      for job in takeJobs() { engine.run(job) }
    }
    leave()
    if hasDeliveries.load(ordering: .sequentiallyConsistent) { deliver(rounds: 1) }
    if hasJobs.load(ordering: .sequentiallyConsistent)
      || hasDeliveries.load(ordering: .sequentiallyConsistent)
    {
      handOver()
    }
  }

  // MARK: Waiting inside

  /// How a wait of the thread inside ended.
  enum Pumped {
    case isDone
    case timeIsOver
    /// `isStopped` returned true after a ``wakePump()``.
    case isStopped
  }

  /// Runs the jobs of other threads while the calling thread is inside, and sleeps while there are
  /// none, until `isDone` or `isStopped` returns true. Both are called after each batch of jobs and
  /// each ``wakePump()``.
  ///
  /// - Parameter nanoseconds: the longest time to wait; nil for any time.
  func pump(
    _ engine: Engine, atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Pumped {
    // At most 2^61 ns (73 years), because a larger sum would overflow.
    let end =
      nanoseconds.map { .now() + .nanoseconds(Int(min($0, 1 << 61))) } ?? DispatchTime.distantFuture
    let isNested = isPumping.exchange(true, ordering: .sequentiallyConsistent)
    defer { isPumping.store(isNested, ordering: .sequentiallyConsistent) }
    while true {
      while hasJobs.load(ordering: .sequentiallyConsistent) && !isStopped() && !isDone() {
        for job in takeJobs() { engine.run(job) }
      }
      if isDone() { return .isDone }
      if isStopped() { return .isStopped }
      if knocks.wait(timeout: end) == .timedOut { return isDone() ? .isDone : .timeIsOver }
    }
  }

  /// Wakes the thread in ``pump(_:atMost:isStopped:until:)``, if there is one, so that it calls
  /// `isDone` and `isStopped` again.
  func wakePump() {
    if isPumping.load(ordering: .sequentiallyConsistent) { knocks.signal() }
  }

  @inline(__always)
  private func enter() -> Bool {
    let (exchanged, _) = isTaken.compareExchange(
      expected: false, desired: true, ordering: .sequentiallyConsistent)
    if exchanged { sl_set_current_worker(Unmanaged.passUnretained(self).toOpaque()) }
    return exchanged
  }

  @inline(__always)
  private func leave() {
    sl_set_current_worker(nil)
    isTaken.store(false, ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  private func runInside(_ body: (Engine) -> Void) {
    let deliveries = engine.withLock { engine in
      body(engine)
      return engine.takeDeliveries()
    }
    // Posted before another thread can enter, so that deliveries stay in order (invariant 6).
    if !deliveries.isEmpty { post(deliveries) }
  }

  /// Adds deliveries for a thread that is outside.
  private func post(_ deliveries: [@Sendable () -> Void]) {
    outbox.withLock { $0 += deliveries }
    hasDeliveries.store(true, ordering: .sequentiallyConsistent)
  }

  /// Runs the deliveries, unless a thread already does. That may be this thread, further up its
  /// stack.
  ///
  /// - Parameter rounds: how often it looks for new deliveries, before another thread takes over.
  private func deliver(rounds: Int = mostRounds) {
    var left = rounds
    while hasDeliveries.load(ordering: .sequentiallyConsistent),
      !isDelivering.exchange(true, ordering: .sequentiallyConsistent)
    {
      while left > 0 {
        left -= 1
        let deliveries = outbox.withLock { outbox in
          hasDeliveries.store(false, ordering: .sequentiallyConsistent)
          defer { outbox = [] }
          return outbox
        }
        if deliveries.isEmpty { break }
        for deliver in deliveries { deliver() }
      }
      isDelivering.store(false, ordering: .sequentiallyConsistent)
      if left == 0 {
        if hasDeliveries.load(ordering: .sequentiallyConsistent) { handOver() }
        return
      }
    }
  }
}

/// Carries a result from the thread inside to the thread that waits for it.
private final class ResultBox<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, ScriptError>?>(nil)

  func set(_ new: Result<R, ScriptError>) { result.withLock { $0 = new } }

  func get() throws(ScriptError) -> R {
    guard let result = result.withLock({ $0 }) else {
      throw ScriptError("the host was closed")
    }
    return try result.get()
  }
}

import CLua
import Dispatch
import LuaBridge
import Synchronization

/// One VM with its stores, and the rule by which threads take turns in it: who finds it free runs what is
/// queued; who does not leaves its job to the one inside. Nobody waits.
///
/// Whoever is inside only enqueues, on any worker, so no thread is ever inside two. Handlers of hosts run
/// outside, one at a time and in order, so they may do anything.
final class Worker: Sendable {
  enum Job: Sendable {
    case action(store: Int, Action, TaskToken)
    case perform(@Sendable (Engine) -> Void)
  }

  private let engine: Mutex<Engine>
  /// Whether a thread is inside. It decides who may enter; the mutex, which is free then, gives access.
  private let isTaken = Atomic<Bool>(false)
  private let inbox = Mutex<[Job]>([])
  private let hasJobs = Atomic<Bool>(false)
  /// Whether a thread waits that is to be the next inside. Changes with the inbox locked; there are jobs, as others
  /// see it, as long as it is so.
  private let isReserved = Atomic<Bool>(false)
  /// Signalled when the thread inside has left while somebody waits so.
  private let turns = DispatchSemaphore(value: 0)
  /// Those who want to be next, one at a time.
  private let reservations = DispatchSemaphore(value: 1)
  /// Signalled when a job comes while the thread inside waits for one.
  private let knocks = DispatchSemaphore(value: 0)
  private let isPumping = Atomic<Bool>(false)
  private let outbox = Mutex<[@Sendable () -> Void]>([])
  private let hasDeliveries = Atomic<Bool>(false)
  private let isDelivering = Atomic<Bool>(false)

  init(_ engine: consuming sending Engine) { self.engine = Mutex(engine) }

  /// Sends an action to a store: the way of every action.
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

  /// Runs the job now if the VM is free, and what others queued meanwhile; else leaves it to the thread
  /// inside.
  func submit(_ job: Job) {
    inbox.withLock { jobs in
      jobs.append(job)
      // An exchange, as ThreadSanitizer does not see that who takes the jobs had to wait for this lock.
      _ = hasJobs.exchange(true, ordering: .sequentiallyConsistent)
    }
    knock()
    guard let owner = sl_inside() else { return finish() }
    // It sees to the jobs of the worker that it is inside of before it goes, and to others' from outside.
    // The worker is alive: the thread is running a method of it.
    let current = Unmanaged<Worker>.fromOpaque(owner).takeUnretainedValue()
    if current !== self { current.post([{ self.finish() }]) }
  }

  /// What has to be done before a thread goes: jobs and deliveries that came up meanwhile.
  @inline(__always)
  private func finish() {
    if hasJobs.load(ordering: .sequentiallyConsistent) { runJobs() }
    if hasDeliveries.load(ordering: .sequentiallyConsistent) { deliver() }
  }

  /// How often a thread looks for what others have left meanwhile, before it leaves the rest to a thread that has nothing
  /// else to do: others may go on leaving jobs for ever.
  private static let mostRounds = 100

  private func runJobs() {
    var rounds = 0
    // What came while somebody was inside and saw no jobs yet.
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

  /// Lets another thread do what is left, in the same order.
  private func handOver() { DispatchQueue.global().async { self.finish() } }

  private func takeJobs() -> [Job] {
    inbox.withLock { jobs in
      let isReserved = isReserved.load(ordering: .sequentiallyConsistent)
      _ = hasJobs.exchange(isReserved, ordering: .sequentiallyConsistent)
      defer { jobs = [] }
      return jobs
    }
  }

  /// Whether the calling thread is inside a worker, of whatever host.
  @inline(__always)
  static var isInsideOne: Bool { sl_inside() != nil }

  /// Runs `body` inside and waits for its result. Not for a thread that is inside a worker: two that wait for
  /// each other would do so for ever.
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

  /// Runs `body` inside on this very thread, when those have gone who are inside now.
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

  /// Runs `body` inside on this very thread, before anybody else who comes from now on: they leave their jobs and do
  /// not wait. Jobs that are there then are done as well; those that come meanwhile by another thread, as there may be no
  /// end to them. Not for a thread that is inside a worker.
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

  /// How a wait of the thread inside has ended.
  enum Pumped {
    case isDone
    case timeIsOver
    /// Somebody knocked who does not want it to go on.
    case isStopped
  }

  /// For the thread inside: does what others leave to be done, and sleeps while there is nothing, until `isDone` or
  /// `isStopped`, which are asked after each job and each ``knock()``.
  ///
  /// - Parameter nanoseconds: how long at most; nil for any time.
  func pump(
    _ engine: Engine, atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Pumped {
    // A century at most, as more would be too much for the sum.
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

  /// Makes the thread that waits inside, if one does, look whether it still has to.
  func knock() {
    if isPumping.load(ordering: .sequentiallyConsistent) { knocks.signal() }
  }

  @inline(__always)
  private func enter() -> Bool {
    let (exchanged, _) = isTaken.compareExchange(
      expected: false, desired: true, ordering: .sequentiallyConsistent)
    if exchanged { sl_set_inside(Unmanaged.passUnretained(self).toOpaque()) }
    return exchanged
  }

  @inline(__always)
  private func leave() {
    sl_set_inside(nil)
    isTaken.store(false, ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  private func runInside(_ body: (Engine) -> Void) {
    let deliveries = engine.withLock { engine in
      body(engine)
      return engine.takeDeliveries()
    }
    // Before anybody else can enter, so that handlers hear in order.
    if !deliveries.isEmpty { post(deliveries) }
  }

  /// Leaves something to do for a thread that is outside.
  private func post(_ deliveries: [@Sendable () -> Void]) {
    outbox.withLock { $0 += deliveries }
    hasDeliveries.store(true, ordering: .sequentiallyConsistent)
  }

  /// Calls hosts' handlers, unless a thread is at it already (this one too, further up its stack).
  ///
  /// - Parameter rounds: how often it looks for those that come up meanwhile, before another thread has to.
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

/// Carries a result from the thread that is inside to the one that waits.
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

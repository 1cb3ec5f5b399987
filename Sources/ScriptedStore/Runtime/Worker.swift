import Dispatch
import LuaBridge
import Synchronization

/// One VM with its stores, which threads enter one at a time through a ``Turnstile``.
///
/// ``send(_:to:)`` and ``submit(_:)`` never wait. A thread that finds the worker free runs the
/// queued requests itself; a thread that does not leaves its request to the thread inside.
///
/// Invariants:
///
/// 1. A thread is inside at most one worker. A thread that is inside a worker only appends requests to
///    other workers, so that two workers never wait for each other.
/// 2. Each `leave()` is followed by `finish()`, which looks for requests that came meanwhile (invariant
///    3 of ``Turnstile``).
/// 3. Requests run in the order in which they were appended. ``send(_:to:)`` passes the inbox by only
///    while it is empty.
/// 4. Deliveries are posted before the thread leaves, and run outside (``Outbox``). So a handler of
///    the host may do anything.
/// 5. A thread does a bounded number of rounds for other threads (`mostRounds`). Then a thread of
///    the global queue continues.
///
/// The way of a request:
///
/// ```
///   submit: append to the inbox
///     |
///     +-- this thread is inside a worker --> return; finish() follows when it has left
///     v
///   finish: are there requests?
///     |
///     +-- a thread is to be next --> wake it, it runs the request
///     +-- another thread is inside --> return; that one finds the request after it has left
///     v
///   inside: run all requests of the inbox, post deliveries, leave(); then finish again
/// ```
final class Worker: Sendable {
  /// Work for the thread inside.
  enum Request: Sendable {
    case action(store: Int, Action, transaction: Value?, TaskToken)
    case perform(@Sendable (Engine) -> Void)
  }

  private let engine: Mutex<Engine>
  private let turnstile = Turnstile<Request>()
  /// Calls of the host's handlers, and other work for a thread that is outside.
  private let outbox = Outbox()

  init(_ engine: consuming sending Engine) { self.engine = Mutex(engine) }

  /// Sends an action to a store. All actions of hosts come through here.
  ///
  /// If the worker is free, this thread reduces the action itself, and no request is made.
  @inline(__always)
  func send(
    _ action: borrowing Action, to store: StoreHandle, transaction: Value? = nil
  ) -> StoreTask {
    if !Worker.isInsideOne && !turnstile.hasRequests && enter() {
      var started: JobKey?
      let slot = store.slot
      runInside { started = $0.process(action, in: slot, transaction: transaction) }
      leave()
      finish()
      guard let started else { return StoreTask(nil) }
      return StoreTask(TaskToken(store.link, started))
    }
    let token = TaskToken(store.link)
    submit(.action(store: store.slot, copy action, transaction: transaction, token))
    return StoreTask(token)
  }

  /// Queues a request. If no thread is inside, this thread runs all queued requests before it returns;
  /// otherwise the thread inside runs them.
  func submit(_ request: Request) {
    turnstile.append(request)
    guard let owner = ThreadLocals.worker else { return finish() }
    // The calling thread is inside a worker. If it is this one, it finds the request after it has left.
    // If it is another one, a delivery there looks after this worker's requests. The pointer is valid
    // because the thread runs a method of that worker.
    let current = Unmanaged<Worker>.fromOpaque(owner).takeUnretainedValue()
    if current !== self { current.outbox.post([{ self.finish() }]) }
  }

  /// Runs the requests and deliveries that came up meanwhile. Must follow each `leave()` (invariant 2).
  @inline(__always)
  private func finish() {
    if turnstile.hasRequests { runRequests() }
    if outbox.hasDeliveries { deliver() }
  }

  /// The number of rounds that a thread looks for new requests of other threads (invariant 5). Without
  /// a bound, others could occupy it for ever.
  private static let mostRounds = 100

  private func runRequests() {
    var rounds = 0
    // Requests can arrive while a thread is inside, after it took the inbox.
    while turnstile.hasRequests {
      if rounds == Worker.mostRounds { return handOver() }
      rounds += 1
      if turnstile.wakeReserver() { return }
      guard enter() else { return }
      let requests = turnstile.takeRequests()
      runInside { engine in for request in requests { engine.run(request) } }
      leave()
    }
  }

  /// Lets a thread of the global queue do the remaining work, in the same order.
  private func handOver() { DispatchQueue.global().async { self.finish() } }

  /// Whether the calling thread is inside a worker of any host.
  @inline(__always)
  static var isInsideOne: Bool { ThreadLocals.worker != nil }

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

  /// Runs `body` inside on the calling thread, before all requests that are submitted from now on.
  /// Other threads leave their requests and do not wait; only ``performHere(_:)`` may still come first.
  ///
  /// Requests that are queued when `body` has run, run after it on this thread. Another thread runs
  /// later ones, because there may be no end to them. Must not be called by a thread that is inside
  /// a worker.
  func performNext(_ body: (Engine) -> Void) {
    turnstile.reserved { enter() }
    runInside { engine in
      body(engine)
      for request in turnstile.takeRequests() { engine.run(request) }
    }
    leave()
    if outbox.hasDeliveries { deliver(rounds: 1) }
    if turnstile.hasRequests || outbox.hasDeliveries { handOver() }
  }

  // MARK: Waiting inside

  /// How a wait of the thread inside ended.
  enum Pumped {
    case isDone
    case timeIsOver
    /// `isStopped` returned true after a ``wakePump()``.
    case isStopped
  }

  /// Runs the requests of other threads while the calling thread is inside, and sleeps while there are
  /// none, until `isDone` or `isStopped` returns true. Both are called after each batch of requests and
  /// each ``wakePump()``.
  ///
  /// - Parameter nanoseconds: the longest time to wait; nil for any time.
  func pump(
    _ engine: Engine, atMost nanoseconds: Int64?, isStopped: () -> Bool, until isDone: () -> Bool
  ) -> Pumped {
    // At most 2^61 ns (73 years), because a larger sum would overflow.
    let end =
      nanoseconds.map { .now() + .nanoseconds(Int(min($0, 1 << 61))) } ?? DispatchTime.distantFuture
    return turnstile.pumping {
      while true {
        while turnstile.hasRequests && !isStopped() && !isDone() {
          for request in turnstile.takeRequests() { engine.run(request) }
        }
        if isDone() { return .isDone }
        if isStopped() { return .isStopped }
        if !turnstile.sleep(until: end) { return isDone() ? .isDone : .timeIsOver }
      }
    }
  }

  /// Wakes the thread in ``pump(_:atMost:isStopped:until:)``, if there is one, so that it calls
  /// `isDone` and `isStopped` again.
  func wakePump() { turnstile.wakePump() }

  @inline(__always)
  private func enter() -> Bool {
    guard turnstile.enter() else { return false }
    ThreadLocals.worker = Unmanaged.passUnretained(self).toOpaque()
    return true
  }

  @inline(__always)
  private func leave() {
    ThreadLocals.worker = nil
    turnstile.leave()
  }

  @inline(__always)
  private func runInside(_ body: (Engine) -> Void) {
    let deliveries = engine.withLock { engine in
      body(engine)
      return engine.takeDeliveries()
    }
    // Posted before another thread can enter, so that deliveries stay in order (invariant 4).
    if !deliveries.isEmpty { outbox.post(deliveries) }
  }

  /// Runs the deliveries. Another thread takes over after so many rounds.
  private func deliver(rounds: Int = mostRounds) {
    if outbox.run(rounds: rounds) { handOver() }
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

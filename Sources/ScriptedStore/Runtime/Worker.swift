import Dispatch
import LuaBridge
import Synchronization

/// One VM with its stores, which threads enter one at a time through a ``Turnstile``.
///
/// ``send(_:to:)`` and ``submit(_:)`` never wait. A thread that finds the worker free runs its request at once; a thread
/// that does not leaves its request to the thread inside.
///
/// Invariants:
///
/// 1. A thread is inside at most one worker. A thread that is inside a worker only appends requests to
///    other workers, so that two workers never wait for each other.
/// 2. Each `leave()` is followed by `finish()`, here or on another thread (`handOver()`). It looks for requests that came
///    meanwhile (invariant 3 of ``Turnstile``).
/// 3. Requests run in the order in which they were appended. A request passes the inbox by only while it is empty.
/// 4. Deliveries are posted before the thread leaves, and run outside (``Outbox``). So a handler of
///    the host may do anything.
/// 5. A thread runs all requests that it has appended itself. Of those of other threads it runs `mostOfOthers`; then
///    a thread of the global queue continues. So a thread that sends returns, whatever others do.
/// 6. A request runs with the task-local values of the thread that appended it, and so do the handlers that hear of it.
///
/// The way of a request:
///
/// ```
///   submit: is the worker free, and its inbox empty?
///     |
///     +-- yes --> inside: run the request, post deliveries, leave(); then finish
///     v
///   append to the inbox
///     |
///     +-- this thread is inside a worker --> return; finish() follows when it has left
///     v
///   finish: are there requests?
///     |
///     +-- a thread is to be next --> wake it, it runs the request
///     +-- another thread is inside --> return; that one finds the request after it has left
///     v
///   inside: run the requests of the inbox, post deliveries, leave(); then finish again
///     |
///     +-- nothing is left --> make the deliveries
/// ```
final class Worker: Sendable {
  /// Work for the thread inside.
  enum Request: Sendable {
    case action(store: Int, Action, transaction: Value?, TaskToken)
    case perform(@Sendable (Engine) -> Void)
    /// Cancels all effects of a store, and removes its core.
    case close(store: Int)
  }

  /// A request in the inbox.
  private struct Queued: Sendable {
    let request: Request
    /// Those of the thread that appended it.
    let locals = TaskLocals()
    /// The thread that appended it; 0 for turns of effects that none has come for.
    let thread: ThreadID
  }

  private let engine: Mutex<Engine>
  private let turnstile = Turnstile<Queued>()
  /// Other workers that the thread inside has appended requests to. It looks after them when it has left.
  private let others = Mutex<[Worker]>([])
  private let hasOthers = Atomic<Bool>(false)

  init(_ engine: consuming sending Engine) { self.engine = Mutex(engine) }

  /// Sends an action to a store. All actions of hosts come through here.
  ///
  /// If the worker is free, this thread reduces the action itself, and no request is made.
  @inline(__always)
  func send(
    _ action: borrowing Action, to store: StoreHandle, transaction: Value? = nil
  ) -> TaskToken? {
    if enterIfFree() {
      var started: JobKey?
      let slot = store.slot
      let deliveries = runInside {
        started = $0.process(action, in: slot, transaction: transaction)
      }
      leave()
      finish(deliveries)
      return started.map { TaskToken(store.link, $0) }
    }
    let token = TaskToken(store.link)
    append(.action(store: store.slot, copy action, transaction: transaction, token))
    return token
  }

  /// Runs a request, or queues it. If no thread is inside, this thread runs it before it returns; otherwise the thread
  /// inside does.
  func submit(_ request: Request) { submit(request, by: currentThread()) }

  /// Runs or queues turns of effects, for which a thread that came for something else does not stay long.
  func submitWork(_ body: @escaping @Sendable (Engine) -> Void) { submit(.perform(body), by: 0) }

  private func submit(_ request: Request, by thread: ThreadID) {
    guard enterIfFree() else { return append(request, by: thread) }
    let deliveries = runInside { $0.run(request) }
    leave()
    finish(deliveries)
  }

  private func append(_ request: Request, by thread: ThreadID = currentThread()) {
    turnstile.append(Queued(request: request, thread: thread))
    guard let owner = ThreadLocals.worker else { return finish(Deliveries()) }
    // The calling thread is inside a worker. If it is this one, it finds the request after it has left.
    // If it is another one, it looks after this worker's requests when it has left that one. The pointer is valid
    // because the thread runs a method of that worker.
    let current = Unmanaged<Worker>.fromOpaque(owner).takeUnretainedValue()
    if current !== self { current.lookAfter(self) }
  }

  private func lookAfter(_ other: Worker) {
    others.withLock { others in
      if !others.contains(where: { $0 === other }) { others.append(other) }
      _ = hasOthers.exchange(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Runs the requests that came up meanwhile, also those for other workers, and then makes the deliveries. Must follow
  /// each `leave()` (invariant 2).
  @inline(__always)
  private func finish(_ deliveries: Deliveries) {
    var deliveries = deliveries
    if turnstile.hasRequests { runRequests(after: &deliveries) }
    // Before the deliveries, because a handler may wait for what the other workers have to do.
    if hasOthers.load(ordering: .sequentiallyConsistent) { finishOthers() }
    deliveries.make()
  }

  private func finishOthers() {
    let others = others.withLock { others in
      _ = hasOthers.exchange(false, ordering: .sequentiallyConsistent)
      defer { others = [] }
      return others
    }
    for other in others { other.finish(Deliveries()) }
  }

  /// The number of requests of other threads that a thread runs (invariant 5): some 10 ms of small actions.
  static let mostOfOthers = 2_000
  /// As how many requests turns of effects count: one is up to 10,000 turns (``EffectRunner/run()``).
  private static let lengthOfWork = 20

  private func runRequests(after deliveries: inout Deliveries) {
    var ofOthers = 0
    // Requests can arrive while a thread is inside, after it took the inbox.
    while turnstile.hasRequests {
      if turnstile.wakeReserver() { break }
      guard enter() else { break }
      var isFinished = true
      let new = runInside(claims: deliveries.isEmpty) {
        isFinished = run(turnstile.takeRequests(), in: $0, &ofOthers)
      }
      leave()
      deliveries.append(new)
      if !isFinished {
        handOver()
        break
      }
    }
  }

  /// Runs requests on the thread inside. Returns false if it has put some back, because they are of other threads, and
  /// this thread has run enough of these.
  private func run(_ requests: [Queued], in engine: Engine, _ ofOthers: inout Int) -> Bool {
    let thread = currentThread()
    let lastOwn = requests.lastIndex { $0.thread == thread } ?? -1
    for (index, queued) in requests.enumerated() {
      if queued.thread != thread {
        if ofOthers >= Worker.mostOfOthers && index > lastOwn {
          turnstile.putBack(requests[index...])
          return false
        }
        ofOthers += queued.thread == 0 ? Worker.lengthOfWork : 1
      }
      engine.run(queued.request, with: queued.locals)
    }
    return true
  }

  /// Lets a thread of the global queue do the remaining work, in the same order.
  private func handOver() {
    DispatchQueue.global().async { self.finish(Deliveries()) }
  }

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
    let result = Mutex<Result<R, ScriptError>>(.failure(ScriptError("the host was closed")))
    let done = DispatchSemaphore(value: 0)
    submit(
      .perform { engine in
        let outcome = Result { () throws(ScriptError) in try body(engine) }
        result.withLock { $0 = outcome }
        done.signal()
      })
    done.wait()
    return try result.withLock { $0 }.get()
  }

  /// ``perform(_:)`` without blocking the thread.
  func performAsynchronously<R: Sendable>(
    _ body: @escaping @Sendable (Engine) throws(ScriptError) -> R
  ) async throws(ScriptError) -> R {
    let result: Result<R, ScriptError> = await withCheckedContinuation { continuation in
      submit(
        .perform { engine in
          continuation.resume(returning: Result { () throws(ScriptError) in try body(engine) })
        })
    }
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
    var result = Result<R, ScriptError>.failure(ScriptError("the host was closed"))
    let deliveries = runInside { engine in
      result = Result { () throws(ScriptError) in try body(engine) }
    }
    leave()
    finish(deliveries)
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
    let deliveries = runInside { engine in
      body(engine)
      for queued in turnstile.takeRequests() { engine.run(queued.request, with: queued.locals) }
    }
    leave()
    // Before the deliveries, because a handler may wait for what came meanwhile.
    if turnstile.hasRequests || hasOthers.load(ordering: .sequentiallyConsistent) { handOver() }
    deliveries.make()
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
    // What this thread has started keeps its own task-local values.
    engine.locals.keep()
    return turnstile.pumping {
      while true {
        while turnstile.hasRequests && !isStopped() && !isDone() {
          for queued in turnstile.takeRequests() { engine.run(queued.request, with: queued.locals) }
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

  /// Whether the calling thread is inside from now on, because it is inside of no worker, and nothing waits for its turn.
  @inline(__always)
  private func enterIfFree() -> Bool {
    !Worker.isInsideOne && !turnstile.hasRequests && enter()
  }

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

  /// Runs `body` inside. Returns what the thread has to deliver when it has left.
  @inline(__always)
  private func runInside(claims: Bool = true, _ body: (Engine) -> Void) -> Deliveries {
    let deliveries = engine.withLock { engine in
      body(engine)
      engine.locals.keep()
      return engine.takeDeliveries()
    }
    // Posted before another thread can enter, so that deliveries stay in order (invariant 4).
    return deliveries.isEmpty ? Deliveries() : Deliveries(posting: deliveries, claims: claims)
  }
}

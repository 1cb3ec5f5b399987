import Dispatch
import Platform
import Synchronization

/// Calls of the host's handlers that one thread at a time makes, outside of the ``Worker``, in the order in which they
/// were posted. A store has one, so that a handler that takes long delays no other store; each stream has one.
///
/// ```
///         post, claims                      run, nothing left
///   free --------------> taken by a thread -------------------> free
///    |                     ^
///    +---post---> has calls +--- run, by whichever thread comes first
/// ```
///
/// 1. `thread` makes the calls; others only append. It is 0 if no thread does.
/// 2. A call without ``Delivery/locals`` is made by the thread that posted it.
/// 3. A thread makes all calls that it has posted itself, also those that it posts while it makes others. Of those of
///    other threads it makes ``Worker/mostOfOthers``; then a thread of the global queue goes on.
final class Outbox: Sendable {
  private struct State {
    var calls: [Delivery] = []
    var thread: ThreadID = 0
  }

  private let state = Mutex(State())
  /// ThreadSanitizer does not understand the lock of `state`. A read-modify-write inside it shows the order of threads.
  private let turns = Atomic<Int>(0)
  /// Whether a call may take long: it is a handler of the host, and no end of a wait.
  let mayBlock: Bool

  init(mayBlock: Bool = true) { self.mayBlock = mayBlock }

  /// Appends calls.
  ///
  /// - Parameter claims: whether the calling thread wants to make them itself.
  /// - Returns: whether the calling thread is the one that makes calls from now on, and must call ``run(isClaimed:)``.
  func post(_ new: [Delivery], claims: Bool) -> Bool {
    let thread = currentThread()
    return withState { state in
      if claims && state.thread == 0 {
        state.thread = thread
        state.calls += new
        return true
      }
      for var delivery in new {
        // Made by another thread, or by this one further up its stack, where other values may be in force.
        if delivery.locals == nil { delivery.locals = TaskLocals() }
        state.calls.append(delivery)
      }
      return false
    }
  }

  /// Makes the calls until none is left, unless another thread does. That may be this thread, further up its stack.
  func run(isClaimed: Bool) {
    let thread = currentThread()
    let isMine = withState { state in
      if isClaimed { return true }
      guard state.thread == 0 && !state.calls.isEmpty else { return false }
      state.thread = thread
      return true
    }
    if isMine { run(on: thread) }
  }

  private func withState<R: Sendable>(_ body: (inout State) -> R) -> R {
    state.withLock { state in
      turns.wrappingAdd(1, ordering: .acquiringAndReleasing)
      return body(&state)
    }
  }

  private func run(on thread: ThreadID) {
    var ofOthers = 0
    while let calls = takeCalls() {
      var lastOwn = calls.lastIndex { $0.thread == thread } ?? -1
      for (index, call) in calls.enumerated() {
        if call.thread != thread {
          if ofOthers >= Worker.mostOfOthers && index > lastOwn {
            if handOver(calls[index...], from: thread) { return }
            // A call of this thread has come meanwhile. It is in the next batch, so this batch is made to its end.
            lastOwn = calls.count
          }
          ofOthers += 1
        }
        call.make()
      }
    }
  }

  /// Takes all calls. If there are none, no thread makes calls from now on.
  private func takeCalls() -> [Delivery]? {
    withState { state in
      if state.calls.isEmpty {
        state.thread = 0
        return nil
      }
      defer { state.calls = [] }
      return state.calls
    }
  }

  /// Lets a thread of the global queue make the calls, which are of other threads, unless this thread has posted some
  /// meanwhile. Returns whether it does.
  private func handOver(_ calls: ArraySlice<Delivery>, from thread: ThreadID) -> Bool {
    let isHandedOver = withState { state in
      if state.calls.contains(where: { $0.thread == thread }) { return false }
      state.calls.insert(contentsOf: calls, at: 0)
      state.thread = 0
      return true
    }
    if isHandedOver { DispatchQueue.global().async { self.run(isClaimed: false) } }
    return isHandedOver
  }
}

/// A call of a handler of the host.
struct Delivery: Sendable {
  let outbox: Outbox
  /// The task-local values of the action that it is about; nil for those of the thread that posts it.
  var locals: TaskLocals?
  /// The thread that has posted it.
  let thread = currentThread()
  let call: @Sendable () -> Void

  func make() {
    if let locals { locals.run(call) } else { call() }
  }
}

/// The calls that were made necessary inside a worker: the worker posts them when the thread inside leaves.
final class PendingDeliveries {
  private var calls: [Delivery] = []
  /// Asked after each action, for which the list would take a dynamic exclusivity check.
  private(set) var isEmpty = true
  /// Calls of handlers that belong to no store.
  let ofHost = Outbox()
  /// What other threads have to do when this one has left: otherwise this one would do it. It waits for no handler.
  let wakeUps = Outbox(mayBlock: false)

  /// - Parameters:
  ///   - outbox: that of the store whose handler is called; nil if it belongs to none.
  ///   - locals: nil if they are those of the thread that will post it.
  func add(
    _ call: @escaping @Sendable () -> Void, to outbox: Outbox?, with locals: TaskLocals?
  ) {
    isEmpty = false
    calls.append(Delivery(outbox: outbox ?? ofHost, locals: locals, call: call))
  }

  func take() -> [Delivery] {
    isEmpty = true
    defer { calls = [] }
    return calls
  }
}

/// The outboxes with calls that a thread has posted inside a worker, and has to make when it has left: first those that
/// cannot block, then the others in the order in which they were posted.
struct Deliveries {
  private var posted: [(outbox: Outbox, isClaimed: Bool)] = []

  init() {}

  var isEmpty: Bool { posted.isEmpty }

  /// Posts calls of the thread inside, before another thread can enter, so that they stay in order.
  ///
  /// - Parameter claims: whether this thread makes the calls of the first outbox with handlers itself. Of the others none
  ///   is claimed: while its handlers run, another thread may come for the rest.
  init(posting new: [Delivery], claims: Bool) {
    var claims = claims
    for calls in Deliveries.byOutbox(new) {
      let outbox = calls[0].outbox
      let wants = claims || !outbox.mayBlock
      let isClaimed = outbox.post(calls, claims: wants)
      // Another thread that makes calls makes these, too.
      if isClaimed || !wants { posted.append((outbox, isClaimed)) }
      if outbox.mayBlock { claims = false }
    }
  }

  private static func byOutbox(_ new: [Delivery]) -> [[Delivery]] {
    if let first = new.first, new.allSatisfy({ $0.outbox === first.outbox }) { return [new] }
    var indices: [ObjectIdentifier: Int] = [:]
    var calls: [[Delivery]] = []
    for delivery in new {
      let id = ObjectIdentifier(delivery.outbox)
      if let index = indices[id] {
        calls[index].append(delivery)
      } else {
        indices[id] = calls.count
        calls.append([delivery])
      }
    }
    return calls
  }

  /// Adds what the thread has posted later.
  mutating func append(_ new: Deliveries) { posted += new.posted }

  /// Makes the calls. The thread has left the worker.
  func make() {
    if isEmpty { return }
    for (outbox, isClaimed) in posted where !outbox.mayBlock { outbox.run(isClaimed: isClaimed) }
    for (outbox, isClaimed) in posted where outbox.mayBlock { outbox.run(isClaimed: isClaimed) }
  }
}

/// Identifies a thread while it runs; never 0.
typealias ThreadID = UInt

@inline(__always)
func currentThread() -> ThreadID {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}

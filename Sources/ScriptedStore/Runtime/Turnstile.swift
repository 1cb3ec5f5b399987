import Dispatch
import Synchronization

/// Lets threads into a ``Worker`` one at a time, and holds the requests of those that find it taken.
///
/// Invariants:
///
/// 1. At most one thread is inside: the one whose ``enter()`` returned true.
/// 2. ``hasRequests`` is true as long as the inbox has requests or a thread has reserved the next entry. All
///    three change with the inbox locked.
/// 3. No request is lost. A thread appends its request before it tries to enter; a thread that leaves does
///    so before it reads ``hasRequests``. Both are sequentially consistent, so at least one of the two
///    threads sees the request. Therefore a look at ``hasRequests`` must follow each ``leave()``.
///
/// The states:
///
/// ```
///          enter()                 pumping, no requests
///   free ------------> taken <------------------------> asleep inside
///    ^                   |        append, wakePump
///    +-----leave()-------+
/// ```
///
/// While a thread has reserved the next entry, those that append requests do not enter but wake it
/// (``wakeReserver()``).
struct Turnstile<Request: Sendable>: ~Copyable, Sendable {
  /// Whether a thread is inside (invariant 1).
  private let isTaken = Atomic<Bool>(false)
  private let inbox = Mutex<[Request]>([])
  private let mayHaveRequests = Atomic<Bool>(false)
  /// Whether a thread in ``reserved(_:)`` is to enter next (invariant 2).
  private let isReserved = Atomic<Bool>(false)
  /// Wakes the thread in ``reserved(_:)``.
  private let reserverWakeUps = DispatchSemaphore(value: 0)
  /// Admits one thread at a time to ``reserved(_:)``.
  private let reservations = DispatchSemaphore(value: 1)
  /// Whether the thread inside is in ``pumping(_:)``.
  private let isPumping = Atomic<Bool>(false)
  /// Wakes the thread in ``sleep(until:)``.
  private let pumpWakeUps = DispatchSemaphore(value: 0)

  /// Whether the calling thread is inside from now on.
  @inline(__always)
  func enter() -> Bool {
    isTaken.compareExchange(
      expected: false, desired: true, ordering: .sequentiallyConsistent
    ).exchanged
  }

  @inline(__always)
  func leave() { isTaken.store(false, ordering: .sequentiallyConsistent) }

  // MARK: Requests

  /// Whether there are requests, or a thread has reserved the next entry.
  @inline(__always)
  var hasRequests: Bool { mayHaveRequests.load(ordering: .sequentiallyConsistent) }

  func append(_ request: Request) {
    inbox.withLock { requests in
      requests.append(request)
      // An exchange and not a store: ThreadSanitizer does not understand the lock of `inbox`. A
      // read-modify-write shows it that this thread comes before the one that takes the requests.
      _ = mayHaveRequests.exchange(true, ordering: .sequentiallyConsistent)
    }
    wakePump()
  }

  /// Takes all requests out of the inbox, in the order in which they were appended. For the thread
  /// inside.
  func takeRequests() -> [Request] {
    inbox.withLock { requests in
      let isReserved = isReserved.load(ordering: .sequentiallyConsistent)
      _ = mayHaveRequests.exchange(isReserved, ordering: .sequentiallyConsistent)
      defer { requests = [] }
      return requests
    }
  }

  /// Puts requests back that the thread inside has taken, before all others.
  func putBack(_ requests: ArraySlice<Request>) {
    inbox.withLock { inbox in
      inbox.insert(contentsOf: requests, at: 0)
      _ = mayHaveRequests.exchange(true, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Reserving the next entry

  /// Calls `enter` until it returns true, with other threads leaving the next entry to this one.
  func reserved(_ enter: () -> Bool) {
    reservations.wait()
    defer { reservations.signal() }
    inbox.withLock { _ in
      isReserved.store(true, ordering: .sequentiallyConsistent)
      mayHaveRequests.store(true, ordering: .sequentiallyConsistent)
    }
    while !enter() { reserverWakeUps.wait() }
    inbox.withLock { _ in isReserved.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Wakes the thread that has reserved the next entry. False if there is none.
  func wakeReserver() -> Bool {
    guard isReserved.load(ordering: .sequentiallyConsistent) else { return false }
    reserverWakeUps.signal()
    return true
  }

  // MARK: Sleeping inside

  /// Runs `body` on the thread inside, which may ``sleep(until:)`` in it. May be nested.
  func pumping<R>(_ body: () -> R) -> R {
    let isNested = isPumping.exchange(true, ordering: .sequentiallyConsistent)
    defer { isPumping.store(isNested, ordering: .sequentiallyConsistent) }
    return body()
  }

  /// Sleeps until a request is appended or ``wakePump()`` is called. False if `end` came first.
  func sleep(until end: DispatchTime) -> Bool { pumpWakeUps.wait(timeout: end) == .success }

  /// Wakes the thread in ``pumping(_:)``, if there is one.
  func wakePump() {
    if isPumping.load(ordering: .sequentiallyConsistent) { pumpWakeUps.signal() }
  }
}

import Synchronization

/// Calls that a thread makes when it is outside of its ``Worker``: those of the host's handlers.
///
/// They run on one thread at a time, in the order in which they were posted.
struct Outbox: ~Copyable, Sendable {
  private let deliveries = Mutex<[@Sendable () -> Void]>([])
  private let mayHaveDeliveries = Atomic<Bool>(false)
  private let isDelivering = Atomic<Bool>(false)

  @inline(__always)
  var hasDeliveries: Bool { mayHaveDeliveries.load(ordering: .sequentiallyConsistent) }

  func post(_ new: [@Sendable () -> Void]) {
    deliveries.withLock { $0 += new }
    mayHaveDeliveries.store(true, ordering: .sequentiallyConsistent)
  }

  /// Makes the calls, unless a thread already does. That may be this thread, further up its stack.
  ///
  /// - Parameter rounds: how often it looks for new calls before it gives up.
  /// - Returns: whether it gave up and left some.
  func run(rounds: Int) -> Bool {
    var left = rounds
    while hasDeliveries, !isDelivering.exchange(true, ordering: .sequentiallyConsistent) {
      while left > 0 {
        left -= 1
        let taken = deliveries.withLock { deliveries in
          mayHaveDeliveries.store(false, ordering: .sequentiallyConsistent)
          defer { deliveries = [] }
          return deliveries
        }
        if taken.isEmpty { break }
        for deliver in taken { deliver() }
      }
      isDelivering.store(false, ordering: .sequentiallyConsistent)
      if left == 0 { return hasDeliveries }
    }
    return false
  }
}

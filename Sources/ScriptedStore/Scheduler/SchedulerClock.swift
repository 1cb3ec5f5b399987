#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time that effects wait on, with those who wait. Inside a worker.
final class SchedulerClock {
  /// How time passes on a clock.
  enum Passing {
    case byItself
    /// Only by ``advance(to:)``.
    case byHand
    /// To whatever time somebody waits for, so that nobody does.
    case atOnce
  }

  /// In memory of its own, so that nobody asks who else is at it.
  private let heap: UnsafeMutablePointer<TimerHeap>
  /// What the time is, nil where it passes by itself.
  private var manual: Int64?
  private var isAdvancing = false
  /// Who waits for the next time that passes.
  private var parked: [Timed] = []
  private var hasParked = false
  /// Until when somebody is going to look again.
  private(set) var armed = Int64.max

  /// Nobody waits on it: what does elsewhere goes on in its next turn here.
  let passesAtOnce: Bool

  init(_ passing: Passing, now: Int64 = 0) {
    manual = passing == .byItself ? nil : now
    passesAtOnce = passing == .atOnce
    heap = .allocate(capacity: 1)
    heap.initialize(to: TimerHeap())
  }

  deinit {
    heap.pointee.removeAll()
    heap.deinitialize(count: 1)
    heap.deallocate()
  }

  /// Microseconds since some point in the past.
  var now: Int64 {
    if let manual { return manual }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// The same, a few milliseconds behind and much cheaper where time passes by itself.
  var roughlyNow: Int64 {
    #if os(Linux)
      if manual == nil {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
      }
    #endif
    return now
  }

  var isManual: Bool { manual != nil }

  /// The time so many seconds after another, as far as there is one. Fewer than none count as none.
  static func time(_ start: Int64, after seconds: Double) -> Int64 {
    let microseconds = (seconds * 1_000_000).rounded()
    guard microseconds < Double(Int64.max / 2) else { return .max / 2 }
    return min(start + Int64(max(0, microseconds)), .max / 2)
  }

  /// Whether so many seconds are more than no time.
  static func isTime(_ seconds: Double) -> Bool { seconds * 1_000_000 >= 0.5 }

  func add(_ timed: Timed, at deadline: Int64) {
    if isAdvancing, let manual, deadline <= manual {
      // Else one that sleeps for no time again and again would keep time from passing.
      parked.append(timed)
      hasParked = true
    } else {
      heap.pointee.add(timed, at: deadline)
    }
  }

  func remove(_ timed: Timed) {
    heap.pointee.remove(timed)
    if hasParked { parked.removeAll { $0 === timed } }
  }

  /// Who is due now, first in time; time does not pass by this.
  func popDue(by time: Int64) -> Timed? { heap.pointee.popDue(by: time) }

  // Where it passes by hand.

  func beginAdvance() { isAdvancing = true }

  func advance(to time: Int64) {
    if let manual { self.manual = max(manual, time) }
  }

  func endAdvance(at time: Int64) {
    advance(to: time)
    isAdvancing = false
    for timed in parked { heap.pointee.add(timed, at: time) }
    (parked, hasParked) = ([], false)
  }

  var earliest: Int64 { heap.pointee.earliest }

  /// Who waits, in the order in which they will be woken. O(n log n).
  var waiting: [Timed] { heap.pointee.sorted }

  /// When somebody has to look again, if that is earlier than they will; they are expected to.
  func takeAlarm() -> Int64? {
    guard manual == nil, heap.pointee.earliest < armed else { return nil }
    armed = heap.pointee.earliest
    return armed
  }

  func disarm() { armed = .max }
}

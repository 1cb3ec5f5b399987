import Platform

/// A clock that effects wait on, with its timers. Used inside a worker.
///
/// 1. On a clock that passes by itself, `armed` is the time of the alarm that is set; `Int64.max`
///    if none is. After ``Engine/work()`` the first timer has an alarm at its time or earlier.
/// 2. During an advance of a clock that passes by hand, a timer that is due at once goes to
///    `parked`, and fires in the next advance. Otherwise an effect that sleeps for no time again
///    and again would keep time from passing.
/// 3. On a clock that passes at once nothing waits: the caller moves the time and goes on.
final class SchedulerClock {
  /// How time passes on a clock.
  enum Passing {
    case byItself
    /// Only by ``advance(to:)``.
    case byHand
    /// To any time that an effect wants to wait for, so that none waits.
    case atOnce
  }

  /// Allocated separately, which avoids the dynamic exclusivity check.
  private let heap: UnsafeMutablePointer<TimerHeap>
  /// The time in microseconds; nil on a clock that passes by itself.
  private var manual: Int64?
  /// The ``ClockInstant/fraction`` of `manual`.
  private var fraction = 0.0
  private var isAdvancing = false
  /// Timers that wait for the next advance (invariant 2).
  private var parked: [TimerEntry] = []
  /// Avoids the dynamic exclusivity check on `parked`.
  private var hasParked = false
  /// The time of the alarm that is set (invariant 1).
  private(set) var armed = Int64.max

  /// Nothing waits on such a clock: an effect that sleeps on it goes on in its next turn.
  let passesAtOnce: Bool

  init(_ passing: Passing, now: ClockInstant = ClockInstant()) {
    if passing != .byItself { (manual, fraction) = (now.microseconds, now.fraction) }
    passesAtOnce = passing == .atOnce
    heap = .allocate(capacity: 1)
    heap.initialize(to: TimerHeap())
  }

  deinit {
    heap.pointee.removeAll()
    heap.deinitialize(count: 1)
    heap.deallocate()
  }

  /// Microseconds since an arbitrary point in the past.
  var now: Int64 {
    if let manual { return manual }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// The time, a few milliseconds late, but much cheaper to read on a clock that passes by itself.
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

  /// The time, as exactly as it is known.
  var instant: ClockInstant { ClockInstant(microseconds: now, fraction: fraction) }

  /// Whether a duration is more than no time: it rounds to at least 1 microsecond.
  static func isPositive(_ seconds: Double) -> Bool { seconds * 1_000_000 >= 0.5 }

  func add(_ timed: TimerEntry, at time: ClockInstant) {
    let deadline = time.microseconds
    timed.fraction = Float(time.fraction)
    if isAdvancing, let manual, deadline <= manual {
      // See invariant 2.
      parked.append(timed)
      hasParked = true
    } else {
      heap.pointee.add(timed, at: deadline)
    }
  }

  func remove(_ timed: TimerEntry) {
    heap.pointee.remove(timed)
    if hasParked { parked.removeAll { $0 === timed } }
  }

  /// Removes and returns the first timer that is due by `time`. Does not change the clock's time.
  func popDue(by time: Int64) -> TimerEntry? { heap.pointee.popDue(by: time) }

  // An advance of a clock that passes by hand.

  func beginAdvance() { isAdvancing = true }

  func advance(to time: ClockInstant) {
    guard let manual, time.microseconds >= manual else { return }
    (self.manual, fraction) = (time.microseconds, time.fraction)
  }

  func endAdvance(at time: ClockInstant) {
    advance(to: time)
    isAdvancing = false
    let late = parked
    (parked, hasParked) = ([], false)
    for timed in late { add(timed, at: time) }
  }

  /// The time of the first timer; `Int64.max` if there is none.
  var earliest: Int64 { heap.pointee.earliest }

  /// The timers, in the order in which they will fire. O(n log n).
  var waiting: [TimerEntry] { heap.pointee.sorted }

  /// The time for which the caller must set an alarm; nil if there is an alarm that is early
  /// enough.
  func takeAlarm() -> Int64? {
    guard manual == nil, heap.pointee.earliest < armed else { return nil }
    armed = heap.pointee.earliest
    return armed
  }

  func disarm() { armed = .max }
}

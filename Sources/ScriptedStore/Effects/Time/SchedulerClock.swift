import Platform

/// A clock that effects wait on, with its timers. Used inside a worker.
///
/// 1. On a clock that passes by itself, `armed` is the time of the wake-up that was requested; `Int64.max`
///    if none was. After ``Engine/work()`` the first timer has a wake-up at its time or earlier.
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

  private var heap = TimerHeap()
  /// The time in microseconds; nil on a clock that passes by itself.
  private var manual: Int64?
  /// The ``ClockInstant/fraction`` of `manual`.
  private var fraction = 0.0
  private var isAdvancing = false
  /// Timers that wait for the next advance (invariant 2).
  private var parked: [TimerEntry] = []
  /// The time of the wake-up that was requested (invariant 1).
  private(set) var armed = Int64.max

  /// Nothing waits on such a clock: an effect that sleeps on it goes on in its next turn.
  let passesAtOnce: Bool

  init(_ passing: Passing, now: ClockInstant = ClockInstant()) {
    if passing != .byItself { (manual, fraction) = (now.microseconds, now.fraction) }
    passesAtOnce = passing == .atOnce
  }

  /// Microseconds since an arbitrary point in the past.
  var now: Int64 { manual ?? Int64(nanoseconds(of: CLOCK_MONOTONIC) / 1000) }

  /// The time, a few milliseconds late, but much cheaper to read on a clock that passes by itself.
  var roughlyNow: Int64 {
    #if os(Linux)
    if manual == nil { return Int64(nanoseconds(of: CLOCK_MONOTONIC_COARSE) / 1000) }
    #endif
    return now
  }

  var isManual: Bool { manual != nil }

  /// The time, as exactly as it is known.
  var instant: ClockInstant { ClockInstant(microseconds: now, fraction: fraction) }

  /// The shortest time that passes on a clock, in seconds. Shorter ones would be over at once, so that a loop of them has no
  /// end on a clock that passes by hand (invariant 2).
  static let shortest = 1e-6

  /// Whether a duration is more than no time: it rounds to at least 1 microsecond.
  static func isPositive(_ seconds: Double) -> Bool { seconds * 1_000_000 >= 0.5 }

  func add(_ timed: TimerEntry, at time: ClockInstant) {
    let deadline = time.microseconds
    timed.fraction = Float(time.fraction)
    if isAdvancing, let manual, deadline <= manual {
      // See invariant 2.
      parked.append(timed)
    } else {
      heap.add(timed, at: deadline)
    }
  }

  func remove(_ timed: TimerEntry) {
    heap.remove(timed)
    if !parked.isEmpty { parked.removeAll { $0 === timed } }
  }

  /// Removes and returns the first timer that is due by `time`. Does not change the clock's time.
  func popDue(by time: Int64) -> TimerEntry? { heap.popDue(by: time) }

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
    parked = []
    for timed in late { add(timed, at: time) }
  }

  /// The time of the first timer; `Int64.max` if there is none.
  var earliest: Int64 { heap.earliest }

  /// The timers, in the order in which they will fire. O(n log n).
  var waiting: [TimerEntry] { heap.sorted }

  /// The time for which the caller must request a wake-up; nil if there is one that is early
  /// enough.
  func takeWakeUp() -> Int64? {
    guard manual == nil, heap.earliest < armed else { return nil }
    armed = heap.earliest
    return armed
  }

  func disarm() { armed = .max }
}

/// A time of a clock that passes by hand: timers and scripts see whole microseconds, and the rest is
/// carried on. So times that follow each other are rounded once and not at each step: three times a
/// third of a second is a second.
struct ClockInstant: Sendable {
  /// Rounded to the nearest.
  var microseconds: Int64 = 0
  /// How much of a microsecond the exact time is later; negative if it is earlier.
  var fraction = 0.0

  var seconds: Double { (Double(microseconds) + fraction) / 1_000_000 }

  /// The time since another one, to the nanosecond.
  func duration(since other: ClockInstant) -> Duration {
    .microseconds(microseconds - other.microseconds)
      + .nanoseconds(Int64(((fraction - other.fraction) * 1000).rounded()))
  }

  /// The time so many seconds later, at most `Int64.max / 2`. Negative durations count as 0.
  func after(_ seconds: Double) -> ClockInstant {
    let exact = fraction + max(0, seconds * 1_000_000)
    let whole = exact.rounded()
    guard whole < Double(Int64.max / 2) else { return ClockInstant(microseconds: .max / 2) }
    // A fraction of a half is rounded away from zero, so `whole` may be -1.
    let steps = max(0, whole)
    return ClockInstant(
      microseconds: min(microseconds + Int64(steps), .max / 2), fraction: exact - steps)
  }
}

extension Duration {
  /// A duration of seconds from outside. `Duration` itself traps for what it cannot represent; here
  /// that is the nearest of 30,000 years, and zero for NaN.
  package init(clampingSeconds seconds: Double) {
    let longest = 1e12
    self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -longest), longest))
  }
}

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

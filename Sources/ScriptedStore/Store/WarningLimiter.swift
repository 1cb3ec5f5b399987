/// Lets a few warnings of one kind from one place through in a second, and counts the rest.
package struct WarningLimiter {
  private struct Source: Hashable {
    let kind: RuntimeWarning.Kind
    let origin: String
  }

  private struct Second {
    let start: ContinuousClock.Instant
    var count = 1
    /// The last one that was not let through.
    var last: RuntimeWarning?
  }

  private let most: Int
  private var seconds: [Source: Second] = [:]
  private var alarm: ContinuousClock.Instant?
  private var isArmed = false
  /// More sources than this are forgotten once their second is over.
  private static let many = 256

  /// - Parameter most: warnings of one source in a second.
  package init(most: Int) { self.most = max(0, most) }

  /// What is to be told now that a warning came: itself or nothing, and in front how many there were before.
  package mutating func pass(
    _ warning: RuntimeWarning, at now: ContinuousClock.Instant
  ) -> [RuntimeWarning] {
    let source = Source(kind: warning.kind, origin: warning.origin)
    guard var second = seconds[source], now - second.start < .seconds(1) else {
      let before = seconds.removeValue(forKey: source).flatMap(count)
      if seconds.count >= WarningLimiter.many {
        seconds = seconds.filter { now - $0.value.start < .seconds(1) || $0.value.last != nil }
      }
      var second = Second(start: now)
      if most == 0 { hold(warning, in: &second) }
      seconds[source] = second
      return (before.map { [$0] } ?? []) + (most == 0 ? [] : [warning])
    }
    second.count += 1
    let passes = second.count <= most
    if !passes { hold(warning, in: &second) }
    seconds[source] = second
    return passes ? [warning] : []
  }

  private mutating func hold(_ warning: RuntimeWarning, in second: inout Second) {
    second.last = warning
    if !isArmed {
      isArmed = true
      alarm = second.start + .seconds(1)
    }
  }

  /// When ``passCounts(at:)`` is to be called, if that is to be arranged.
  package mutating func takeAlarm() -> ContinuousClock.Instant? {
    defer { alarm = nil }
    return alarm
  }

  /// How many warnings were not let through in the seconds that are over, one warning for each source.
  package mutating func passCounts(at now: ContinuousClock.Instant) -> [RuntimeWarning] {
    isArmed = false
    let over = seconds.filter { now - $0.value.start >= .seconds(1) }
    for source in over.keys { seconds[source] = nil }
    let next = seconds.values.filter { $0.last != nil }.map(\.start).min()
    if let next {
      isArmed = true
      alarm = next + .seconds(1)
    }
    return over.sorted { $0.value.start < $1.value.start }.compactMap { count($0.value) }
  }

  private func count(_ second: Second) -> RuntimeWarning? {
    guard let last = second.last else { return nil }
    let more = second.count - most
    return RuntimeWarning(
      kind: last.kind,
      message: """
        \(more) more \(more == 1 ? "warning" : "warnings") of this kind (\(last.kind)) from here within a second; the \
        last was: \(last.message)
        """,
      origin: last.origin, action: last.action, traceback: last.traceback, effect: last.effect)
  }
}

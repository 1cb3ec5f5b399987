import LuaBridge

/// Reports the warnings of one worker to the host. In live stores it limits repeated ones.
final class WarningReporter {
  private let handler: @Sendable (RuntimeWarning) -> Void
  /// Nil for no limit.
  private var limiter: WarningLimiter?
  // Proof: the engine owns this object.
  private unowned(unsafe) let engine: Engine

  /// Nil if the host does not want warnings.
  init?(_ configuration: HostConfiguration, _ engine: Engine) {
    guard let handler = configuration.onWarning else { return nil }
    self.handler = handler
    if configuration.context == .live, let limit = configuration.warningLimit {
      limiter = WarningLimiter(most: limit)
    }
    self.engine = engine
  }

  func report(_ warning: RuntimeWarning, to outbox: Outbox?) {
    deliver(limiter?.pass(warning, at: .now) ?? [warning], to: outbox)
    scheduleCounts()
  }

  /// Reports how many warnings the limiter has held back.
  private func reportCounts() {
    deliver(limiter?.passCounts(at: .now) ?? [], to: nil)
    scheduleCounts()
  }

  private func scheduleCounts() {
    guard let due = limiter?.takeAlarm() else { return }
    engine.link.submit(at: due) { $0.warningReporter?.reportCounts() }
  }

  private func deliver(_ warnings: [RuntimeWarning], to outbox: Outbox?) {
    for warning in warnings { engine.deliver(to: outbox) { [handler] in handler(warning) } }
  }
}

/// Passes a few warnings of each source in a second, and counts the rest. A source is a kind of
/// warning with an origin.
///
/// 1. A second of a source begins with its first warning after the last second has ended.
/// 2. Warnings beyond `most` are held back. A summary reports them once their second has ended:
///    with the next warning of the source, or when the alarm calls ``passCounts(at:)``.
/// 3. At most one alarm is set at a time (`isArmed`).
package struct WarningLimiter {
  private struct Source: Hashable {
    let kind: RuntimeWarning.Kind
    let origin: String
  }

  private struct Second {
    let start: ContinuousClock.Instant
    var count = 0
    /// The last warning that was held back; nil if none was.
    var last: RuntimeWarning?
  }

  private let most: Int
  private var seconds: [Source: Second] = [:]
  /// A time that ``takeAlarm()`` has not returned yet.
  private var alarm: ContinuousClock.Instant?
  private var isArmed = false
  /// If there are this many sources, those whose second has ended without held warnings are
  /// removed.
  private static let many = 256

  /// - Parameter most: the number of warnings that one source passes in a second.
  package init(most: Int) { self.most = max(0, most) }

  /// The warnings to report now: a summary of the last second if it held back some, and `warning`
  /// itself unless it is held back.
  package mutating func pass(
    _ warning: RuntimeWarning, at now: ContinuousClock.Instant
  ) -> [RuntimeWarning] {
    let source = Source(kind: warning.kind, origin: warning.origin)
    var passed: [RuntimeWarning] = []
    if let last = seconds[source], now - last.start >= .seconds(1) {
      seconds[source] = nil
      if let summary = count(last) { passed.append(summary) }
    }
    if seconds[source] == nil, seconds.count >= WarningLimiter.many {
      seconds = seconds.filter { now - $0.value.start < .seconds(1) || $0.value.last != nil }
    }
    var second = seconds[source] ?? Second(start: now)
    second.count += 1
    if second.count <= most { passed.append(warning) } else { hold(warning, in: &second) }
    seconds[source] = second
    return passed
  }

  private mutating func hold(_ warning: RuntimeWarning, in second: inout Second) {
    second.last = warning
    if !isArmed {
      isArmed = true
      alarm = second.start + .seconds(1)
    }
  }

  /// The time at which the caller must call ``passCounts(at:)``; nil if no new alarm is needed.
  package mutating func takeAlarm() -> ContinuousClock.Instant? { alarm.take() }

  /// Summaries of the seconds that have ended, one for each source that held back warnings.
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

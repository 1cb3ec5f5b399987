import LuaBridge

/// Reports the warnings of one worker to the host. In live stores it limits repeated ones.
final class WarningReporter {
  private let handler: @Sendable (RuntimeWarning) -> Void
  /// Nil for no limit.
  private var limiter: WarningLimiter?
  // Proof: the engine owns this object.
  private unowned(unsafe) let engine: Engine

  /// Nil if the host does not want warnings.
  init?(_ configuration: ScriptHost.Configuration, _ engine: Engine) {
    guard let handler = configuration.onWarning else { return nil }
    self.handler = handler
    if configuration.context == .live, let limit = configuration.warningLimit {
      limiter = WarningLimiter(most: limit)
    }
    self.engine = engine
  }

  func report(_ warning: RuntimeWarning, to outbox: Outbox?) {
    guard limiter != nil else { return deliver([warning], to: outbox) }
    deliver(limiter?.pass(warning, at: .now) ?? [], to: outbox)
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

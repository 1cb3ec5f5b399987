import LuaBridge

/// When waiting on a clock that takes no time is taken to be endless.
package enum EndlessWaits {
  /// How often effects may be woken on a clock that passes by hand, or may wait on one that passes
  /// at once. A step costs microseconds, so a test that comes to this bound sets a low one: how long
  /// it takes would otherwise hang on the machine.
  @TaskLocal package static var bound = 100_000
}

/// Time on clocks that pass by hand or at once.
extension EffectRunner {
  /// Lets time pass on a clock up to `end`. Timers fire in the order of their times, and those of
  /// one time in the order in which they were added. After each one, effects that are ready run
  /// until none is. `tell` gets each time before the effects of that time run.
  ///
  /// - Parameter pausing: stops at the first time after now at which a timer is due.
  /// - Returns: the time at the end.
  @discardableResult
  func pass(
    _ clock: SchedulerClock, to end: ClockInstant, pausing: Bool = false,
    _ tell: (ClockInstant) -> Void = { _ in }
  ) -> Int64 {
    var end = end
    clock.beginAdvance()
    runUntilIdle()
    while let due = clock.popDue(by: end.microseconds) {
      if pausing && due.deadline > clock.now { end = due.time }
      clock.advance(to: due.time)
      tell(clock.instant)
      due.fire()
      runUntilIdle()
    }
    clock.endAdvance(at: end)
    tell(clock.instant)
    return clock.now
  }

  /// Lets time pass on a clock until no effect waits on it. Throws after as many steps as
  /// ``EndlessWaits`` says.
  func passAll(_ clock: SchedulerClock) throws(ScriptError) {
    runUntilIdle()
    let bound = EndlessWaits.bound
    for _ in 0..<bound {
      guard clock.earliest < .max else { return }
      pass(clock, to: ClockInstant(microseconds: clock.earliest), pausing: true)
    }
    throw endless(clock, after: bound)
  }

  /// The error for effects that wait on a clock again and again without end.
  func endless(_ clock: SchedulerClock, after steps: Int) -> ScriptError {
    ScriptError(
      "run() has let time pass \(steps) times, and still \(waiting(on: clock)); a timer goes on "
        + "until it is cancelled: let it be, or let as much time pass as is needed with advance")
  }

  /// Throws if an effect waits on a clock. The error names all that do.
  func checkSuspension(on clock: SchedulerClock) throws(ScriptError) {
    guard clock.waiting.contains(where: { !($0 is Alarm) && $0.sleeper != nil }) else { return }
    throw ScriptError("at \(EffectRunner.seconds(clock.now)) s \(waiting(on: clock))")
  }

  /// Called when an effect waits on a clock that passes at once. Throws after as many such
  /// waits as ``EndlessWaits`` says.
  func skip(to time: ClockInstant, on clock: SchedulerClock) throws(ScriptError) {
    instantWaits += 1
    let bound = EndlessWaits.bound
    guard instantWaits <= bound else {
      throw ScriptError(
        "effects have waited \(bound) times on a clock that passes at once, and there is no end "
          + "to it; for a timer use a clock that is advanced")
    }
    clock.advance(to: time)
  }

  // MARK: Messages

  /// `Timers (timers.lua:12) sleeps until 3 s; …`.
  private func waiting(on clock: SchedulerClock) -> String {
    let most = 10
    let sleepers = clock.waiting.compactMap { timed in
      timed.sleeper.map { "\($0) until \(EffectRunner.seconds(timed.deadline)) s" }
    }
    let rest = sleepers.count > most ? ["… and \(sleepers.count - most) more"] : []
    return (sleepers.prefix(most) + rest).joined(separator: "; ")
  }

  /// Seconds in words, without a fraction of 0.
  static func seconds(_ time: Int64) -> String {
    time % 1_000_000 == 0 ? "\(time / 1_000_000)" : "\(Double(time) / 1_000_000)"
  }
}

extension EffectRunner {
  /// The clock for the waits that operators of effects with this ``EffectOwner`` make. Throws and
  /// reports it if a test has given none.
  ///
  /// - Parameters:
  ///   - use: what waits, for messages.
  ///   - origin: the source line of the effect.
  func clock(
    of owner: EffectOwner?, for use: String, at origin: @autoclosure () -> String?
  ) throws(ScriptError) -> SchedulerClock {
    guard let owner else { return clock }
    if let clock = owner.scope.timing(on: clock) { return clock }
    let use = "\(use) in \(owner.feature) waits on deps.clock"
    throw report(UnimplementedCall(use: use, path: ["clock"], origin: origin()))
  }

  /// Reports a call of a dependency that has no value in tests. Returns the error to raise.
  func report(_ call: UnimplementedCall) -> ScriptError {
    engine.tests?.report(call)
    return ScriptError(call.message, cause: call)
  }
}

/// Timers, and the clocks that a host moves.
extension Engine {
  /// Fires the timers that are due. `work()` then runs what became ready.
  ///
  /// - Parameter time: the time for which the wake-up was requested.
  func wake(_ time: Int64) {
    // An earlier wake-up has replaced this one, and has yet to come.
    if time == clock.armed { clock.disarm() }
    let now = clock.now
    while let due = clock.popDue(by: now) { due.fire() }
    effects.watchClock()
  }

  /// Calls `waiter` when no effect can go on before time passes.
  func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    settledWaiters.append(waiter)
    notifySettledWaiters()
  }

  func notifySettledWaiters() {
    guard !settledWaiters.isEmpty && effects.isSettled else { return }
    for waiter in settledWaiters { deliverAfterAll(waiter) }
    settledWaiters = []
  }

  /// Lets time pass on a virtual clock, like ``EffectRunner/pass(_:to:pausing:_:)``, as if the
  /// tasks that effects wait for took no time: at each time at which a timer is due, the clock
  /// stands still until these tasks have ended. Calls `waiter` at the end, or earlier if `isOver`
  /// returns true between two steps.
  func advance(
    _ clock: VirtualClock, to end: ClockInstant, _ tell: @escaping @Sendable (ClockInstant) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    step(clock, to: effects.clock(of: clock).instant, of: end, tell, unless: isOver, waiter)
  }

  /// - Parameters:
  ///   - time: how far to go in this step.
  ///   - end: how far to go after it.
  private func step(
    _ clock: VirtualClock, to time: ClockInstant, of end: ClockInstant,
    _ tell: @escaping @Sendable (ClockInstant) -> Void,
    unless isOver: @escaping @Sendable () -> Bool, _ waiter: @escaping @Sendable () -> Void
  ) {
    let now = effects.pass(effects.clock(of: clock), to: time, pausing: true, tell)
    whenSettled { [link] in
      guard now < end.microseconds && !isOver() else { return waiter() }
      let isThere = link.submit { engine in
        engine.step(clock, to: end, of: end, tell, unless: isOver, waiter)
      }
      if !isThere { waiter() }
    }
  }
}

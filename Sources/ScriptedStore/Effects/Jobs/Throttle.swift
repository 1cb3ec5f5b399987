import ScriptValue

/// An interval of `throttle`: it passes the first action, and may hold a later one until it ends.
///
/// ```
///   (none) --action passes--> running --no action held--> end()
///                              |   ^
///                 action held  v   |  passed at the end; a new interval begins
///                             holding
/// ```
///
/// 1. Its place retains it, and it retains its place; `end()` breaks the cycle.
/// 2. The action that it holds is in flight. Each ``ThrottledAction`` in flight is held by one
///    interval, unless its turn is running.
final class Throttle: TimerEntry {
  private let id: Value
  private let place: EffectPlace
  private let clock: SchedulerClock
  private let effects: StoreEffects
  private var seconds = 0.0
  private(set) var held: ThrottledAction?

  init(
    _ id: Value, at place: EffectPlace, on clock: SchedulerClock, of effects: StoreEffects
  ) {
    self.id = id
    self.place = place
    self.clock = clock
    self.effects = effects
  }

  /// Whether the action passes. Otherwise it is held until the end of the interval, or dropped.
  func passes(
    _ message: Message, _ route: Route?, seconds: Double, latest: Bool
  ) -> Bool {
    guard isPending else {
      begin(seconds)
      return true
    }
    guard latest || held == nil else { return false }
    let former = held
    let root = effects.rootForNow()
    let group = JobGroup(at: place, id: id, of: effects)
    root.add(group)
    self.seconds = seconds
    group.fill {
      let new = ThrottledAction(message, route, in: self, at: place, of: effects)
      if !SchedulerClock.isPositive(seconds) { new.cause = effects.turn.share() }
      held = new
      group.add(new)
    }
    former?.end()
    return false
  }

  private func begin(_ seconds: Double) {
    self.seconds = seconds
    // An interval of no time may be in the clock's `parked`, although `isPending` is false.
    clock.remove(self)
    clock.add(self, at: clock.instant.after(seconds))
    effects.runner.watchClock()
  }

  override var sleeper: String? {
    guard let sender = held?.message.sender else { return nil }
    return "\(sender.feature ?? "an effect") (\(sender.origin)) waits in a throttle"
  }

  /// Called at the end of the interval.
  override func fire() {
    guard let held else { return end() }
    begin(seconds)
    self.held = nil
    effects.inTurn(of: held.rootJob, after: held.cause) {
      effects.deliverOrWarn(held.message, held.route)
      held.end()
    }
  }

  /// Called when a held action is cancelled.
  fileprivate func drop(_ dropped: ThrottledAction) {
    if held === dropped { held = nil }
  }

  /// Ends the interval, and drops the action that it holds.
  func end() {
    withExtendedLifetime(self) {
      clock.remove(self)
      held?.cancel()
      if place.throttles?.removeValue(forKey: id) != nil { effects.count -= 1 }
      if place.throttles?.isEmpty == true { place.throttles = nil }
      place.removeIfEmpty()
    }
  }
}

/// An action that an interval of `throttle` holds.
final class ThrottledAction: Job {
  let message: Message
  let route: Route?
  private let throttle: Throttle
  /// What it follows from, if the interval lasts no time.
  fileprivate var cause = StoreTurn.Cause()

  /// For the functions that map it on its route, or for its counted memory.
  override var code: SchedulerLink? { route?.code ?? message.keeper }

  init(
    _ message: Message, _ route: Route?, in throttle: Throttle, at place: EffectPlace,
    of effects: StoreEffects
  ) {
    self.message = message
    self.route = route
    self.throttle = throttle
    super.init(at: place, of: effects)
  }

  override func description(at now: Int64) -> EffectDescription? {
    describe(
      feature: message.sender?.feature, origin: message.sender?.origin, action: nil,
      waitingOn: "throttle", age: 0)
  }

  override var feature: FeatureNode? { message.sender as? FeatureNode }

  override func wasCancelled() {
    throttle.drop(self)
    end()
  }
}

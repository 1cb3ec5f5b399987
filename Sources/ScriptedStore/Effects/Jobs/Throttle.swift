import ScriptValue

extension Effect {
  /// Passes the first action that the effect sends at once. At the end of the interval it passes
  /// one of the actions that came meanwhile, and a new interval begins.
  ///
  /// - Parameter latest: whether that is the last of these actions, or the first.
  public func throttle(id: Value, for interval: Duration, latest: Bool) -> Effect {
    wrapped { .throttle($0, id: id, seconds: max(0, interval / .seconds(1)), latest: latest) }
  }
}

extension StoreEffects {
  func startThrottled(
    _ inner: EffectNode, id: Value, seconds: Double, latest: Bool, _ context: StartContext,
    in group: JobGroup?
  ) {
    guard let clock = clock(for: "throttle", context) else { return }
    guard hasRoom() || context.place.throttles?[id] != nil else { return refuse(context.owner) }
    // On such a clock each interval has already passed.
    if clock.passesAtOnce { return start(inner, context, in: group) }
    let stage = Route.Stage.throttle(
      context.place, id: id, seconds: seconds, latest: latest, on: clock)
    start(inner, context.via(stage), in: group)
  }

  /// The interval of `throttle` with this id, made and counted if it does not exist.
  func throttle(_ id: Value, at place: EffectPlace, on clock: SchedulerClock) -> Throttle {
    if let throttle = place.throttles?[id] { return throttle }
    let new = Throttle(id, at: place, on: clock, of: self)
    count += 1
    place.throttles = place.throttles ?? [:]
    place.throttles?[id] = new
    return new
  }
}

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
  private(set) var message: Message
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
    self.message.cause = .effect(Int(number))
  }

  override func description(at now: Int64) -> EffectDescription? {
    describe(
      feature: message.sender?.feature, origin: message.sender?.origin, action: nil,
      waitingOn: EffectKind.throttle.rawValue, age: 0)
  }

  override var feature: FeatureNode? { message.sender as? FeatureNode }

  override func wasCancelled() {
    throttle.drop(self)
    end()
  }
}

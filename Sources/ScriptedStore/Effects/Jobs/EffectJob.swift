import LuaBridge

/// An effect in flight that ``Limits/effects`` counts, from `init` to `didEnd()`: a function of a script, a task, or a
/// debounced effect.
class EffectJob: Job {
  /// nil if it has no code.
  final let owner: EffectOwner?
  /// The route of its actions; nil for straight to the root.
  final let route: Route?
  /// In microseconds of the store's clock.
  final let started: Int64

  init(
    _ owner: EffectOwner?, _ route: Route?, id: Value? = nil, at place: EffectPlace,
    of effects: StoreEffects
  ) {
    (self.owner, self.route) = (owner, route)
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    super.init(at: place, id: id, of: effects)
  }

  final override var code: SchedulerLink? { owner?.code ?? route?.code }

  override func didEnd() { effects.count -= 1 }

  /// The `script:line` of its function, or that of the handler that returned it; nil if there is none.
  var origin: String? { owner?.origin }

  /// What it waits for, in words.
  var waitingOn: String { "its turn" }

  override func description(at now: Int64) -> EffectDescription? {
    describe(
      feature: owner?.feature, origin: origin, action: owner?.action, waitingOn: waitingOn,
      age: now - started)
  }

  final override var feature: FeatureNode? { owner?.node as? FeatureNode }

  final override var sleeper: String? {
    "\(owner?.feature ?? "an effect") (\(origin ?? "?")) \(timing)"
  }

  /// What it does on a clock, in words.
  var timing: String { "sleeps" }
}

import LuaBridge

/// Where an effect starts, and what it belongs to.
struct StartContext {
  var place: EffectPlace
  var route: Route?
  /// The reducer that returned the effect.
  var reducer: ReducerNode?
  /// nil if the effect has no code.
  var owner: EffectOwner?

  /// The link of the generation whose scripts the effect needs; nil if it needs none.
  var code: SchedulerLink? { owner?.code ?? route?.code }
}

import LuaBridge

/// The way of an action from the effect that sends it up to the root of the store. A list from the inside to the
/// outside.
final class Route {
  enum Stage {
    /// Becomes an action of the parent's.
    case nested(type: String, id: Value?)
    case map(ActionTransform, EffectOwner?)
    case transaction(Value)
    case throttle(EffectPlace, id: Value, seconds: Double, latest: Bool, on: SchedulerClock)
  }

  let stage: Stage
  let outer: Route?
  /// The scripts whose functions transform actions on the way, nil if none do. All of a route are of one loading.
  let code: SchedulerLink?

  init(_ stage: Stage, _ outer: Route?) {
    self.stage = stage
    self.outer = outer
    if case .map(.script, let owner?) = stage { code = owner.code } else { code = outer?.code }
  }
}

/// An id at a place.
struct ScopeKey: Hashable {
  let place: ObjectIdentifier
  let id: Value

  init(_ place: EffectPlace, _ id: Value) {
    self.place = ObjectIdentifier(place)
    self.id = id
  }

  func isFor(_ id: Value, at place: EffectPlace) -> Bool {
    self.place == ObjectIdentifier(place) && self.id == id
  }
}

/// Where an effect starts.
struct StartContext {
  var place: EffectPlace
  var route: Route?
  /// Who returned it.
  var reducer: ReducerNode?
  /// The same, where there is code in it.
  var owner: EffectOwner?

  /// The scripts that the effect needs, nil if it needs none.
  var code: SchedulerLink? { owner?.code ?? route?.code }
}

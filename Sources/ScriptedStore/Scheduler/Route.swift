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

  init(_ stage: Stage, _ outer: Route?) {
    self.stage = stage
    self.outer = outer
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
}

/// What is in flight under one id at one place.
final class ScopeList {
  let key: ScopeKey
  /// The others follow it. Proof: a scope takes itself out when it ends.
  unowned(unsafe) var newest: Scope?

  init(_ key: ScopeKey) { self.key = key }

  /// In the order in which they were started.
  var scopes: [Scope] {
    var scopes: [Scope] = []
    var next = newest
    while let scope = next {
      scopes.append(scope)
      next = scope.older
    }
    return scopes.reversed()
  }

  func cancelAll() {
    guard let newest else { return }
    if newest.older == nil { return newest.cancel() }
    for scope in scopes { scope.cancel() }
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
}

import ScriptValue

/// The route of an action from the effect that sends it to the root reducer: a linked list of
/// stages, the innermost first. nil stands for the route straight to the root.
final class Route {
  enum Stage {
    /// The action is nested in one of the parent.
    case nested(type: String, id: Value?)
    case map(ActionTransform, EffectOwner?)
    case transaction(Value)
    case throttle(EffectPlace, id: Value, seconds: Double, latest: Bool, on: SchedulerClock)
  }

  let stage: Stage
  let outer: Route?
  /// The link of the generation whose functions map actions on the route; nil if there are none.
  /// All functions of a route are of one generation.
  let code: SchedulerLink?

  init(_ stage: Stage, _ outer: Route?) {
    self.stage = stage
    self.outer = outer
    if case .map(.script, let owner?) = stage { code = owner.code } else { code = outer?.code }
  }
}

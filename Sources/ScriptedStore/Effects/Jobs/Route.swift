import LuaBridge

/// The route of an action from the effect that sends it to the root reducer: a linked list of
/// stages, the innermost first. nil stands for the route straight to the root.
final class Route {
  enum Stage {
    /// The action is nested in one of the parent.
    case nested(ActionStep)
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

/// The function of `map`.
enum ActionTransform: Sendable {
  case swift(@Sendable (Action) -> Action)
  case script(FunctionToken)
}

/// What has sent the action of an effect.
package enum ActionSender: Sendable, Hashable {
  /// A handler, which has returned `effect.send`.
  case handler
  /// An effect in flight, by its ``EffectNote/number``.
  case effect(Int)
  case alarm
}

/// An action on its way from an effect to the store.
struct Message {
  var action: Action
  /// The reducer whose effect sends the action.
  let sender: ReducerNode?
  var cause: ActionSender
  var transaction: Value?
  /// Counts the action's bytes as memory of the VM whose script made it; nil otherwise.
  private(set) var kept: KeptMemory?
  /// The link of that VM's generation.
  private(set) var keeper: SchedulerLink?

  init(
    _ action: Action, from sender: ReducerNode?, by cause: ActionSender = .handler,
    transaction: Value? = .none, kept: KeptMemory? = nil, of owner: EffectOwner? = nil
  ) {
    (self.action, self.sender, self.cause, self.transaction) = (action, sender, cause, transaction)
    keep(kept, of: owner)
  }

  /// Replaces the counted memory, because the message carries another action now.
  mutating func keep(_ memory: KeptMemory?, of owner: EffectOwner?) {
    kept = memory
    keeper = memory == nil ? nil : owner?.code
  }
}

import LuaBridge

/// The effects that a reducer tree returned for an action, in the order in which they are to start,
/// with the reducers that they belong to. Used inside a worker.
enum ReturnedEffects {
  case none
  /// An effect of a reducer. The reducer tree owns the reducer.
  case effect(EffectNode, Unmanaged<ReducerNode>, EffectOwner?)
  /// A script's `effect.run`, by its index in the ``ReduceContext``.
  case run(Int)
  case list([ReturnedEffects])
  /// The effects of a child.
  indirect case nested(ReturnedEffects, ChildPlace)

  @inline(__always)
  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// Both, first `self`.
  @inline(__always)
  func followed(by other: ReturnedEffects) -> ReturnedEffects {
    if other.isNone { return self }
    if isNone { return other }
    return joined(other)
  }

  private func joined(_ other: ReturnedEffects) -> ReturnedEffects {
    if case .list(var effects) = self {
      effects.append(other)
      return .list(effects)
    }
    return .list([self, other])
  }

  /// The effects with transformed nodes.
  func mapNodes(
    _ context: ReduceContext, _ transform: (EffectNode, EffectOwner?) -> EffectNode
  ) -> ReturnedEffects {
    switch self {
    case .none: .none
    case .effect(let node, let reducer, let owner): .effect(transform(node, owner), reducer, owner)
    case .run(let index): context.takeEffect(ofRun: index).mapNodes(context, transform)
    case .list(let effects): .list(effects.map { $0.mapNodes(context, transform) })
    case .nested(let inner, let place): .nested(inner.mapNodes(context, transform), place)
    }
  }

  @inline(__always)
  func nested(in place: @autoclosure () -> ChildPlace) -> ReturnedEffects {
    isNone ? .none : .nested(self, place())
  }
}

/// A script's `effect.run`, with the reducer that returned it and its owner.
struct ReturnedRun {
  let run: ScriptRun
  /// The reducer tree owns it.
  let reducer: Unmanaged<ReducerNode>
  /// Owned (+1).
  let owner: Unmanaged<EffectOwner>
}

/// A child of an operator.
struct ChildPlace {
  /// The operator. The reducer tree owns it.
  let node: Unmanaged<ReducerNode>
  /// The type of the child's actions.
  let type: String
  /// The id of an element as in its actions; nil for a child that is no element.
  let id: Value?
  /// The id of an element as in the parent's state: in an object, its text.
  let key: Value?
  /// The `id` in the state of a child that is no element. When it changes, it is another child.
  let identity: Value?
  /// How the child can be dismissed; nil if it cannot.
  var presentation: Presentation?
}

/// The reducer and the handler that an effect belongs to, and the dependencies and values that its
/// code may reach.
final class EffectOwner {
  let node: ReducerNode
  /// The handler that returned the effect; nil for a reducer in Swift.
  private let handler: Handler?
  /// Retained here, because the `deps` in Lua do not retain it.
  let scope: DependencyScope
  /// The `deps` of the code.
  let dependencies: LuaReference?
  /// The whole action for which the effect was returned, owned (+1). The effect may have views of
  /// it.
  private let slot: Slot
  /// The generation of the views that the effect may have (not of the scripts); 0 if it has none.
  let generation: UInt64
  /// Other values that the handler got views of.
  private let kept: RetainedValues?

  /// - Parameters:
  ///   - action: borrowed (+0).
  ///   - generation: 0 if the handler took no views.
  init(
    _ node: ReducerNode, _ handler: Handler?, _ scope: DependencyScope,
    dependencies: LuaReference?, action: Slot, generation: UInt64,
    keeping kept: RetainedValues? = nil
  ) {
    self.node = node
    self.handler = handler
    self.scope = scope
    self.dependencies = dependencies
    slot = action.retained()
    self.generation = generation
    self.kept = kept
  }

  deinit { slot.release() }

  /// The VM of the code. The scope retains it.
  var vm: Unmanaged<LuaVM> { .passUnretained(scope.registry.vm) }

  /// The link of the generation of the code.
  var code: SchedulerLink { scope.registry.scheduler }

  var feature: String { node.feature ?? node.origin }
  var origin: String { handler.map { "\($0.script):\($0.line)" } ?? node.origin }

  /// The keys of the feature's `on` that lead to the handler.
  func patterns(in feature: FeatureNode) -> [String] {
    guard let handler else { return [] }
    return feature.patterns(at: handler.script, handler.line)
  }

  /// The path of the action.
  var action: String { Action(trusted: Value(borrowing: slot)).path }

  /// Whether a new owner for this handler, scope and action would be equal to this one. False
  /// whenever the effect may have views.
  func serves(_ handler: Handler, _ scope: Unmanaged<DependencyScope>, _ action: Slot) -> Bool {
    generation == 0 && self.handler === handler
      && scope.toOpaque() == Unmanaged.passUnretained(self.scope).toOpaque()
      && slot.isIdentical(to: action)
  }
}

/// Values beside the action that an effect may have views of.
final class RetainedValues {
  private let slots: [Slot]

  /// - Parameter slots: borrowed (+0).
  init(_ slots: [Slot]) { self.slots = slots.map { $0.retained() } }

  deinit { for slot in slots { slot.release() } }
}

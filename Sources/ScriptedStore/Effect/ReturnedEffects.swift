import LuaBridge

/// The effects that a reducer tree returned for an action, in the order in which they are to start, and whose
/// they are. Inside a worker.
enum ReturnedEffects {
  case none
  /// Of a reducer, which lives as long as its tree.
  case effect(EffectNode, Unmanaged<ReducerNode>, EffectOwner?)
  /// What a script's `effect.run` made, by its place in the ``ReduceContext``.
  case run(Int)
  case list([ReturnedEffects])
  /// Of a child.
  indirect case nested(ReturnedEffects, ChildPlace)

  @inline(__always)
  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// Both, `self` first.
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

  /// The same with other nodes.
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

/// What a script's `effect.run` made, and whose it is.
struct ReturnedRun {
  let run: ScriptRun
  /// Which lives as long as its tree.
  let reducer: Unmanaged<ReducerNode>
  /// With a reference (+1).
  let owner: Unmanaged<EffectOwner>
}

/// Which child of a node it is.
struct ChildPlace {
  /// The operator, which lives as long as its tree.
  let node: Unmanaged<ReducerNode>
  /// Of the child's actions.
  let type: String
  /// Of an element, as its actions have it.
  let id: Value?
  /// The same as the parent's state has it.
  let key: Value?
  /// The `id` of a child that is no element, which makes it another one when it changes.
  let identity: Value?
  /// How it can be let go of.
  var presentation: Presentation?
}

/// Whose code is in an effect, and what it may reach.
final class EffectOwner {
  let node: ReducerNode
  /// What returned it, nil for Swift.
  private let handler: Handler?
  /// What its `deps` holds, which does not keep that.
  let scope: DependencyScope
  /// Its `deps`.
  let dependencies: LuaReference?
  /// The whole action that it was returned for (+1), views of which it may keep.
  private let slot: Slot
  /// Of the action's views.
  let generation: UInt64
  /// What else its handler got views of.
  private let kept: KeptValues?

  /// - Parameters:
  ///   - action: (+0).
  ///   - generation: 0 where its handler took no views.
  init(
    _ node: ReducerNode, _ handler: Handler?, _ scope: DependencyScope,
    dependencies: LuaReference?, action: Slot, generation: UInt64, keeping kept: KeptValues? = nil
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

  /// In which its code is; it keeps that.
  var vm: Unmanaged<LuaVM> { .passUnretained(scope.registry.vm) }

  /// The scripts that it is of.
  var code: SchedulerLink { scope.registry.scheduler }

  var feature: String { node.feature ?? node.origin }
  var origin: String { handler.map { "\($0.script):\($0.line)" } ?? node.origin }

  /// Under which keys of a feature's `on` its handler stood.
  func patterns(in feature: FeatureNode) -> [String] {
    guard let handler else { return [] }
    return feature.patterns(at: handler.script, handler.line)
  }

  /// The action's path.
  var action: String { Action(trusted: Value(borrowing: slot)).path }

  /// Whether it would be the same for another action, as far as that can be told at once.
  func serves(_ handler: Handler, _ scope: Unmanaged<DependencyScope>, _ action: Slot) -> Bool {
    generation == 0 && self.handler === handler
      && scope.toOpaque() == Unmanaged.passUnretained(self.scope).toOpaque()
      && slot.isIdentical(to: action)
  }
}

/// Values that an effect may have views of beside the action's.
final class KeptValues {
  private let slots: [Slot]

  /// Of slots (+0).
  init(_ slots: [Slot]) { self.slots = slots.map { $0.retained() } }

  deinit { for slot in slots { slot.release() } }
}

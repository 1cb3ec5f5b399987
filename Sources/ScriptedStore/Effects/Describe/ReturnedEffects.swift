import LuaBridge

/// The effects that a reducer tree returned for an action, in the order in which they are to start,
/// with the reducers that they belong to. Used inside a worker.
enum ReturnedEffects {
  case none
  /// An effect of a reducer. The reducer tree owns the reducer.
  case effect(EffectNode, Unmanaged<ReducerNode>, EffectOwner?)
  /// A script's `effect.run`.
  case run(ReturnedRun)
  case list([ReturnedEffects])
  /// The effects of a child.
  indirect case nested(ReturnedEffects, ChildPlace)

  @inline(__always)
  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// Both, first `self`. Copies a list: a loop uses ``append(_:)``.
  @inline(__always)
  func followed(by other: ReturnedEffects) -> ReturnedEffects {
    if other.isNone { return self }
    if isNone { return other }
    return joined(other)
  }

  private func joined(_ other: ReturnedEffects) -> ReturnedEffects {
    var both = self
    both.join(other)
    return both
  }

  /// Adds effects that start after these.
  @inline(__always)
  mutating func append(_ other: ReturnedEffects) {
    if other.isNone { return }
    if isNone { self = other } else { join(other) }
  }

  private mutating func join(_ other: ReturnedEffects) {
    if case .list(var effects) = self {
      // Without this the list would be copied for each effect.
      self = .none
      effects.append(other)
      self = .list(effects)
    } else {
      self = .list([self, other])
    }
  }

  /// The effects with transformed nodes.
  func mapNodes(
    _ context: ReduceContext, _ transform: (EffectNode, EffectOwner?) -> EffectNode
  ) -> ReturnedEffects {
    switch self {
    case .none: .none
    case .effect(let node, let reducer, let owner): .effect(transform(node, owner), reducer, owner)
    case .run(let run): run.takeEffect(of: context.vm).mapNodes(context, transform)
    case .list(let effects): .list(effects.map { $0.mapNodes(context, transform) })
    case .nested(let inner, let place): .nested(inner.mapNodes(context, transform), place)
    }
  }

  @inline(__always)
  func nested(in place: @autoclosure () -> ChildPlace) -> ReturnedEffects {
    isNone ? .none : .nested(self, place())
  }
}

/// A script's `effect.run`, with the reducer that returned it and its owner. Its functions are released
/// with it, unless they were taken before.
final class ReturnedRun {
  private var run: ScriptRun?
  /// The reducer tree owns it.
  let reducer: Unmanaged<ReducerNode>
  let owner: EffectOwner

  init(_ run: ScriptRun, of reducer: ReducerNode, _ owner: EffectOwner) {
    self.run = run
    self.reducer = .passUnretained(reducer)
    self.owner = owner
  }

  deinit {
    if let run { owner.vm.takeUnretainedValue().release(run.functions) }
  }

  /// The run, whose functions the caller takes over; nil if it was taken before.
  func take() -> ScriptRun? { run.take() }

  /// The run as a node, which can become a part of another effect.
  func takeEffect(of vm: LuaVM) -> ReturnedEffects {
    guard let run = take() else { return .none }
    return .effect(EffectNode(run, of: vm), reducer, owner)
  }
}

/// A child of an operator.
struct ChildPlace {
  /// The reducer tree owns it.
  let nodeChild: Unmanaged<NodeChild>
  /// The id of an element as in its actions; nil for a child that is no element.
  let id: Value?
  /// The id of an element as in the parent's state: in an object, its text.
  let key: Value?
  /// The `id` in the state of a child that is no element. When it changes, it is another child.
  let identity: Value?

  init(_ child: NodeChild, id: Value? = nil, key: Value? = nil, identity: Value? = nil) {
    nodeChild = .passUnretained(child)
    (self.id, self.key, self.identity) = (id, key, identity)
  }

  /// The type of the child's actions.
  var type: String { nodeChild._withUnsafeGuaranteedRef { $0.action } }
  /// How its actions are nested.
  var step: ActionStep { ActionStep(type: type, id: id) }
  /// How the child can be dismissed; nil if it cannot.
  var presentation: Presentation? { nodeChild._withUnsafeGuaranteedRef { $0.presentation } }
}

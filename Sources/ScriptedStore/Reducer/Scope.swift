import LuaBridge

/// A child on a part of the state, before its parent; as TCA's `Scope`.
final class ScopeNode: ReducerNode {
  private let base: ReducerNode
  private let child: DomainReference
  private let state: StateAccess
  private let type: Int
  private let action: String
  private let bare: BareTypes

  init(
    base: ReducerNode, child: DomainReference, state: StateAccess, type: Int, action: String,
    bare: BareTypes, origin: String
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.type = type
    self.action = action
    self.bare = bare
    super.init(origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == type else { return try base.reduce(context, draft, action) }
    let nested = context.keys.action.value(in: action.slot)
    guard nested.isContainer else {
      bare.warn(context, nested, type, like: "\(self.action).…", origin)
      return try base.reduce(context, draft, action)
    }
    let effect = try reduceChild(context, draft, nested)
    // Most have none: nothing is put together then.
    if effect.isNone { return try base.reduce(context, draft, action) }
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  private func reduceChild(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let place = try state.open(context, draft) else {
      let origin = try child.domain().optional ?? origin
      context.warn(
        .absentChild,
        """
        \(origin): the action \"\(context.actionPath ?? self.action)\" was sent to a child whose state \
        (\(state.description)) is absent or no table. Check the key; else either the child's state was removed before the action arrived, or \
        the action was sent while there was no child; guard the sender, or give the state a value first
        """, origin: origin)
      return .none
    }
    let effect = try child.reduce(context, place, action)
    try state.close(context, draft, place)
    if effect.isNone { return .none }
    let identity = context.keys.id.value(in: try context.current(place))
    return effect.nested(
      in: ChildPlace(
        node: .passUnretained(self), type: self.action, id: nil, key: nil,
        identity: Value(ifPresent: identity)))
  }

  override func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    // What a function of a script makes of the state is always there.
    guard self.state.isPath else { return body(.absent) }
    let found = self.state.look(at: state)
    guard found.isContainer,
      Value(ifPresent: context.keys.id.value(in: found)) == child.identity
    else { return }
    body(found)
  }

  override var outline: NodeOutline {
    NodeOutline(
      kind: "scope", key: state.key, action: action, parts: [base], children: [(nil, child)])
  }

  override var inspects: Bool {
    // Of a child that is not made yet nobody knows.
    base.inspects || child.madeDomain?.root.inspects ?? true
  }

  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    let effects = context.effects
    if base.inspects || effects != nil { base.inspect(context, old: old, new: new) }
    let before = state.look(at: old)
    let after = state.look(at: new)
    guard !after.isIdentical(to: before) else { return }
    let place = effects?.child(action, nil)
    if let place, state.isPath, !isSameChild(context, before, after) { place.cancelAll() }
    guard after.isContainer, let root = child.domainOfState?.root, root.inspects || place != nil
    else { return }
    context.effects = place
    root.inspect(context, old: before, new: after)
    context.effects = effects
  }

  /// Whether what was in flight for the child still is: it is there, with the `id` that it had.
  private func isSameChild(_ context: ReduceContext, _ before: Slot, _ after: Slot) -> Bool {
    after.isContainer
      && Value(ifPresent: context.keys.id.value(in: before))
        == Value(ifPresent: context.keys.id.value(in: after))
  }
}

extension Value {
  /// The value of a slot (+0), nil if it is absent.
  init?(ifPresent slot: Slot) {
    if slot.isAbsent { return nil }
    self.init(borrowing: slot)
  }
}

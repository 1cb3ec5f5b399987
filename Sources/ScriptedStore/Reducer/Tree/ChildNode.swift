import LuaBridge

/// The parts of an operator with one child on a part of its state.
struct ChildParts {
  let base: ReducerNode
  let child: DomainReference
  var state: StateAccess
  /// The type of the child's actions: its number in the domain, and its name.
  let type: Int
  let action: String
  let bare: BareTypes
  let origin: String
}

/// An operator that runs one child on a part of its state, then its base. The base class of
/// `scope`, `ifLet` and `ifCaseLet`.
class ChildNode: ReducerNode {
  final let base: ReducerNode
  final let child: DomainReference
  final let state: StateAccess
  final let type: Int
  final let action: String
  final let bare: BareTypes
  /// The cached ``inspects``; nil while the child is not made.
  private final var cachedInspects: Bool?

  init(_ parts: ChildParts) {
    base = parts.base
    child = parts.child
    state = parts.state
    type = parts.type
    action = parts.action
    bare = parts.bare
    super.init(origin: parts.origin)
  }

  override var outline: NodeOutline {
    NodeOutline(
      kind: kind, key: state.key, action: action, parts: [base],
      children: [(nil, child)])
  }

  // MARK: Identity

  /// The identity of a child, which distinguishes it from another child at the same key: its case,
  /// if it has cases, and its `id`, if it has one.
  final func identity(of state: Slot, _ context: ReduceContext) -> Value? {
    guard let domain = child.domainIfMade, domain.isTagged else {
      return Value(ifPresent: context.keys.id.value(in: state))
    }
    guard let (key, value) = KeyMatcher.only(in: state, ignoring: domain.idBytes) else {
      return nil
    }
    let id = Value(ifPresent: context.keys.id.value(in: value))
    return .array([Value(borrowing: key), id ?? .null])
  }

  /// Wraps the effects of the child, which are not `none`, in its place. `childDraft` is read after
  /// the child ran.
  @inline(never)
  final func nested(
    _ effect: ReturnedEffects, _ context: ReduceContext, _ childDraft: Int32,
    presentation: Presentation? = nil
  ) throws(ScriptError) -> ReturnedEffects {
    let identity = identity(of: try context.currentValue(of: childDraft), context)
    return effect.nested(
      in: ChildPlace(
        node: .passUnretained(self), type: action, id: nil, key: nil, identity: identity,
        presentation: presentation))
  }

  override final func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    // The parent's state is unknown, because a script's `get` raised: the child counts as present.
    if state.isAbsent { return body(.absent) }
    self.state.withChildState(in: state, context) { found in
      guard let found else { return body(.absent) }
      guard found.isContainer, identity(of: found, context) == child.identity else { return }
      body(found)
    }
  }

  // MARK: Views

  override final var view: ViewFunction? { base.view }

  override final func placed(as action: String) -> ReducerNode? {
    action == self.action ? self : base.placed(as: action)
  }

  override final func viewChild(
    _ action: String, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    let domain = try child.domain()
    var found = Slot.absent
    self.state.withChildState(in: state, context) { found = $0?.retained() ?? .absent }
    guard found.isContainer else {
      found.release()
      return nil
    }
    return ViewChild(
      state: found, domain: domain.root is IgnoredNode ? nil : domain, action: action)
  }

  // MARK: After an action

  override func add(to settling: inout SettlingFacts) {
    base.add(to: &settling)
    child.add(to: &settling)
  }

  override func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let settled = try settleChild(
      context, state.childState(in: old), state.childState(in: new), in: new)
    return try base.settle(context, old: old, new: new, after: settled)
  }

  /// Settles the child from `before` to `after`. Returns the new state of the parent, owned (+1),
  /// or nil if it stays as it is. All arguments are borrowed (+0).
  final func settleChild(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, in parent: Slot
  ) throws(ScriptError) -> Slot? {
    guard !after.isIdentical(to: before), !after.isAbsent, after.tag != .null,
      let root = child.rootToSettle(context)
    else { return nil }
    guard after.isContainer else {
      // Another child is absent then, as the first action for it tells.
      guard child.domainIfMade?.isTagged == true else { return nil }
      throw TaggedStateReport.refusal(of: Value(borrowing: after), origin: origin, root.outline)
    }
    let settled = try root.settle(context, old: before, new: after)
    return settled.map { state.replacing(in: parent, by: $0) }
  }

  // MARK: Shared values

  override final func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    base.addShared(to: fields, sharing)
    if state.isPath { child.addShared(to: fields.container(at: state.path), sharing) }
  }

  override final var hasReactions: Bool { base.hasReactions || child.hasReactions }

  override final func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    if child.hasReactions, state.isPath, let childDraft = try state.childDraft(context, draft) {
      effect = try reactChild(context, childDraft, old: state.childState(in: old), action)
      if !effect.isNone {
        effect = try nested(effect, context, childDraft, presentation: presentation)
      }
    }
    return effect.followed(by: try base.react(context, draft, old: old, action))
  }

  /// Runs ``react(_:_:old:_:)`` of the child.
  func reactChild(
    _ context: ReduceContext, _ childDraft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    try child.domain().root.react(context, childDraft, old: old, action)
  }

  /// How the child is presented; nil if it cannot be dismissed.
  var presentation: Presentation? { nil }

  // MARK: After an action

  override final func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    if base.isAffected(context, draft) { return true }
    switch state.reshaped(context, draft) {
    case .no: return false
    case .parent: return true
    case .child(let childDraft): return child.isAffected(context, childDraft)
    }
  }

  override func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    try self.walk(state, after: try base.walk(walk, state)) { (state) throws(ScriptError) in
      try walkChild(walk, in: state)
    }
  }

  override final var inspects: Bool {
    if let cachedInspects { return cachedInspects }
    // Until the child is made it is unknown whether it inspects.
    guard let domain = child.domainIfMade else { return true }
    let known = base.inspects || domain.root.inspects
    cachedInspects = known
    return known
  }

  override final func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    let effects = context.effects
    if base.inspects || effects != nil { base.inspect(context, old: old, new: new) }
    let place = effects?.child(action, nil)
    // A script's `get` is only called if effects are in flight there.
    guard state.isPath || place != nil else { return }
    state.withChildState(in: old, context) { before in
      state.withChildState(in: new, context) { after in
        guard let before, let after else { return }
        inspectChild(context, before, after, place)
      }
    }
    context.effects = effects
  }

  private final func inspectChild(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, _ place: EffectPlace?
  ) {
    guard !after.isIdentical(to: before) else { return }
    if let place, !isSameChild(context, before, after) { place.cancelAll() }
    guard after.isContainer, let root = child.domainToInspect?.root, root.inspects || place != nil
    else { return }
    context.effects = place
    root.inspect(context, old: before, new: after)
  }

  /// Whether the child is still there with the same identity, so that its effects go on.
  private final func isSameChild(_ context: ReduceContext, _ before: Slot, _ after: Slot) -> Bool {
    after.isContainer && identity(of: before, context) == identity(of: after, context)
  }
}

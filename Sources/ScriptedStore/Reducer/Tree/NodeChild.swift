import LuaBridge

/// A child of an operator: a domain that runs on a part of the operator's state, which may be
/// absent, and the type of its actions.
///
/// It knows where the child's state is in that of the operator, and does for the child what the
/// steps of ``ReducerNode`` do. ``NodeElements`` are the elements of a collection.
class NodeChild {
  final let domain: DomainReference
  final let state: StateAccess
  /// The type of the child's actions: its number in the operator's domain, and its name.
  final let type: Int
  final let action: String
  /// That of the operator's domain.
  private final let vocabulary: ActionVocabulary
  /// The operator, for messages.
  final let origin: String
  final let presence: ChildPresence
  /// The override that sets `deps.isPresented` for a child that can be dismissed, owned (+1). It is
  /// unmanaged, because overrides have weak references, which slow down reference counting.
  private final let presented: Unmanaged<DependencyOverride>?
  /// Whether this is a case of the operator's state, whose name stands at its place, and not in its
  /// identity.
  final let isCase: Bool
  /// For a case: whether no reducer runs on it, so that it may be any value.
  final let isValue: Bool

  init(_ parts: ChildParts, _ presence: ChildPresence, isCase: Bool = false) {
    domain = parts.child
    state = parts.state
    type = parts.type
    action = parts.action
    vocabulary = parts.vocabulary
    origin = parts.origin
    self.presence = presence
    presented = presence.presentation.map { _ in
      .passRetained(Presentation.override(origin: parts.origin))
    }
    self.isCase = isCase
    isValue = isCase && parts.child.made?.root.isBareValue == true
  }

  deinit { presented?.release() }

  /// How the child can be dismissed; nil if it cannot.
  final var presentation: Presentation? { presence.presentation }

  // MARK: Reducing

  /// The child's actions as patterns name them.
  final var actionPattern: String { presence.hasIDs ? "\(action)[*]" : action }
  /// An action of the child, as a warning shows it.
  final var exampleAction: String { presence.hasIDs ? "\(action)[ID].…" : "\(action).…" }

  /// The nested action in an action (+0) of this operator, borrowed (+0). Nil if it is no table, which
  /// is a warning unless a reducer handles that too.
  @inline(__always)
  final func nestedAction(of action: Slot, _ context: ReduceContext) -> Slot? {
    let nested = context.keys.action.value(in: action)
    if nested.isContainer { return nested }
    vocabulary.warnOfNested(nested, inTypeOf: self, context)
    return nil
  }

  /// Reduces an action (+0) of the child on a draft of its state. Returns its effects at its place.
  @inline(__always)
  final func reduce(
    _ context: ReduceContext, _ childDraft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let effect = try run(context, childDraft, action)
    if effect.isNone { return .none }
    return try nested(effect, context, childDraft)
  }

  /// Reduces an action (+0) of the child on a draft of its state.
  @inline(__always)
  final func run(
    _ context: ReduceContext, _ childDraft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let presented else { return try domain.reduce(context, childDraft, action) }
    return try context.overriding(presented) { () throws(ScriptError) in
      try domain.reduce(context, childDraft, action)
    }
  }

  /// Wraps the effects of the child, which are not `none`, in its place. `childDraft` is read after
  /// the child ran.
  @inline(never)
  final func nested(
    _ effect: ReturnedEffects, _ context: ReduceContext, _ childDraft: Int32
  ) throws(ScriptError) -> ReturnedEffects {
    let identity = identity(of: try context.currentValue(of: childDraft), context)
    return effect.nested(in: ChildPlace(self, identity: identity))
  }

  // MARK: Identity

  /// The identity of a child, which distinguishes it from another child at the same key: its case,
  /// if it has cases, and its `id`, if it has one.
  final func identity(of state: Slot, _ context: ReduceContext) -> Value? {
    guard !isCase, let domain = domain.made, domain.isTagged else {
      return Value(ifPresent: context.keys.id.value(in: state))
    }
    guard let (key, value) = state.onlyMember(ignoring: domain.idBytes) else {
      return nil
    }
    let id = Value(ifPresent: context.keys.id.value(in: value))
    return .array([Value(borrowing: key), id ?? .null])
  }

  /// Calls `body` with the state of the child, borrowed (+0), unless the child at `place` is no longer in
  /// `state`. `state` is a state of the operator, borrowed (+0). For both, an absent slot means that
  /// the state is unknown, because a script's `get` function raised; the child then counts as
  /// present.
  func withState(
    of place: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    if state.isAbsent { return body(.absent) }
    self.state.withChildState(in: state, context) { found in
      guard let found else { return body(.absent) }
      guard found.isContainer, identity(of: found, context) == place.identity else { return }
      body(found)
    }
  }

  // MARK: After an action

  /// ``ReducerNode/traits`` of the child.
  var traits: ReducerNode.Traits {
    let traits = domain.made?.root.traits ?? .unknown
    return state.isPath ? traits : traits.union(.computes)
  }

  /// A child that is another one, or in another state, than before.
  struct Change {
    /// For elements: the position in the new collection, from 0.
    var position = 0
    /// For elements: the id in a list, or the key in an object, borrowed (+0); else absent.
    var id = Slot.absent
    /// The child before and after, both borrowed (+0). `old` is absent for a new child.
    let old: Slot
    let new: Slot
  }

  /// Calls `change` with each child in the operator's state `new` that is not the same in `old`, with all if `old` is absent
  /// (both +0), and replaces those for which it returns another state (+1). Returns the new state of the operator, owned (+1),
  /// or nil if it stays as it is. The state of a script's functions is unknown.
  func replaceChanges(
    from old: Slot, to new: Slot, _ context: ReduceContext,
    _ change: (Change) throws(ScriptError) -> Slot?
  ) throws(ScriptError) -> Slot? {
    let after = state.childState(in: new)
    guard after.isContainer else { return nil }
    let before = state.childState(in: old)
    guard !after.isIdentical(to: before),
      let slot = try change(Change(old: before, new: after))
    else { return nil }
    return state.replacing(in: new, by: slot)
  }

  /// ``ReducerNode/settle(_:old:new:)`` of the children that have changed. Returns the new state of the
  /// operator.
  final func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    if let made = domain.made, !made.root.settles { return nil }
    return try replaceChanges(from: old, to: new, context) { (child) throws(ScriptError) in
      guard child.new.isContainer else { return nil }
      return try domain.rootToSettle?.settle(context, old: child.old, new: child.new)
    }
  }

  /// Whether the children may have something to settle or inspect. `draft` is that of the operator's
  /// state.
  final func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    switch state.reshaped(context, draft) {
    case .no: false
    case .parent: true
    case .child(let childDraft): isChildAffected(context, childDraft)
    }
  }

  func isChildAffected(_ context: ReduceContext, _ childDraft: Int32) -> Bool {
    domain.isAffected(context, childDraft)
  }

  /// ``ReducerNode/inspect(_:old:new:)`` of the child. Cancels its effects if it is gone, or another
  /// child is there.
  func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    let effects = context.effects
    let place = effects?.child(action, nil)
    // A script's `get` is only called if effects are in flight there.
    guard state.isPath || place != nil else { return }
    state.withChildState(in: old, context) { before in
      state.withChildState(in: new, context) { after in
        guard let before, let after, !after.isIdentical(to: before) else { return }
        if let place, !isSame(before, after, context) { place.cancelAll() }
        inspect(Change(old: before, new: after), at: place, context)
      }
    }
    context.effects = effects
  }

  /// Whether the child is still there with the same identity, so that its effects go on.
  private final func isSame(_ before: Slot, _ after: Slot, _ context: ReduceContext) -> Bool {
    after.isContainer && identity(of: before, context) == identity(of: after, context)
  }

  /// Inspects a changed child. `place` has its effects in flight; nil if it has none.
  final func inspect(_ child: Change, at place: EffectPlace?, _ context: ReduceContext) {
    guard child.new.isContainer, let root = domain.domainOrNil?.root,
      root.inspects || place != nil
    else { return }
    context.effects = place
    root.inspect(context, old: child.old, new: child.new)
  }

  /// Walks the children in a state of the operator (+0). Returns the new state, owned (+1); nil if
  /// nothing changed.
  final func walk(_ walk: StateWalk, in parent: Slot) throws(ScriptError) -> Slot? {
    // A script's functions compute this child's state from the parent's each time. There is nothing
    // stored to migrate.
    guard state.isPath, !isValue, !walk.forgets || traits.contains(.forgets) else { return nil }
    let found = state.childState(in: parent)
    let path = "." + (state.key ?? "")
    guard found.isContainer else {
      if walk.checks && !mayBe(found) {
        throw walk.refusal(
          "must be a \(container) (\(origin)), not \(Value(borrowing: found))", at: path)
      }
      return nil
    }
    return try walk.under(path, state.path) { () throws(ScriptError) in
      if walk.checks { try check(found, in: parent, walk) }
      let root = try domain.domain().root
      return try replaceChanges(from: .absent, to: parent, walk.context) {
        (child) throws(ScriptError) in
        try walkChild(child, walk, root, isList: found.tag == .list)
      }
    }
  }

  /// What stands at ``state``, for messages.
  var container: String { "table" }
  /// Whether a state that is no table can be held.
  func mayBe(_ found: Slot) -> Bool { found.isAbsent || found.tag == .null }
  /// Throws if a collection in a state of the operator cannot be held.
  func check(_ collection: Slot, in parent: Slot, _ walk: StateWalk) throws(ScriptError) {}

  func walkChild(
    _ child: Change, _ walk: StateWalk, _ root: ReducerNode, isList: Bool
  ) throws(ScriptError) -> Slot? {
    try root.walk(walk, child.new)
  }

  // MARK: Shared values

  /// ``ReducerNode/addShared(to:_:)`` of the child.
  final func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    if state.isPath && !isValue { domain.addShared(to: sharedFields(in: fields), sharing) }
  }

  /// What is shared of the child's state, in what is shared of the operator's.
  func sharedFields(in fields: SharedFields) -> SharedFields { fields.container(at: state.path) }

  /// ``ReducerNode/react(_:_:old:_:)`` of the child.
  final func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard domain.made?.root.reacts != false, state.isPath,
      let childDraft = try state.childDraft(context, draft)
    else { return .none }
    return try reactChild(context, childDraft, old: state.childState(in: old), action)
  }

  func reactChild(
    _ context: ReduceContext, _ childDraft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let effect = try reaction(context, childDraft, old: old, action)
    return effect.isNone ? .none : try nested(effect, context, childDraft)
  }

  final func reaction(
    _ context: ReduceContext, _ childDraft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let root = try domain.domain().root
    guard let presented else { return try root.react(context, childDraft, old: old, action) }
    return try context.overriding(presented) { () throws(ScriptError) in
      try root.react(context, childDraft, old: old, action)
    }
  }

  // MARK: Views

  /// This, if it stands for the elements of a collection. A view places them as rows, and not as a
  /// child.
  var elements: NodeElements? { nil }

  /// The child in a state (+0) of the operator, as views see it; nil if it is not there.
  func viewChild(
    in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    var found = Slot.absent
    self.state.withChildState(in: state, context) { found = $0?.retained() ?? .absent }
    guard found.isContainer || isValue && !found.isAbsent else {
      found.release()
      return nil
    }
    do throws(ScriptError) {
      let domain = try domain.domain()
      return ViewChild(
        state: found, domain: domain.root.isBareValue ? nil : domain, action: action)
    } catch {
      found.release()
      throw error
    }
  }
}

/// What a ``NodeChild`` is made of.
struct ChildParts {
  let child: DomainReference
  var state: StateAccess
  /// The type of the child's actions: its number in the domain, and its name.
  let type: Int
  let action: String
  let vocabulary: ActionVocabulary
  let origin: String
}

/// An operator that runs one child on a part of its state, then its base. The base class of
/// `scope`, `ifLet` and `ifCaseLet`.
class ChildNode: ReducerNode {
  final let base: ReducerNode
  final let child: NodeChild

  init(_ base: ReducerNode, _ parts: ChildParts, _ presence: ChildPresence) {
    self.base = base
    child = NodeChild(parts, presence)
    super.init(origin: parts.origin, parts: [base], children: [child])
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == child.type,
      let nested = child.nestedAction(of: action.slot, context)
    else { return try base.reduce(context, draft, action) }
    let effect = try reduceChild(context, draft, nested)
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  /// Reduces an action (+0) of the child, which may be absent in the operator's state at `draft`.
  func reduceChild(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let childDraft = try child.state.childDraft(context, draft) else {
      try warnAbsent(context, draft)
      return .none
    }
    return try child.reduce(context, childDraft, action)
  }

  /// Warns of an action for a child that is absent.
  func warnAbsent(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) {}

  /// Throws if the child has cases, and its state is none of them.
  override func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let (before, after) = (child.state.childState(in: old), child.state.childState(in: new))
    guard !after.isContainer, !after.isAbsent, after.tag != .null, !after.isIdentical(to: before),
      let root = child.domain.rootToSettle, child.domain.made?.isTagged == true
    else { return nil }
    // Another child is absent then, as the first action for it tells.
    throw TaggedStateReport.refusal(of: Value(borrowing: after), origin: origin, root.outline)
  }
}

/// A child as views see it: its state, and how it is drawn.
struct ViewChild {
  /// Owned (+1): the receiver releases it.
  let state: Slot
  /// Nil for a value that no reducer runs on, as of `ignored` and `ephemeral`.
  let domain: Domain?
  /// The type of the child's actions.
  let action: String
}

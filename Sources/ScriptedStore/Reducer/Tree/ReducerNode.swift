// The base class of the reducer tree.
//
// An action of a store passes the tree in these steps (`StoreCore.reduce`):
//
//     reduce ─▶ isAffected ─▶ commit the drafts ─▶ settle ─▶ inspect ─▶ start the effects
//
// A node says what it runs as data: `parts` run on the same state and actions, `children` on parts
// of the state. All steps but `reduce` visit the tree by these two, so an operator overrides
// `reduce` and, of the other five members, those where it does something itself.
//
// Invariants:
//
// 1. A node retains no state of a store. Everything that depends on the store or on the action is
//    in `ReduceContext`, except what an `EnvironmentNode` has made in a scope.
// 2. The nodes and their context belong to one VM. They are used only inside its worker, or by the
//    thread that builds the generation, before a worker has it.
// 3. `settle` compares two committed states before the store takes over the new one. It may return
//    another new state. An error that it throws rolls the action back.
// 4. `inspect` runs after the store has taken over the new state, and does not change it. It
//    cancels effects of children that are gone, updates the indexes of lists, and warns.
// 5. If `isAffected` is false, `settle` and `inspect` find nothing in this node or below it.
// 6. A `Slot` argument is borrowed (+0). A returned `Slot?` is owned (+1), and nil means
//    "unchanged".

import LuaBridge

/// A compiled operator or reducer at its position in the reducer tree of a store.
///
/// The same node serves all stores of its VM that run this tree (invariants 1 and 2).
class ReducerNode {
  /// The operator and its source line, for warnings: `scope at app.lua:12`.
  final let origin: String
  /// The name of the feature whose code this node runs, for errors.
  final let feature: String?
  /// The reducers of the same state and actions that this node runs, in their order.
  final let parts: [ReducerNode]
  /// What this node runs on parts of its state.
  final let children: [NodeChild]
  /// Whether no reducer runs on the state, as that of `ephemeral`: its actions are for the reducers
  /// around it.
  final let isValue: Bool
  /// The view that was given to this node itself.
  private final let ownView: ViewFunction?
  /// The cached ``traits``; nil while a child is not made.
  private final var cachedTraits: Traits?

  init(
    origin: String, feature: String? = nil, parts: [ReducerNode] = [], children: [NodeChild] = [],
    view: ViewFunction? = nil, isValue: Bool = false
  ) {
    self.origin = origin
    self.feature = feature
    self.parts = parts
    self.children = children
    self.isValue = isValue
    ownView = view
  }

  // MARK: What an operator may override

  /// Which of the steps after an action a node does something in.
  struct Traits: OptionSet {
    let rawValue: Int
    /// ``settle(_:old:new:)``, when the shape of the state changes.
    static let settles = Traits(rawValue: 1)
    /// ``inspect(_:old:new:)``.
    static let inspects = Traits(rawValue: 2)
    /// ``react(_:_:old:_:)``.
    static let reacts = Traits(rawValue: 4)
    /// A script's function computes the state of a child, so that it cannot be seen from what an action
    /// has written whether that has changed.
    static let computes = Traits(rawValue: 8)
    /// A feature has transient fields.
    static let forgets = Traits(rawValue: 16)

    static let unknown: Traits = [settles, inspects, reacts, computes, forgets]
  }

  /// What this node does itself, apart from its parts and children.
  var ownTraits: Traits { [] }

  /// Reduces `action` on the state of `draft`. Returns the effects in the order in which they
  /// start.
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects { .none }

  /// Runs each `onChange` in this node and below it whose value has changed with a shared value, children
  /// first. `draft` is the draft of this node's state. `old` is the state from before the action,
  /// borrowed (+0); absent if the state is new. Returns the effects in the order in which they start.
  func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    for child in children {
      effect.append(try child.react(context, draft, old: old, action))
    }
    for part in parts {
      effect.append(try part.react(context, draft, old: old, action))
    }
    return effect
  }

  /// Brings what this node itself says of the state into its final form, before its children and
  /// parts are settled; see ``settle(_:old:new:)``.
  func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? { nil }

  /// Does what a walk does in this node itself, before its parts and children are visited. Returns
  /// the new state, owned (+1), or nil if the state stays as it is.
  func walkOwn(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? { nil }

  /// What a drawing of the tree shows of this node: first the operator's name, the first word of its
  /// origin.
  var outline: NodeOutline {
    let child = children.first
    return NodeOutline(
      kind: String(origin.prefix { $0 != " " }), key: child?.state.key,
      action: child?.actionPattern, presence: child?.presence,
      ownActions: child?.domain.ownTypes ?? [], children: children.map { (nil, $0.domain) })
  }
}

// MARK: - After an action

extension ReducerNode {
  /// What this node and the reducers below it do, or may do as long as a child is not made. A reducer
  /// that contains itself always has one that is not.
  final var traits: Traits {
    if let cachedTraits { return cachedTraits }
    var traits = ownTraits
    for part in parts { traits.formUnion(part.traits) }
    for child in children { traits.formUnion(child.traits) }
    if children.allSatisfy({ $0.domain.made != nil }) { cachedTraits = traits }
    return traits
  }

  final var settles: Bool { traits.contains(.settles) }
  final var inspects: Bool { traits.contains(.inspects) }
  final var reacts: Bool { traits.contains(.reacts) }

  /// Whether ``settle(_:old:new:)`` or ``inspect(_:old:new:)`` may find something after the action
  /// whose drafts are still in the arena. `draft` is the draft of this node's state. Costs only the
  /// paths to containers that changed their shape.
  final func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    parts.contains { $0.isAffected(context, draft) }
      || children.contains { $0.isAffected(context, draft) }
      || ownTraits.contains(.settles) && context.arena.pointee.isReshaped(draft)
  }

  /// Brings the state that an action leaves into its final form, or throws to refuse it. `old` and
  /// `new` are states of this node, borrowed (+0), and differ. `old` is already in its final form;
  /// it is absent if the state is new. Returns the final form of `new`, owned (+1), or nil if `new`
  /// is final as it is.
  final func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    var state = SteppedState(new)
    try state.step { (new) throws(ScriptError) in try settleOwn(context, old: old, new: new) }
    for child in children {
      try state.step { (new) throws(ScriptError) in try child.settle(context, old: old, new: new) }
    }
    for part in parts where part.settles {
      try state.step { (new) throws(ScriptError) in try part.settle(context, old: old, new: new) }
    }
    return state.take()
  }

  /// Inspects what an action has changed, after the commit. `old` and `new` are states of this
  /// node, borrowed (+0), and differ. `old` is absent if the state is new.
  final func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    for part in parts where part.inspects || context.effects != nil {
      part.inspect(context, old: old, new: new)
    }
    for child in children { child.inspect(context, old: old, new: new) }
  }

  /// Visits a state of this node for `walk`. The state is borrowed (+0). Returns the new state,
  /// owned (+1), or nil if the state stays as it is.
  final func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    var state = SteppedState(state)
    try state.step { (state) throws(ScriptError) in try walkOwn(walk, state) }
    for part in parts {
      try state.step { (state) throws(ScriptError) in try part.walk(walk, state) }
    }
    for child in children {
      try state.step { (state) throws(ScriptError) in try child.walk(walk, in: state) }
    }
    return state.take()
  }
}

extension ReducerNode {
  /// A state (+0) that no action has made in its final form, owned (+1). Throws if the reducers cannot run on it. The ids that
  /// elements of stacks get are pending.
  final func finalForm(
    of state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    guard state.fits(below: 0) else {
      throw ScriptError("state cannot be nested deeper than \(maximumDepth)")
    }
    // The errors of a check name the place in the state, which those of settling do not.
    _ = try walk(StateWalk(.checks, context), state)
    return try settle(context, old: .absent, new: state) ?? state.retained()
  }
}

extension ReducerNode {
  /// The features of this domain and of its children that are made.
  var featureKeys: Set<FeatureKey> {
    var keys: Set<FeatureKey> = []
    var seen: Set<ObjectIdentifier> = []
    addFeatureKeys(to: &keys, &seen)
    return keys
  }

  private func addFeatureKeys(
    to keys: inout Set<FeatureKey>, _ seen: inout Set<ObjectIdentifier>
  ) {
    guard seen.insert(ObjectIdentifier(self)).inserted else { return }
    if let ownFeature { keys.insert(ownFeature.key) }
    for part in parts { part.addFeatureKeys(to: &keys, &seen) }
    for child in children { child.domain.made?.root.addFeatureKeys(to: &keys, &seen) }
  }
}

/// A state that steps may replace, one after the other. If a step throws, the state is released.
struct SteppedState: ~Copyable {
  /// Borrowed (+0).
  private let first: Slot
  /// Owned (+1); nil while no step has changed the state.
  private var replaced: Slot?

  init(_ state: Slot) { first = state }

  deinit { replaced?.release() }

  /// Makes a step, which gets the state (+0) and returns the new one (+1), or nil for no change.
  mutating func step(
    _ next: (Slot) throws(ScriptError) -> Slot?
  ) throws(ScriptError) {
    guard let new = try next(replaced ?? first) else { return }
    replaced?.release()
    replaced = new
  }

  /// The state after all steps, owned (+1); nil if it is the first one.
  mutating func take() -> Slot? {
    defer { replaced = nil }
    return replaced
  }
}

// MARK: - Shared values

extension ReducerNode {
  /// Describes what this node and the reducers below it share of the container that is their state.
  final func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    ownFeature?.addOwnShared(to: fields, sharing)
    for part in parts { part.addShared(to: fields, sharing) }
    for child in children { child.addShared(to: fields, sharing) }
  }
}

// MARK: - Views

extension ReducerNode {
  /// The view that draws the state of this node; nil if there is none here or in its parts.
  final var view: ViewFunction? { first { $0.ownView } }

  /// Whether a view of this node, or that of the present case, can be shown.
  final var hasView: Bool { view != nil || cases != nil }

  /// Whether the state is a value that no reducer runs on, without an operator around it, which might
  /// draw it.
  final var isBareValue: Bool { isValue && parts.isEmpty }

  /// The child of this domain with actions of this type; nil if there is none.
  final func child(named action: String) -> NodeChild? {
    first { node in node.children.first { $0.action == action } }
  }

  /// The cases of the state, of which a view can place the present one; nil if there are none.
  final var cases: [NodeChild]? {
    first { node in node.children.first?.isCase == true ? node.children : nil }
  }

  /// The names under which a view may place children.
  final var placedNames: [String] { parts.flatMap(\.placedNames) + children.map(\.action) }

  /// This node, if it is a script's feature.
  final var ownFeature: FeatureNode? { self as? FeatureNode }

  /// The first feature of the domain below this node. Its name stands for reducers that belong to
  /// no feature.
  final var firstFeature: FeatureNode? { first { $0.ownFeature } }

  /// What `find` returns for this node or else for its parts, which are asked in their order.
  final func first<T>(_ find: (ReducerNode) -> T?) -> T? {
    if let found = find(self) { return found }
    for part in parts {
      if let found = part.first(find) { return found }
    }
    return nil
  }
}

// MARK: - Operators around a reducer

/// An operator around a reducer of the same state and actions. It does something before or after
/// the reducer runs.
class WrapperNode: ReducerNode {
  final let base: ReducerNode

  init(
    _ base: ReducerNode, origin: String, feature: String? = nil, view: ViewFunction? = nil
  ) {
    self.base = base
    super.init(
      origin: origin, feature: feature, parts: [base], view: view, isValue: base.isValue)
  }
}

/// What a drawing of the reducer tree shows of one node.
struct NodeOutline {
  struct Handler {
    let pattern: String
    let script: String
    let line: Int
  }

  /// What the node is: `feature`, `scope`, `forEach`, …
  var kind: String
  /// Whether the node was made for a feature whose outline already shows it.
  var isPartOfFeature = false
  /// The path of the child's state, or the name of the dependency.
  var key: String?
  /// The type of the child's actions.
  var action: String?
  /// When the child is there; nil for an operator without one, and for `cases`, which has several.
  var presence: ChildPresence?
  /// Types of actions that stand in place of the child's, and are the operator's own, as `dismiss`.
  var ownActions: [String] = []
  var handlers: [Handler] = []
  /// Action types that the node knows and has no handler for.
  var actions: [String] = []
  /// The names that a feature declares.
  var dependencies: [String] = []
  /// The keys of a feature's initial state.
  var state: [String] = []
  /// The script's table of a feature's initial state; nil if it has none.
  var defaults: LuaTable?
  /// The shared fields of a feature, sorted by name.
  var shared: [SharedField] = []
  /// The names of shared fields whose keys a function chooses.
  var dynamicShared: [String] = []
  /// The reducers of a part of the state. Those under `cases` have the name of their case.
  var children: [(name: String?, domain: DomainReference)] = []
}

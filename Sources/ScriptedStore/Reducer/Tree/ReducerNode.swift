// The base class of the reducer tree, and the context that its nodes share while an action runs.
//
// An action of a store passes the tree in these steps (`StoreCore.reduce`):
//
//     reduce ─▶ isAffected ─▶ commit the drafts ─▶ settle ─▶ inspect ─▶ start the effects
//
// Invariants:
//
// 1. A node retains no state of a store. Everything that depends on the store or on the action is
//    in `ReduceContext`.
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
  let origin: String
  /// The name of the feature whose code this node runs, for errors.
  let feature: String?
  /// The cached answer of ``settles(_:)``; nil while the answer is unknown.
  private final var cachedSettles: Bool?
  /// The version of ``LazyReducers`` at which the answer was unknown; -1 before the first attempt.
  private final var unknownVersion = -1

  init(origin: String, feature: String? = nil) {
    self.origin = origin
    self.feature = feature
  }

  /// Reduces `action` on the state of `draft`. Returns the effects in the order in which they
  /// start.
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects { .none }

  /// Calls `body` with the state of a child, borrowed (+0), unless the child is no longer in
  /// `state`. `state` is a state of this node, borrowed (+0). For both, an absent slot means that
  /// the state is unknown, because a script's `get` function raised; the child then counts as
  /// present.
  func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {}

  /// Adds to `settling` whether this node or a reducer below it settles.
  func add(to settling: inout SettlingFacts) {}

  /// Whether ``settle(_:old:new:)`` may do anything in this node or below it. True while that is
  /// unknown.
  @inline(__always)
  final func settles(_ context: ReduceContext) -> Bool {
    if let cachedSettles { return cachedSettles }
    return unknownVersion == context.lazyReducers.version || computeSettles(context)
  }

  private final func computeSettles(_ context: ReduceContext) -> Bool {
    var settling = SettlingFacts()
    add(to: &settling)
    cachedSettles = context.lazyReducers.settles(settling)
    unknownVersion = context.lazyReducers.version
    return cachedSettles ?? true
  }

  /// Brings the state that an action leaves into its final form, or throws to refuse it. `old` and
  /// `new` are states of this node, borrowed (+0), and differ. `old` is already in its final form;
  /// it is absent if the state is new. Returns the final form of `new`, owned (+1), or nil if `new`
  /// is final as it is.
  func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? { nil }

  /// Whether ``settle(_:old:new:)`` or ``inspect(_:old:new:)`` may find something after the action
  /// whose drafts are still in the arena. `draft` is the draft of this node's state. Costs only the
  /// paths to containers that changed their shape.
  func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool { false }

  /// Visits a state of this node for `walk`. The state is borrowed (+0). Returns the new state,
  /// owned (+1), or nil if the state stays as it is.
  func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? { nil }

  // MARK: Shared values

  /// Describes what this node and the reducers below it share of the container that is their state.
  func addShared(to fields: SharedFields, _ sharing: StoreSharing) {}

  /// Whether ``react(_:_:old:_:)`` may do something in this node or below it.
  var hasReactions: Bool { false }

  /// Runs each `onChange` in this node and below it whose value has changed with a shared value, children
  /// first. `draft` is the draft of this node's state. `old` is the state from before the action,
  /// borrowed (+0); absent if the state is new. Returns the effects in the order in which they start.
  func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects { .none }

  // MARK: Views

  /// Whether no reducer runs on the state, as that of `ephemeral`: its actions are for the reducers around it.
  var isValue: Bool { false }

  /// The view that draws the state of this node; nil if there is none here or in its base.
  var view: ViewFunction? { nil }

  /// The operator of this domain whose child a view places under this action type; nil if there is none. An empty type is that
  /// of the present case.
  func placed(as action: String) -> ReducerNode? { nil }

  /// The child of this operator in a state (+0) of its own; nil if it is not there.
  func viewChild(
    _ action: String, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? { nil }

  /// What a drawing of the tree shows of this node.
  var outline: NodeOutline {
    NodeOutline(kind: kind)
  }

  /// The operator's name, the first word of its origin.
  final var kind: String { String(origin.prefix { $0 != " " }) }

  /// Whether ``inspect(_:old:new:)`` does anything in this node or below it.
  var inspects: Bool { false }

  /// Inspects what an action has changed, after the commit. `old` and `new` are states of this
  /// node, borrowed (+0), and differ. `old` is absent if the state is new.
  func inspect(_ context: ReduceContext, old: Slot, new: Slot) {}
}

extension ReducerNode {
  /// Runs ``settle(_:old:new:)`` after another node of the domain, which returned `settled`.
  /// Consumes `settled` (+1). Returns the final state after both nodes, owned (+1), or nil if
  /// neither changed it.
  final func settle(
    _ context: ReduceContext, old: Slot, new: Slot, after settled: Slot?
  ) throws(ScriptError) -> Slot? {
    guard settles(context) else { return settled }
    do throws(ScriptError) {
      guard let next = try settle(context, old: old, new: settled ?? new) else { return settled }
      settled?.release()
      return next
    } catch {
      settled?.release()
      throw error
    }
  }
}

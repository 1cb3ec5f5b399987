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
  private final var knownToSettle: Bool?
  /// The version of ``LazyReducers`` at which the answer was unknown; -1 before the first attempt.
  private final var unknownAt = -1

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
    if let knownToSettle { return knownToSettle }
    return unknownAt == context.lazyReducers.version || findOutWhetherItSettles(context)
  }

  private final func findOutWhetherItSettles(_ context: ReduceContext) -> Bool {
    var settling = SettlingFacts()
    add(to: &settling)
    knownToSettle = context.lazyReducers.settles(settling)
    unknownAt = context.lazyReducers.version
    return knownToSettle ?? true
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

  /// What a drawing of the tree shows of this node.
  var outline: NodeOutline {
    NodeOutline(kind: origin.prefix { $0 != " " }.description)
  }

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

/// An action at one level of the reducer tree.
struct ActionCursor: ~Copyable {
  /// The action's table, borrowed (+0).
  let slot: Slot
  /// The number of the action's type in the domain's ``NameTable``; -1 for an unknown type.
  let type: Int

}

/// The keys that each level of the tree reads from an action's table. Each key remembers its
/// position in 64 shapes; with 8, the shapes of different actions collided.
struct ActionKeys: ~Copyable {
  let type = FieldKey("type", sizeBits: 6)
  let id = FieldKey("id", sizeBits: 6)
  let action = FieldKey("action", sizeBits: 6)
}

extension Slot {
  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: StaticString) -> Slot {
    field(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
  }

  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: UnsafeRawBufferPointer) -> Slot { ElementIDs.id(of: self, under: key) }
}

/// What the nodes need while they reduce: the VM, the action that runs, and its store.
final class ReduceContext {
  let vm: LuaVM
  let keys = ActionKeys()
  /// The element indexes of the store whose action runs, borrowed (+0); its `StoreCore` retains
  /// them.
  private var store: Unmanaged<ElementIndexes>
  private let noIndexes = ElementIndexes()
  /// Warnings of these kinds are dropped, because the host has silenced them.
  let silencedWarnings: Set<RuntimeWarning.Kind>
  let lazyReducers: LazyReducers
  /// The warnings of the action that runs, until ``takeWarnings()``.
  private var warnings: [RuntimeWarning] = []
  /// Avoids the dynamic exclusivity check on the array.
  private var hasWarnings = false
  /// The table of the action that runs, borrowed (+0); absent while no action runs.
  private(set) var action = Slot.absent
  /// The node whose code ran last, borrowed (+0); its tree retains it. Errors name its feature.
  var current: Unmanaged<ReducerNode>?
  /// The scope behind `deps` at the current node, borrowed (+0). The store retains the outermost
  /// scope, and each scope retains the scopes inside it.
  var dependencies: Unmanaged<DependencyScope>
  /// The ``EffectOwner`` that was made last. An effect that the same handler returns for the same
  /// action reuses it.
  var lastOwner: EffectOwner?
  /// The results of `effect.run` that were returned for the current action, by the index in
  /// ``ReturnedEffects/run(_:)``. An entry is nil after ``takeRun(_:)``. Allocated by hand, which
  /// avoids the dynamic exclusivity check on a stored array.
  private let runs: UnsafeMutablePointer<[ReturnedRun?]>
  /// During ``ReducerNode/inspect(_:old:new:)``: the place of the inspected node, if effects are in
  /// flight there; else nil.
  var effects: EffectPlace?
  /// Receives a closure that makes the text to print. The closure runs outside the worker. Nil if
  /// the host prints nothing.
  var print: ((_ text: @escaping @Sendable () -> String) -> Void)?
  /// Runs reducers without a store.
  // Proof: `DirectRuns` sets this to nil in its `deinit`.
  unowned(unsafe) var directRuns: DirectRuns?
  /// The host's instrument, which measures reducers under `signpost`; nil if there is none.
  var instrument: (any SignpostInstrument)?
  /// Records dependency results while an action of a store with a history runs; else nil.
  var recorder: DependencyRecorder?
  /// A hash of the ids of the elements around the current node; 0 outside all elements. It
  /// distinguishes lists of one `forEach` that are in different parent elements.
  var elementPathHash: UInt64 = 0

  init(
    vm: LuaVM, dependencies: DependencyScope, lazyReducers: LazyReducers,
    silencedWarnings: Set<RuntimeWarning.Kind>
  ) {
    self.vm = vm
    self.lazyReducers = lazyReducers
    self.silencedWarnings = silencedWarnings
    self.dependencies = .passUnretained(dependencies)
    store = .passUnretained(noIndexes)
    runs = .allocate(capacity: 1)
    runs.initialize(to: [])
  }

  deinit {
    endRuns()
    runs.deinitialize(count: 1)
    runs.deallocate()
  }

  var indexes: ElementIndexes { store.takeUnretainedValue() }

  /// The position of the first element with this id in a list, and the position of another element
  /// that has it too. `id` and `list` are borrowed (+0). O(log n).
  @inline(__always)
  func find(
    _ id: Slot, under key: borrowing FieldKey, in list: Slot, at place: ElementIndexes.ListKey
  ) -> (position: Int, duplicate: Int?)? {
    guard PersistentList.count(list) > ElementIndex.shortest else {
      return ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
    }
    return indexes.find(id, under: key, in: list, at: place)
  }

  /// Makes `action` the current action, of the store with these indexes and dependencies. It is
  /// borrowed (+0), and absent while the store is made or its state is replaced.
  @inline(__always)
  func begin(
    _ action: Slot, _ indexes: ElementIndexes, _ dependencies: Unmanaged<DependencyScope>
  ) {
    self.action = action
    self.dependencies = dependencies
    store = .passUnretained(indexes)
    current = nil
  }

  /// Runs `body` with `action` as the current action, inside the outer one. Effects that `body`
  /// returns may retain `action`.
  func nested<R>(
    in action: Action, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let (outer, node) = (self.action, current)
    self.action = action.slot
    defer { (self.action, current) = (outer, node) }
    let result = try body()
    return withExtendedLifetime(action) { result }
  }

  /// Runs `body` in the current scope with `override` added.
  @inline(__always)
  func overriding<R>(
    _ override: Unmanaged<DependencyOverride>, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let outer = dependencies
    dependencies = override._withUnsafeGuaranteedRef { $0.scope(inside: outer) }
    defer { dependencies = outer }
    return try body()
  }

  @inline(__always)
  var arena: UnsafeMutablePointer<DraftArena> { vm.arena }

  /// Stores a run that `reducer` has returned, until it is started or ``endRuns()`` discards it.
  /// Retains `owner`.
  func returned(_ run: ScriptRun, by reducer: ReducerNode, _ owner: EffectOwner) -> ReturnedEffects
  {
    runs.pointee.append(
      ReturnedRun(
        run: run, reducer: .passUnretained(reducer), owner: Unmanaged.passRetained(owner)))
    return .run(runs.pointee.count - 1)
  }

  /// Removes a returned run, to start it; nil if it was removed before. Its `owner` is owned (+1).
  func takeRun(_ index: Int) -> ReturnedRun? {
    guard index < runs.pointee.count else { return nil }
    // Most often the run is the only one.
    if index == runs.pointee.count - 1 { return runs.pointee.removeLast() }
    let run = runs.pointee[index]
    runs.pointee[index] = nil
    return run
  }

  /// Removes a returned run and wraps it in a node, so that it can become a part of another effect.
  func takeEffect(ofRun index: Int) -> ReturnedEffects {
    guard let returned = takeRun(index) else { return .none }
    return .effect(
      EffectNode(returned.run, of: vm), returned.reducer, returned.owner.takeRetainedValue())
  }

  /// Ends the action: discards the returned runs that were not started.
  @inline(__always)
  func endRuns() {
    if !runs.pointee.isEmpty { endAllRuns() }
  }

  private func endAllRuns() {
    for case let returned? in runs.pointee {
      vm.release(returned.run.functions)
      returned.owner.release()
    }
    runs.pointee.removeAll(keepingCapacity: true)
  }

  func warn(_ kind: RuntimeWarning.Kind, _ message: String, origin: String) {
    guard !silencedWarnings.contains(kind) else { return }
    hasWarnings = true
    warnings.append(
      RuntimeWarning(kind: kind, message: message, origin: origin, action: actionPath))
  }

  /// The path of the action that runs.
  var actionPath: String? {
    action.isAbsent ? nil : Action(trusted: Value(borrowing: action)).path
  }

  @inline(__always)
  func takeWarnings() -> [RuntimeWarning] {
    hasWarnings ? takeAllWarnings() : []
  }

  private func takeAllWarnings() -> [RuntimeWarning] {
    hasWarnings = false
    defer { warnings = [] }
    return warnings
  }

  /// Replaces the value of a draft by an owned container (+1). Throws if that nests too deep.
  func replace(_ draft: Int32, by owned: Slot) throws(ScriptError) {
    do throws(DraftError) {
      try arena.pointee.replace(draft, by: owned)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// The current value of a draft, borrowed (+0), with everything that was written below it.
  func current(_ draft: Int32) throws(ScriptError) -> Slot {
    do throws(DraftError) {
      return try arena.pointee.current(draft)
    } catch {
      throw ScriptError(error.message)
    }
  }
}

extension Unmanaged {
  /// Calls `body` with the instance without reference counting. Something else must retain the
  /// instance until `body` returns.
  @inline(__always)
  func borrow<R>(
    _ body: (Instance) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    do {
      return try _withUnsafeGuaranteedRef { try body($0) }
    } catch {
      throw ScriptError(ofBorrower: error)
    }
  }
}

extension ScriptError {
  @inline(never)
  fileprivate init(ofBorrower error: any Error) {
    self = error as? ScriptError ?? ScriptError("\(error)", cause: error)
  }
}

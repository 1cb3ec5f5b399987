import LuaBridge

/// A reducer at its place in a store's tree. Lives inside one VM's lock.
///
/// Nodes hold no state between two actions; what depends on the store is in the ``ReduceContext``.
class ReducerNode {
  /// The operator and the script line that made it, for warnings.
  let origin: String
  /// The name of the feature whose code it runs, for errors.
  let feature: String?
  private final var knownToSettle: Bool?
  /// How much was known of lazy reducers when this was not.
  private final var unknownAt = -1

  init(origin: String, feature: String? = nil) {
    self.origin = origin
    self.feature = feature
  }

  /// Reduces what is under `draft`, and returns the effects in the order in which they are to start.
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects { .none }

  /// Calls `body` with the state (+0) of a child in a state (+0) of this node, unless the child is gone.
  func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {}

  /// Adds what settles here and in the children.
  func add(to settling: inout Settling) {}

  /// Whether ``settle(_:old:new:)`` does anything here or below; true as long as that is not known.
  @inline(__always)
  final func settles(_ context: ReduceContext) -> Bool {
    if let knownToSettle { return knownToSettle }
    return unknownAt == context.lazyReducers.version || findOutWhetherItSettles(context)
  }

  private final func findOutWhetherItSettles(_ context: ReduceContext) -> Bool {
    var settling = Settling()
    add(to: &settling)
    knownToSettle = context.lazyReducers.settles(settling)
    unknownAt = context.lazyReducers.version
    return knownToSettle ?? true
  }

  /// Puts in order what an action leaves before it is committed, or refuses it: both are states (+0) of this node,
  /// and differ. `old`, which is in order, is absent when the state is new. Returns the state in order (+1), or nil
  /// if it was.
  func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? { nil }

  /// Whether ``settle(_:old:new:)`` or ``inspect(_:old:new:)`` may find something after an action whose drafts are
  /// still there, that of this node's state being `draft`. Costs the way to what has another shape.
  func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool { false }

  /// Takes a walk over a state (+0) of this node; what becomes of it (+1), nil if it stays.
  func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? { nil }

  /// What it shows of itself.
  var outline: NodeOutline {
    NodeOutline(kind: origin.prefix { $0 != " " }.description)
  }

  /// Whether ``inspect(_:old:new:)`` does anything here or below.
  var inspects: Bool { false }

  /// Looks at what an action has changed, once it is committed: both are states (+0) of this node, and
  /// differ. `old` is absent when the state is new.
  func inspect(_ context: ReduceContext, old: Slot, new: Slot) {}
}

extension ReducerNode {
  /// The same after another node of the domain, which returned `settled` (taken over).
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

/// An action at one level of the tree.
struct ActionCursor: ~Copyable {
  /// The action's table (+0).
  let slot: Slot
  /// The number of its type in the domain, or -1 for one that the domain does not have.
  let type: Int

}

/// The keys that an action's table is asked for at each level of the tree.
struct ActionKeys: ~Copyable {
  let type = FieldKey("type", sizeBits: 6)
  let id = FieldKey("id", sizeBits: 6)
  let action = FieldKey("action", sizeBits: 6)
}

extension Slot {
  /// A field of an object (+0), absent where there is none.
  @inline(__always)
  func field(_ key: StaticString) -> Slot {
    field(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
  }

  /// A field of an object (+0), absent where there is none.
  @inline(__always)
  func field(_ key: UnsafeRawBufferPointer) -> Slot { ElementIDs.id(of: self, under: key) }
}

/// What the nodes of a tree need while they reduce: the VM, and the store that the action is for.
final class ReduceContext {
  let vm: LuaVM
  let keys = ActionKeys()
  /// Of the store whose action runs, which keeps them.
  private var store: Unmanaged<ElementIndexes>
  private let noIndexes = ElementIndexes()
  /// Of no interest to the host.
  let silencedWarnings: Set<RuntimeWarning.Kind>
  let lazyReducers: LazyReducers
  /// Of the action that runs.
  private var warnings: [RuntimeWarning] = []
  /// A flag is read without asking who else is at the array.
  private var hasWarnings = false
  /// The table of the action that runs (+0), absent while there is none.
  private(set) var action = Slot.absent
  /// The node whose code ran last; it lives as long as its tree.
  var current: Unmanaged<ReducerNode>?
  /// What `deps` holds at the node that runs: of the store, or made by the node that overrides, which keep it.
  var dependencies: Unmanaged<DependencyScope>
  /// Of an effect that was returned last.
  var lastOwner: EffectOwner?
  /// What `effect.run` made that was returned for the action that runs; nil where it has been started. In memory of
  /// its own, so that nobody asks who else is at it.
  private let runs: UnsafeMutablePointer<[ReturnedRun?]>
  /// Of what is inspected now: where its effects in flight are, nil if it has none.
  var effects: EffectPlace?
  /// Takes a text that is to be printed, and is made when nobody is inside; nil if nobody wants it.
  var print: ((_ text: @escaping @Sendable () -> String) -> Void)?
  /// What reduces without a store.
  // Proof: it takes itself away in its `deinit`.
  unowned(unsafe) var directRuns: DirectRuns?
  /// What measures where it is asked to.
  var instrument: (any SignpostInstrument)?
  /// Notes what comes from outside, while an action of a store with a history runs.
  var recorder: DependencyRecorder?
  /// Tells elements with the same forEach under different parents apart: a hash of the ids above.
  var placeHash: UInt64 = 0

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

  /// The first element with this id (+0) in the list (+0), and another one that has it too. O(log n).
  @inline(__always)
  func find(
    _ id: Slot, under key: borrowing FieldKey, in list: Slot, at place: ElementIndexes.Place
  ) -> (position: Int, duplicate: Int?)? {
    guard PersistentList.count(list) > ElementIndex.shortest else {
      return ElementIDs.firstTwo(of: id, under: key, in: list)
    }
    return indexes.find(id, under: key, in: list, at: place)
  }

  /// Turns to an action (+0) of a store, or to none while a store is made.
  @inline(__always)
  func begin(
    _ action: Slot, _ indexes: ElementIndexes, _ dependencies: Unmanaged<DependencyScope>
  ) {
    self.action = action
    self.dependencies = dependencies
    store = .passUnretained(indexes)
    current = nil
  }

  /// Reduces another action while this one is: what is returned for it may keep it.
  func nested<R>(
    in action: Action, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let (outer, node) = (self.action, current)
    self.action = action.slot
    defer { (self.action, current) = (outer, node) }
    let result = try body()
    return withExtendedLifetime(action) { result }
  }

  /// Lets what runs inside find a dependency replaced.
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

  /// Keeps what a reducer has returned until it is started, or ``endRuns()`` lets go of it.
  func returned(_ run: ScriptRun, by reducer: ReducerNode, _ owner: EffectOwner) -> ReturnedEffects
  {
    runs.pointee.append(
      ReturnedRun(
        run: run, reducer: .passUnretained(reducer), owner: Unmanaged.passRetained(owner)))
    return .run(runs.pointee.count - 1)
  }

  /// What was returned, to be started.
  func takeRun(_ index: Int) -> ReturnedRun? {
    guard index < runs.pointee.count else { return nil }
    // Most often it is the only one.
    if index == runs.pointee.count - 1 { return runs.pointee.removeLast() }
    let run = runs.pointee[index]
    runs.pointee[index] = nil
    return run
  }

  /// What was returned, to become a part of another effect.
  func takeEffect(ofRun index: Int) -> ReturnedEffects {
    guard let returned = takeRun(index) else { return .none }
    return .effect(
      EffectNode(returned.run, of: vm), returned.reducer, returned.owner.takeRetainedValue())
  }

  /// The action is over: what was returned and not started never will be.
  @inline(__always)
  func endRuns() {
    if !runs.pointee.isEmpty { endAllRuns() }
  }

  private func endAllRuns() {
    for case let returned? in runs.pointee {
      vm.forget(returned.run.functions)
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

  /// Replaces the value of a place by an owned container (+1).
  func replace(_ draft: Int32, by owned: Slot) throws(ScriptError) {
    do throws(DraftError) {
      try arena.pointee.replace(draft, by: owned)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// The value (+0) of a place, newer values of its descendants included.
  func current(_ draft: Int32) throws(ScriptError) -> Slot {
    do throws(DraftError) {
      return try arena.pointee.current(draft)
    } catch {
      throw ScriptError(error.message)
    }
  }
}

extension Unmanaged {
  /// Uses the instance, which something else keeps alive, without counting a reference.
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

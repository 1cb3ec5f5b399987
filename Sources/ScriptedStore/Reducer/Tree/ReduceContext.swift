import LuaBridge
import ScriptView

/// What the nodes need while they reduce: the VM, the action that runs, and its store.
final class ReduceContext {
  let vm: LuaVM
  let keys = ActionKeys()
  /// The element indexes of the store whose action runs.
  private(set) var indexes = ElementIndexes()
  /// Warnings of these kinds are dropped, because the host has silenced them.
  let silencedWarnings: Set<RuntimeWarning.Kind>
  /// The elements that views may return. Made by the first view.
  private(set) lazy var nodeKinds = ViewElement.nodeKinds
  /// The warnings of the action that runs, until ``takeWarnings()``.
  private var warnings: [RuntimeWarning] = []
  /// The table of the action that runs, borrowed (+0); absent while no action runs.
  private(set) var action = Slot.absent
  /// The node whose code ran last, borrowed (+0); its tree retains it. Errors name its feature.
  var currentNode: Unmanaged<ReducerNode>?
  /// The scope behind `deps` at the current node, borrowed (+0). The store retains the outermost
  /// scope, and each scope retains the scopes inside it.
  var dependencies: Unmanaged<DependencyScope>
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
  /// The recorder of all durable stores: one action is reduced at a time.
  let durableRecorder = DependencyRecorder(isOfDurableStores: true)
  /// What each `onChange` has heard of while an action runs in a store that shares values; else nil.
  var reactions: SharedReactions?
  /// A hash of the ids of the elements around the current node; 0 outside all elements. It
  /// distinguishes lists of one `forEach` that are in different parent elements.
  var elementPathHash: UInt64 = 0

  init(
    vm: LuaVM, dependencies: DependencyScope, silencedWarnings: Set<RuntimeWarning.Kind>
  ) {
    self.vm = vm
    self.silencedWarnings = silencedWarnings
    self.dependencies = .passUnretained(dependencies)
  }

  /// Makes `action` the current action, of the store with these indexes and dependencies. It is
  /// borrowed (+0), and absent while the store is made or its state is replaced.
  @inline(__always)
  func begin(
    _ action: Slot, _ indexes: ElementIndexes, _ dependencies: Unmanaged<DependencyScope>
  ) {
    self.action = action
    self.dependencies = dependencies
    if self.indexes !== indexes { self.indexes = indexes }
    currentNode = nil
  }

  /// Runs `body` with `action` as the current action, inside the outer one. Effects that `body`
  /// returns may retain `action`.
  func nested<R>(
    in action: Action, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let (outer, node) = (self.action, currentNode)
    self.action = action.slot
    defer { (self.action, currentNode) = (outer, node) }
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

  func warn(_ kind: RuntimeWarning.Kind, _ message: String, origin: String) {
    guard !silencedWarnings.contains(kind) else { return }
    warnings.append(
      RuntimeWarning(kind: kind, message: message, origin: origin, action: actionPath))
  }

  /// The path of the action that runs.
  var actionPath: String? {
    action.isAbsent ? nil : Action(trusted: Value(borrowing: action)).path
  }

  func takeWarnings() -> [RuntimeWarning] {
    if warnings.isEmpty { return [] }
    defer { warnings = [] }
    return warnings
  }

  /// Replaces the value of a draft by an owned container (+1). Throws as
  /// ``DraftArena/replace(_:by:)`` does; the message begins with `origin`.
  func replace(_ draft: Int32, by owned: Slot, origin: String? = nil) throws(ScriptError) {
    try drafts(origin) { (arena) throws(DraftError) in
      try arena.pointee.replace(draft, by: owned)
    }
  }

  /// Writes a value (+0, absent for nil) to a field, if that is shared. Returns whether it is.
  func setShared(
    _ draft: Int32, _ key: String, to value: Slot, origin: String
  ) throws(ScriptError) -> Bool {
    let key = FieldKey(key)
    return try drafts(origin) { (arena) throws(DraftError) in
      try arena.pointee.setShared(key.bytes, of: draft, to: value)
    }
  }

  /// Throws if a field is shared, and may only be read.
  func requireWritable(_ draft: Int32, _ key: String, origin: String) throws(ScriptError) {
    let key = FieldKey(key)
    try drafts(origin) { (arena) throws(DraftError) in
      try arena.pointee.requireWritable(key.bytes, of: draft)
    }
  }

  /// The child of a draft under a key.
  func child(of draft: Int32, named key: String) -> DraftChild {
    var key = key
    return key.withUTF8 { arena.pointee.child(of: draft, key: UnsafeRawBufferPointer($0)) }
  }

  /// The current value of a draft, borrowed (+0), with everything that was written below it.
  func currentValue(of draft: Int32) throws(ScriptError) -> Slot {
    try drafts { (arena) throws(DraftError) in try arena.pointee.current(draft) }
  }

  /// Uses the drafts. The message of an error begins with `origin`.
  @inline(__always)
  private func drafts<R>(
    _ origin: String? = nil,
    _ body: (UnsafeMutablePointer<DraftArena>) throws(DraftError) -> R
  ) throws(ScriptError) -> R {
    do throws(DraftError) {
      return try body(arena)
    } catch {
      throw ScriptError((origin.map { "\($0): " } ?? "") + error.message)
    }
  }
}

extension ViewElement {
  /// The elements, as the reader of nodes knows them.
  static var nodeKinds: NodeKinds {
    NodeKinds(
      all.map { ($0.kind, $0.traits) }, presentations: presentations, actions: actionProperties)
  }

  private var traits: NodeKinds.Traits {
    var traits: NodeKinds.Traits = isPlace ? .place : []
    if isClearable { traits.insert(.clearable) }
    switch elementKind {
    case .columns: traits.insert(.folding)
    case .tabs, .disclosure: traits.insert(.hiding)
    default: break
    }
    return traits
  }
}

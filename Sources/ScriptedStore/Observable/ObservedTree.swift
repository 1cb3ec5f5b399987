import LuaBridge
import Observation
import Synchronization

/// The state of a store as the main actor sees it, with all that was read of it there.
///
/// 1. `root` has one version of the state. It changes in ``update()`` only: after a `send` on the main
///    actor, and in a task of the main actor after another thread has changed the state.
/// 2. A node has the value at its path in that version. When there are twice as many nodes as after the
///    last removal, those are removed of which nothing was read since their last change, and to which
///    nothing refers.
@MainActor
final class ObservedTree {
  typealias Node = PathTree<ObservedPart>

  nonisolated let handle: StoreHandle
  private let root: Node
  private var observation: StoreObservation?
  /// Whether an update is sure to follow.
  private nonisolated let isScheduled = Atomic<Bool>(false)
  private var isUpdating = false
  private var nodes = 1
  private var mostNodes = 128

  init(_ store: Store) {
    handle = store.handle
    root = Node(ObservedPart(store.handle.state))
    // The first call is for a change between the line above and the registration.
    observation = Store(store.handle).observe(initially: true) { [weak self] _ in self?.schedule() }
  }

  private nonisolated func schedule() {
    guard !isScheduled.exchange(true, ordering: .sequentiallyConsistent) else { return }
    Task { @MainActor [weak self] in self?.update() }
  }

  /// Sends an action, and takes over what it has changed before it returns.
  func send(_ action: Action, _ transaction: Value?, to store: Store) -> StoreTask {
    // Handlers that this thread calls need not schedule what follows here.
    isScheduled.store(true, ordering: .sequentiallyConsistent)
    let task = store.submit(action, transaction: transaction)
    update()
    return task
  }

  /// Takes over the newest state, and tells the observers of the parts that have changed. An
  /// observer that is being told still reads the state before.
  private func update() {
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    // An `onChange` closure may send. The loop takes over what that action has changed.
    guard !isUpdating else { return }
    isUpdating = true
    var state = handle.state
    while !state.isIdentical(to: root.content.value) {
      change(to: state)
      state = handle.state
    }
    isUpdating = false
    if nodes > mostNodes { prune() }
  }

  private func change(to state: Value) {
    let (old, new) = (root.content.value.ownedSlot(), state.ownedSlot())
    defer {
      old.release()
      new.release()
    }
    var told: [(part: ObservedPart, aspects: ObservedPart.Aspect)] = []
    root.visitChanges(from: old, to: new) { node, _, new in
      let aspects = node.content.aspects(changedTo: new)
      if !aspects.isEmpty { told.append((node.content, aspects)) }
    }
    for (part, aspects) in told { part.willChange(aspects) }
    // An `onChange` closure may have read other paths. Their new nodes have the old values, and change too.
    root.visitChanges(from: old, to: new) { node, _, new in
      node.content.value = Value(borrowing: new)
    }
    for (part, aspects) in told { part.didChange(aspects) }
  }

  private func prune() {
    nodes = root.prune(\.isIdle)
    mostNodes = max(128, 2 * nodes)
  }

  // MARK: Nodes

  /// The node at a path from the root.
  ///
  /// - Parameter hint: where the path's last element is most likely to be.
  func node(at path: StatePath, hint: Int = 0) -> Node {
    var node = root
    for step in path.steps { node = child(of: node, at: step, hint: hint) }
    return node
  }

  func child(of node: Node, at step: StatePath.Step, hint: Int = 0) -> Node {
    if let known = node.child(at: step) { return known }
    var hint = hint
    let value = node.content.value.withSlot { Value(borrowing: step.look(at: $0, hint: &hint)) }
    let new = Node(ObservedPart(value))
    node.set(new, at: step)
    nodes += 1
    return new
  }

  func child(of node: Node, under key: String) -> Node {
    node.child(under: key) ?? child(of: node, at: .key(key))
  }

  func child(of node: Node, at index: Int) -> Node {
    node.child(at: index) ?? child(of: node, at: .index(index))
  }
}

/// A part of the state that was read on the main actor: its value, and the registrar of its trackers.
final class ObservedPart: Observable {
  /// What can be read of a value. Only readers of an aspect that has changed are told of a change.
  struct Aspect: OptionSet {
    let rawValue: UInt8

    /// All of the value.
    static let whole = Aspect(rawValue: 1)
    /// The number of elements.
    static let count = Aspect(rawValue: 2)
    /// The ids of the elements, in their order.
    static let order = Aspect(rawValue: 4)
    /// Whether there is a value.
    static let presence = Aspect(rawValue: 8)
  }

  var value: Value
  /// What was read since it changed last.
  private var read: Aspect = []
  /// The fields of the ids whose order was read.
  private var idFields: [String] = []
  private lazy var registrar = ObservationRegistrar()

  init(_ value: Value) { self.value = value }

  /// Whether no one can be told of a change: nothing was read since the last one.
  var isIdle: Bool { read.isEmpty }

  func didRead(_ aspect: Aspect) {
    read.insert(aspect)
    switch aspect {
    case .count: registrar.access(self, keyPath: \.count)
    case .order: registrar.access(self, keyPath: \.order)
    case .presence: registrar.access(self, keyPath: \.presence)
    default: registrar.access(self, keyPath: \.value)
    }
  }

  /// The ids of the elements were read.
  func didReadOrder(under field: String) {
    if !read.contains(.order) { idFields = [] }
    if !idFields.contains(field) { idFields.append(field) }
    didRead(.order)
  }

  /// The aspects that were read and that are different in a new value (+0).
  func aspects(changedTo new: Slot) -> Aspect {
    guard !read.isEmpty else { return [] }
    let new = Value(borrowing: new)
    guard new != value else { return [] }
    var changed: Aspect = .whole
    if read.contains(.count), (new.array?.count ?? 0) != count { changed.insert(.count) }
    if read.contains(.presence), new.isNull != value.isNull { changed.insert(.presence) }
    if read.contains(.order),
      !idFields.allSatisfy({ value.hasSameIDs(as: new, under: $0) })
    {
      changed.insert(.order)
    }
    return changed.intersection(read)
  }

  func willChange(_ aspects: Aspect) {
    // An observer that reads the part again in its `onChange` closure is told of the next change, too.
    read.subtract(aspects)
    if aspects.contains(.whole) { registrar.willSet(self, keyPath: \.value) }
    if aspects.contains(.count) { registrar.willSet(self, keyPath: \.count) }
    if aspects.contains(.order) { registrar.willSet(self, keyPath: \.order) }
    if aspects.contains(.presence) { registrar.willSet(self, keyPath: \.presence) }
  }

  func didChange(_ aspects: Aspect) {
    if aspects.contains(.whole) { registrar.didSet(self, keyPath: \.value) }
    if aspects.contains(.count) { registrar.didSet(self, keyPath: \.count) }
    if aspects.contains(.order) { registrar.didSet(self, keyPath: \.order) }
    if aspects.contains(.presence) { registrar.didSet(self, keyPath: \.presence) }
  }

  var count: Int { value.array?.count ?? 0 }
  /// Only for the key paths.
  private var order: Value { value }
  private var presence: Bool { !value.isNull }
}

import LuaBridge
import Synchronization

/// The state of a store as the main actor sees it, with all that was read of it there.
///
/// 1. `root` has one version of the state. It changes in ``update()`` only: after a `send` on the main
///    actor, and in a task of the main actor after another thread has changed the state.
/// 2. A node has the value at its path in that version. A node for which nothing was read since its
///    last change, and which no one refers to, is removed when there are twice as many as after the
///    last removal.
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

  /// Takes over the newest state, and tells those who have read what has changed. Whoever is told
  /// still reads the state before.
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
    // An `onChange` closure may have read other paths, whose new nodes have the old values, too.
    root.visitChanges(from: old, to: new) { node, _, new in
      node.content.change(to: Value(borrowing: new))
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
    let slot = node.content.value.ownedSlot()
    defer { slot.release() }
    var hint = hint
    let new = Node(ObservedPart(Value(borrowing: step.look(at: slot, hint: &hint))))
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

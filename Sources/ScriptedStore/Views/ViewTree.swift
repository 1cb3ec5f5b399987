import LuaBridge
import ScriptView
import Synchronization

/// What a store's views show, for one who looks: a tree of values that is brought up to date after each drain.
///
/// ```swift
/// let tree = try store.view(environment: ["platform": "kiosk"])
/// draw(tree.value)
/// let observation = tree.observe { changes, value in apply(changes) }
/// ```
///
/// `docs/view-api.md` describes the tree. Views run while a `ViewTree` exists, and only those run again that have read what
/// has changed. Thread-safe: every member may be used from any thread, and in handlers.
public final class ViewTree: Sendable {
  /// Gets the changes from the tree before, and the new tree.
  public typealias Handler = @Sendable (_ changes: [ViewChange], _ tree: Value) -> Void

  let handle: StoreHandle
  package let id: UInt64
  private let snapshot: ViewSnapshot

  init(_ handle: StoreHandle, environment: Value, recordsRuns: Bool = false) {
    self.handle = handle
    id = StoreHandle.nextObserver()
    let snapshot = ViewSnapshot()
    self.snapshot = snapshot
    let (id, slot) = (id, handle.slot)
    handle.perform { core, engine in
      core.takeSharedSteps(engine)
      let look = StoreViews.Look(id, environment, snapshot, recordsRuns: recordsRuns)
      core.add(look, slot: slot, engine)
    }
  }

  deinit {
    let id = id
    handle.away.perform { core, engine in core.removeLook(id, engine) }
  }

  /// The tree after the last drain. O(1).
  public var value: Value { snapshot.current }

  /// Calls `handler` with what a drain has changed, until the observation is cancelled or deallocated. Handlers run as those
  /// of ``Store/observe(_:initially:_:)`` do.
  ///
  /// - Parameter initially: whether the first call has the present tree, and no changes.
  public func observe(
    initially: Bool = false, _ handler: @escaping Handler
  ) -> StoreObservation {
    observe(initially: initially, to: nil, handler)
  }

  private func observe(
    initially: Bool, to outbox: Outbox?, _ handler: @escaping Handler
  ) -> StoreObservation {
    let (id, snapshot) = (id, snapshot)
    let observer = StoreHandle.nextObserver()
    handle.perform { core, engine in
      let audience = core.audience
      guard let views = audience.views, let look = views.look(id) else { return }
      if !audience.hasEnded { views.add(handler, observer, outbox ?? audience.outbox, to: look) }
      guard initially else { return }
      let present = snapshot.current
      engine.deliver(to: outbox ?? audience.outbox) { handler([], present) }
    }
    return StoreObservation { [away = handle.away] in
      away.perform { core, _ in core.audience.views?.removeHandler(observer) }
    }
  }

  /// The tree now, and after each change. A reader that falls behind gets the newest tree. The stream ends with the store, and
  /// retains neither it nor the `ViewTree`, with which the changes end.
  public var values: AsyncStream<Value> {
    .observing(.bufferingNewest(1)) { outbox, yield in
      observe(initially: true, to: outbox) { _, tree in yield(tree) }
    }
  }

  /// Shows other rows of a long list.
  ///
  /// - Parameters:
  ///   - list: the path of the list's node in the tree.
  ///   - first: the number of the first row, from 1.
  ///   - count: as many rows are shown.
  public func show(_ list: ViewPath, first: Int, count: Int) {
    let id = id
    handle.perform { core, engine in
      guard let views = core.audience.views, let look = views.look(id) else { return }
      views.setWindow(of: look, list, first: max(first, 1) - 1, count: count, core, engine)
    }
  }
}

extension Store {
  /// What the store's views show. A child store's views are a part of those of its root, which is what this gives.
  ///
  /// - Parameter environment: what views read as `env`, beside `width`, `platform`, `colorScheme` and `locale`, which have
  ///   defaults.
  public func view(environment: Value.Object = [:]) -> ViewTree {
    ViewTree(handle, environment: .object(Store.environment(with: environment)))
  }

  /// The usual environment of views with other values for some of its keys.
  static func environment(with changes: Value.Object) -> Value.Object {
    var all: Value.Object = [
      "width": "regular", "platform": "text", "colorScheme": "light", "locale": "en",
    ]
    for (key, value) in changes { all[key] = value }
    return all
  }
}

extension ViewTree {
  /// What a person does with a node of ``value``: sends the action that follows from it, lifted to the node's place.
  ///
  /// - Parameters:
  ///   - gesture: what the person does.
  ///   - path: the node's path; none for a gesture that needs no node, as `ViewGesture.back`.
  /// - Returns: what was sent has started; nil if nothing was sent.
  /// - Throws: `ViewRefusal` if a person could not do that: the node is disabled, covered or not on the screen, or it has no
  ///   such gesture.
  @discardableResult
  public func perform(
    _ gesture: ViewGesture, at path: ViewPath = .root
  ) throws(ViewRefusal) -> StoreTask? {
    guard case .send(let action, let transaction) = try ViewScreen(value).perform(gesture, at: path)
    else { return nil }
    return StoreTask(
      handle.worker.send(Action(trusted: action), to: handle, transaction: transaction))
  }
}

extension ViewTree {
  /// Does what ``perform(_:at:)`` does, for a person whose screen still shows an earlier tree. The node in the earlier tree
  /// says which action is sent. The gesture is also refused if the current tree does not allow it: the node is gone, covered
  /// or disabled.
  ///
  /// - Parameters:
  ///   - seen: the tree that the person sees.
  ///   - done: called when observers have got what the action has changed, with the error that the action has raised; in a
  ///     durable store when that is written, or will never be. Not called if this throws.
  package func perform(
    _ gesture: ViewGesture, at path: ViewPath, seen: Value,
    then done: @escaping @Sendable (ScriptError?) -> Void
  ) throws(ViewRefusal) {
    let outcome = try ViewScreen(seen).perform(gesture, at: path)
    let present = value
    if !present.isIdentical(to: seen) {
      let screen = ViewScreen(present)
      let old = ViewLocation(root: seen).descending(path)
      do throws(ViewRefusal) {
        _ = try screen.perform(gesture, at: old.map { screen.root.path(of: $0) } ?? path)
      } catch {
        switch error.reason {
        case .absent, .covered, .disabled: throw error
        // The node has changed, but can still be used.
        case .impossible, .value, .action: break
        }
      }
    }
    guard case .send(let value, let transaction) = outcome else {
      return afterDeliveries { done(nil) }
    }
    let (action, slot, away) = (Action(trusted: value), handle.slot, handle.away)
    handle.perform { core, engine in
      core.turn.inputErrors = []
      _ = engine.process(action, in: slot, transaction: transaction)
      let error = core.turn.inputErrors?.last
      core.turn.inputErrors = nil
      // Also called if the store is gone.
      let waiter = Waiter { done(error) }
      away.perform { core, engine in core.whenTold(engine) { _ in waiter.call() } }
    }
  }

  /// Calls `body` when observers have got all that the tree has shown so far.
  package func afterDeliveries(_ body: @escaping @Sendable () -> Void) {
    handle.perform { core, engine in engine.deliver(to: core.audience.outbox, body) }
  }
}

/// The tree of one who looks, for readers on any thread.
final class ViewSnapshot: Sendable {
  private let content = Mutex(Value.null)

  var current: Value { content.withLock { $0 } }

  /// Makes a tree the current one. Returns the one before.
  func publish(_ new: Value) -> Value {
    content.withLock { content in
      defer { content = new }
      return content
    }
  }
}

/// What tools ask of views.
extension ViewTree {
  /// Records which views run, and how long each takes, until the observation is cancelled.
  package func recordRuns() -> StoreObservation {
    let id = id
    handle.perform { core, _ in core.audience.views?.recordRuns(ofLook: id, true) }
    return StoreObservation { [away = handle.away] in
      away.perform { core, _ in core.audience.views?.recordRuns(ofLook: id, false) }
    }
  }

  /// The views that ran for the last change that made any run; nil if none has while they were recorded.
  package var lastRuns: ViewRunReport? { inspect { $0.screen?.lastRuns } }

  /// Calls `body` inside the VM with the look of this tree. Returns nil if the calling thread is inside a VM.
  func inspect<R: Sendable>(_ body: @escaping @Sendable (StoreViews.Look) -> R?) -> R? {
    handle.inspect { [id] core, _ in core.audience.views?.look(id).flatMap(body) }
  }
}

extension Store {
  /// Same as ``view(environment:)``, with ``ViewTree/lastRuns`` from the beginning.
  package func viewRecordingRuns(environment: Value.Object = [:]) -> ViewTree {
    ViewTree(
      handle, environment: .object(Store.environment(with: environment)), recordsRuns: true)
  }
}

extension Store {
  /// Whether the store's feature says how it looks: whether it has a view, or is one of several cases
  /// whose views are shown. False inside a VM.
  package var hasView: Bool {
    handle.inspect { core, _ in core.domain.root.hasView } ?? false
  }
}

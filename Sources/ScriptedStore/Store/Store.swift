import LuaBridge
import Synchronization

/// A running feature: its state, and the way to send it actions. A child store, made by `scope`, is a view of
/// a part of its parent's state.
///
/// Thread-safe: every member may be used from any thread, in handlers too.
public final class Store: Sendable {
  let handle: StoreHandle
  /// Where this store's state is in that of the handle.
  private let place: Place
  /// What an action is wrapped in on its way up, innermost last.
  private let wraps: [Wrap]
  /// Where the elements on the way to this store's state were found last.
  private let hints: Mutex<[Int]>

  private struct Wrap: Sendable {
    let type: String
    let id: Value?
  }

  init(_ handle: StoreHandle) {
    self.handle = handle
    place = Place()
    wraps = []
    hints = Mutex([])
  }

  private init(_ handle: StoreHandle, _ place: Place, _ wraps: [Wrap]) {
    self.handle = handle
    self.place = place
    self.wraps = wraps
    hints = Mutex(place.noHints)
  }

  // MARK: State

  /// The state after the last drain, null for a child that is not there. An O(1) snapshot: it costs no copy
  /// and does not change any more.
  public var state: Value { look(at: handle.box.current) }

  private func look(at root: Value) -> Value {
    if place.steps.isEmpty { return root }
    let slot = root.ownedSlot()
    defer { slot.release() }
    return Value(borrowing: hints.withLock { place.look(at: slot, hints: &$0) })
  }

  // MARK: Actions

  /// Queues an action. If no thread is in the VM this one reduces it, and all that its effects send, before it
  /// returns; else the one that is inside does, and this returns at once. An action that is sent from
  /// inside one waits its turn.
  ///
  /// What an action raises is handed to the host's `onError`; its writes are rolled back.
  ///
  /// - Returns: what it started. Whoever does not care lets go of it.
  @discardableResult
  public func send(_ action: borrowing Action) -> StoreTask {
    if wraps.isEmpty { return handle.worker.send(action, to: handle) }
    if let wrapped = wrap(action) { return handle.worker.send(wrapped, to: handle) }
    let action = copy action
    let error = ScriptError("\(ActionError(tooDeep: action.path)) on its way to the parent")
    handle.worker.submit(.perform { $0.report(error, action) })
    return StoreTask(nil)
  }

  /// The same from a path and a payload: `send("todos[3].rename", ["description": "Milk"])`.
  @discardableResult
  public func send(_ path: String, _ payload: Value? = nil) throws(ActionError) -> StoreTask {
    send(try Action(path: path, payload: payload))
  }

  /// The same from an action's table.
  @discardableResult
  public func send(_ value: Value) throws(ActionError) -> StoreTask { send(try Action(value)) }

  /// The same from anything that encodes as an action's table or as a path.
  @discardableResult
  public func send(encoding action: some Encodable) throws -> StoreTask {
    send(try Action(encoding: action))
  }

  private func wrap(_ action: borrowing Action) -> Action? {
    var value = action.value
    for wrap in wraps.reversed() {
      guard let outer = Value.nesting(value, type: wrap.type, id: wrap.id) else { return nil }
      value = outer
    }
    return Action(trusted: value)
  }

  // MARK: Effects

  /// What is in flight for the whole store, in the order in which it was started. A reducer in Swift, which would
  /// have to wait for itself, gets nothing.
  public var effects: [EffectDescription] { inspectEffects { $0.descriptions } ?? [] }

  /// Looks at what is in flight from inside the VM; nil if nothing ever was, and in a reducer in Swift.
  func inspectEffects<Result: Sendable>(
    _ body: @escaping @Sendable (StoreEffects) -> Result
  ) -> Result? {
    guard !Worker.isInsideOne else { return nil }
    let slot = handle.slot
    let result = try? handle.worker.perform { (engine) throws(ScriptError) in
      engine.effects(of: slot).map(body)
    }
    return result ?? nil
  }

  /// Returns when nothing is in flight for the whole store.
  ///
  /// Runs on the actor of whoever calls it.
  public func finish(isolation: isolated (any Actor)? = #isolation) async {
    let (worker, slot) = (handle.worker, handle.slot)
    await withCheckedContinuation { continuation in
      worker.submit(.perform { $0.whenIdle(slot) { continuation.resume() } })
    }
  }

  // MARK: Children

  /// A store of the child at `key` whose actions have the type `action` here (default: the last segment of
  /// `key`). As TCA's `scope(state:action:)`.
  public func scope(state key: ValuePath, action: String? = nil) -> Store {
    Store(
      handle, place.appending(Place(key)),
      wraps + [Wrap(type: action ?? Store.lastKey(key), id: nil)])
  }

  /// A store of one case of the child at `key`, whose state is tagged; its state is null while the child is in another
  /// case, or absent. As TCA's `scope(state: \.destination?.edit, action: \.destination.edit)`.
  ///
  /// ```swift
  /// let edit = store.scope(state: "destination", case: "edit")
  /// ```
  public func scope(state key: ValuePath, action: String? = nil, case name: String) -> Store {
    scope(state: key, action: action).scope(state: ValuePath([.key(name)]), action: name)
  }

  /// A store of the element with this id of the list, or under this key of the object, at `key`.
  ///
  /// - Parameters:
  ///   - action: the type of the elements' actions here; the last segment of `key` without.
  ///   - field: what identifies an element of a list.
  public func scope(
    element id: Value, of key: ValuePath, action: String? = nil, id field: String = "id"
  ) -> Store {
    Store(
      handle, place.appending(Place(key)).appending(Place([.element(id: id, field: field)])),
      wraps + [Wrap(type: action ?? Store.lastKey(key), id: id)])
  }

  private static func lastKey(_ path: ValuePath) -> String {
    for component in path.components.reversed() {
      if case .key(let key) = component { return key }
    }
    return ""
  }

  // MARK: Observing

  /// Calls `handler` with the new value at `path` whenever it has changed, once after a drain; null when it
  /// is gone. Not called with the value that is there now.
  ///
  /// Handlers run on a thread that drains, outside of the VM, one at a time and in order: that of the changes,
  /// and for one change that in which they were registered. They may send, which reduces at once; what that
  /// causes is told after the handler returns.
  /// The cost of a drain is that of the places that changed, however many others are observed.
  public func observe(
    _ path: ValuePath = .root, _ handler: @escaping @Sendable (Value) -> Void
  ) -> Observation {
    observe(path, beginsWithCurrent: false) { value, _ in handler(value) }
  }

  /// The same with the transaction of the change: what `effect:transaction` or `effect:animation` attached to the
  /// last action of the drain that had one.
  public func observe(
    _ path: ValuePath = .root,
    withTransaction handler: @escaping @Sendable (_ value: Value, _ transaction: Value?) -> Void
  ) -> Observation {
    observe(path, beginsWithCurrent: false, handler)
  }

  private func observe(
    _ path: ValuePath, beginsWithCurrent: Bool, _ handler: @escaping ObserverTree.Handler
  ) -> Observation {
    let id = StoreHandle.nextObserver()
    let watched = place.appending(Place(path))
    handle.perform { core, engine in
      let observers = core.observers ?? ObserverTree()
      core.observers = observers
      observers.add(id, at: watched.steps[...], handler)
      // From inside, so that it comes before every change that is told.
      guard beginsWithCurrent else { return }
      let current = core.value(at: watched)
      engine.deliver { handler(current, nil) }
    }
    return Observation { [away = handle.away] in
      away.perform { core, _ in
        core.observers?.remove(id, at: watched.steps[...])
        if core.observers?.isEmpty == true { core.observers = nil }
      }
    }
  }

  /// The value at `path` now and whenever it has changed. A reader that falls behind gets the newest. Ends
  /// with the store, which it does not keep.
  public func values(at path: ValuePath = .root) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      let observation = observe(path, beginsWithCurrent: true) { value, _ in
        end.continuation.yield(value)
      }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls `handler` with each action of the whole store after it was reduced, those of effects included, in
  /// order. Keep the observation.
  public func onAction(
    _ handler: @escaping @Sendable (ActionRecord) -> Void
  ) -> Observation {
    let handle = handle
    let id = StoreHandle.nextObserver()
    handle.perform { core, _ in core.addRecorder(id, handler) }
    return Observation { [away = handle.away] in
      away.perform { core, _ in core.removeRecorder(id) }
    }
  }
}

extension Store {
  /// Lets allocations in the store's VM fail, as ``LuaVM/failAllocations(after:count:)`` does.
  package func failAllocations(after successes: Int?) {
    handle.worker.submit(.perform { $0.context.vm.failAllocations(after: successes) })
  }

  /// Whether one failed by that.
  package func hasFailedAllocation() throws(ScriptError) -> Bool {
    try handle.worker.perform { (engine) throws(ScriptError) in
      engine.context.vm.hasFailedAllocation
    }
  }

  /// Bytes that the store's VM holds when all garbage is collected, that which holds other garbage by way of the host
  /// included.
  package func collectedMemory() throws(ScriptError) -> Int {
    try handle.worker.perform { (engine) throws(ScriptError) in
      for _ in 0..<3 { engine.context.vm.collectGarbage() }
      return engine.context.vm.memory.used
    }
  }
}

/// A store's place in its worker; the core goes when the last store that uses it does.
final class StoreHandle: Sendable {
  let worker: Worker
  let slot: Int
  let box: SnapshotBox
  /// What is kept of the store's past, if somebody has asked for that.
  let history = Mutex<HistoryLog?>(nil)
  private let owned: OwnedWorker

  init(of owned: OwnedWorker, slot: Int, box: SnapshotBox) {
    self.owned = owned
    worker = owned.worker
    self.slot = slot
    self.box = box
  }

  deinit {
    let slot = slot
    worker.submit(.perform { $0.close(slot) })
  }

  private static let observers = Atomic<UInt64>(0)

  /// Numbers observers of all stores, as a store's slot may be another's by the time that one cancels.
  static func nextObserver() -> UInt64 { observers.wrappingAdd(1, ordering: .relaxed).newValue }

  /// A way to the store that does not keep it.
  var away: StoreLink { StoreLink(link: owned.link, slot: slot) }

  var link: WorkerLink { owned.link }

  /// Does something with the core when it is its turn.
  func perform(_ body: @escaping @Sendable (StoreCore, Engine) -> Void) {
    let slot = slot
    worker.submit(.perform { engine in engine.withStore(slot) { body($0, engine) } })
  }
}

/// The way to a store for what must not keep it.
struct StoreLink: Sendable {
  fileprivate let link: WorkerLink
  fileprivate let slot: Int

  /// Does something with the core when it is its turn; with that of another store if this one is gone.
  func perform(_ body: @escaping @Sendable (StoreCore, Engine) -> Void) {
    let slot = slot
    link.submit { engine in engine.withStore(slot) { body($0, engine) } }
  }
}

/// Ends a stream when nothing can yield to it any more.
private final class StreamEnd: Sendable {
  let continuation: AsyncStream<Value>.Continuation

  init(_ continuation: AsyncStream<Value>.Continuation) { self.continuation = continuation }

  deinit { continuation.finish() }
}

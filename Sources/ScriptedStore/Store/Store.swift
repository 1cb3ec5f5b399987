import LuaBridge
import Synchronization

/// A running feature: its state, and the way to send it actions. A child store, made by `scope`, is
/// a view of a part of its parent's state.
///
/// Thread-safe: every member may be used from any thread, and in handlers.
public final class Store: Sendable {
  let handle: StoreHandle
  /// The path from the root store's state to this store's state.
  let place: StatePath
  /// The types and ids that an action is nested in on its way to the root, the innermost last.
  private let wraps: [ActionStep]
  /// For each step of `place`: where its element was found last.
  private let hints: Mutex<[Int]>
  /// What the store has made of its state, by path and type (``state(at:as:)``).
  let decoders = Mutex<[DecoderKey: any Sendable]>([:])

  init(_ handle: StoreHandle) {
    self.handle = handle
    place = StatePath()
    wraps = []
    hints = Mutex([])
  }

  private init(_ handle: StoreHandle, _ place: StatePath, _ wraps: [ActionStep]) {
    self.handle = handle
    self.place = place
    self.wraps = wraps
    hints = Mutex(place.noHints)
  }

  // MARK: State

  /// The state after the last drain; null for a child that does not exist. An O(1) snapshot: it
  /// copies nothing and never changes.
  ///
  /// A store with shared values that nobody observes takes over here what others have changed. While another thread is in the
  /// worker, and inside of reducers and their dependencies, it is the state before that.
  public var state: Value { look(at: handle.state) }

  /// The state after the last action that was reduced, which in a durable store may be lost with the process; ``state`` is that
  /// of the last record on the disk. For a screen of the host's own that must not wait for the disk. In other stores it is
  /// ``state``.
  ///
  /// Blocks while the VM is busy; inside of a VM it is ``state``.
  public var reduced: Value {
    let newest = handle.inspect { core, _ in core.gate.map { _ in core.state } }
    return newest.map { look(at: $0) } ?? state
  }

  private func look(at root: Value) -> Value {
    if place.steps.isEmpty { return root }
    let slot = root.ownedSlot()
    defer { slot.release() }
    return Value(borrowing: hints.withLock { place.look(at: slot, hints: &$0) })
  }

  // MARK: Actions

  /// Queues an action. If no thread is in the VM, this thread reduces the action and all that its
  /// effects send before it returns. Otherwise the thread inside reduces it, and this call returns
  /// at once. An action that is sent from inside the VM waits its turn.
  ///
  /// If the action raises an error, its writes are rolled back, and the host's `onError` gets the
  /// error.
  ///
  /// - Returns: what the action started. The result may be discarded; dropping it does not cancel
  ///   the effects.
  @discardableResult
  public func send(_ action: borrowing Action) -> StoreTask { submit(action, transaction: nil) }

  func submit(_ action: borrowing Action, transaction: Value?) -> StoreTask {
    if wraps.isEmpty {
      return StoreTask(handle.worker.send(action, to: handle, transaction: transaction))
    }
    let action = copy action
    let error: ScriptError
    if let flaw = action.flaw {
      error = flaw
    } else if let wrapped = Value.nesting(action.value, in: wraps) {
      return StoreTask(
        handle.worker.send(Action(trusted: wrapped), to: handle, transaction: transaction))
    } else {
      error = ScriptError("\(ActionError(tooDeep: action.path)) on its way to the parent")
    }
    handle.perform { core, engine in engine.report(error, action, of: core) }
    return StoreTask(nil)
  }

  // MARK: Effects

  /// The effects in flight for the whole store, in the order in which they were started. Empty when
  /// it is called inside the VM, as by a reducer in Swift, because that would wait for itself.
  ///
  /// Blocks while the VM is busy; ``effectsInFlight()`` does not.
  public var effects: [EffectDescription] { inspectEffects { $0.descriptions } ?? [] }

  /// ``effects`` without blocking the thread, for tasks: they share few threads.
  public func effectsInFlight() async -> [EffectDescription] {
    let slot = handle.slot
    let result = try? await handle.worker.performAsynchronously { (engine) throws(ScriptError) in
      engine.effects(of: slot)?.descriptions
    }
    return result ?? []
  }

  /// The alarms of the whole store, in the order of their times. Empty when it is called inside the VM. Blocks
  /// while the VM is busy.
  public var alarms: [AlarmDescription] {
    inspectEffects { $0.alarms.byTime.map(\.description) } ?? []
  }

  /// Calls `body` inside the VM with the effects in flight. Returns nil if there never were any,
  /// and if the calling thread is inside a VM.
  func inspectEffects<Result: Sendable>(
    _ body: @escaping @Sendable (StoreEffects) -> Result
  ) -> Result? {
    handle.inspect { core, _ in core.effects.map(body) }
  }

  /// Returns when no effect of the whole store is in flight, and its handlers have been called for what happened before.
  /// Returns at once if the waiting task is cancelled; the effects go on.
  ///
  /// Runs on the caller's actor.
  public func finish(isolation: isolated (any Actor)? = #isolation) async {
    let (worker, slot, waiter) = (handle.worker, handle.slot, Waiter())
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.wait { continuation.resume() }
        worker.submit(.perform { $0.whenIdle(slot) { waiter.call() } })
      }
    } onCancel: {
      waiter.call()
    }
  }

  // MARK: Children

  /// A store of the child at `key`. `action` is the type of the child's actions here; by default
  /// the last segment of `key`. As TCA's `scope(state:action:)`.
  public func scope(state key: ValuePath, action: String? = nil) -> Store {
    Store(
      handle, place.appending(StatePath(key)),
      wraps + [ActionStep(type: action ?? Store.lastKey(key))])
  }

  /// A store of one case of the child at `key`, whose state is tagged. Its state is null while the
  /// child is in another case or absent. As TCA's `scope(state: \.destination?.edit, action:
  /// \.destination.edit)`.
  ///
  /// ```swift
  /// let edit = store.scope(state: "destination", case: "edit")
  /// ```
  public func scope(state key: ValuePath, action: String? = nil, case name: String) -> Store {
    scope(state: key, action: action).scope(state: ValuePath([.key(name)]), action: name)
  }

  /// A store of one element of the list or object at `key`: the one with this id in a list, or
  /// under this key in an object.
  ///
  /// - Parameters:
  ///   - action: the type of the elements' actions here; by default the last segment of `key`.
  ///   - field: the field that identifies an element of a list.
  public func scope(
    element id: Value, of key: ValuePath, action: String? = nil, id field: String = "id"
  ) -> Store {
    Store(
      handle,
      place.appending(StatePath(key)).appending(StatePath([.element(id: id, field: field)])),
      wraps + [ActionStep(type: action ?? Store.lastKey(key), id: id)])
  }

  private static func lastKey(_ path: ValuePath) -> String {
    for component in path.components.reversed() {
      if case .key(let key) = component { return key }
    }
    return ""
  }
}

extension Store {
  /// Lets allocations in the store's VM fail, as ``LuaVM/failAllocations(after:count:)`` does.
  package func failAllocations(after successes: Int?) {
    handle.worker.submit(.perform { $0.context.vm.failAllocations(after: successes) })
  }

  /// Whether an allocation failed because of ``failAllocations(after:)``; nil inside a VM.
  package var hasFailedAllocation: Bool? {
    handle.inspect { _, engine in engine.context.vm.hasFailedAllocation }
  }

  /// The bytes that the store's VM holds after a full garbage collection. It collects several
  /// times, because garbage can hold other garbage through objects of the host. Nil inside a VM.
  package func collectedMemory() -> Int? {
    handle.inspect { _, engine in
      for _ in 0..<3 { engine.context.vm.collectGarbage() }
      return engine.context.vm.memory.used
    }
  }
}

extension Store {
  /// The effects in flight for the whole store with their numbers, in the order in which they were
  /// started. For tools that let a person choose one.
  package var numberedEffects: [(number: UInt64, description: EffectDescription)] {
    inspectEffects { $0.described.map { ($0.job.number, $0.description) } } ?? []
  }

  /// Cancels the effect with this number, also if it has no id. Returns false if it has ended.
  @discardableResult
  package func cancelEffect(_ number: UInt64) -> Bool {
    inspectEffects { $0.cancel(number) } ?? false
  }
}

/// Other forms of an action, and what goes with one.
extension Store {
  /// Sends the action of a path and a payload: `send("todos[3].rename", ["description": "Milk"])`.
  @discardableResult
  public func send(_ path: String, _ payload: Value?) throws(ActionError) -> StoreTask {
    send(try Action(path: path, payload: payload))
  }

  /// Sends the action of a path that is made at run time. A literal is an ``Action`` itself, and does
  /// not throw.
  @_disfavoredOverload
  @discardableResult
  public func send(_ path: String) throws(ActionError) -> StoreTask {
    send(try Action(path: path))
  }

  /// Sends the action of a table. A literal is an ``Action`` itself, and does not throw.
  @_disfavoredOverload
  @discardableResult
  public func send(_ value: Value) throws(ActionError) -> StoreTask { send(try Action(value)) }

  /// Sends the action of a value that encodes as an action's table or as a path.
  @discardableResult
  public func send(encoding action: some Encodable) throws -> StoreTask {
    send(try Action(encoding: action))
  }

  /// Sends an action with a transaction, as an effect does with `effect:transaction`: it is the
  /// action's ``ActionRecord/transaction``, and observers get it with what the action and those that
  /// its effects send at once have changed, unless one of these has a transaction of its own.
  @discardableResult
  public func send(_ action: Action, transaction: Value) -> StoreTask {
    submit(action, transaction: transaction)
  }

  /// Sends an action with the transaction `{ animation = … }`, as a host does for the button of an
  /// alert that has an `animation`.
  @discardableResult
  public func send(_ action: Action, animation: Value) -> StoreTask {
    submit(action, transaction: ["animation": animation])
  }
}

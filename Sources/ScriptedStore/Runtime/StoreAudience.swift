import LuaBridge

/// The listeners, observers and screens of a store. Used inside the worker of the store only.
///
/// ```
///   each action ────────────────▶ listeners ───┐
///   what a drain has changed ─┬─▶ observers ───┼─▶ handlers of the host, in the outbox
///                             └─▶ screens ─────┘
/// ```
///
/// The core of the store adds and removes them, and calls them: see the extension below, and ``StoreCore/inDrain(_:_:)``.
final class StoreAudience {
  /// The objects that hear of each action. The history comes first, because what it records is what the others hear of.
  fileprivate(set) var listeners: [any StoreListener] = []
  /// The observers of values; nil if there are none.
  fileprivate(set) var observers: ObserverTree?
  /// The screens of the store; nil if it has no ``ViewTree``.
  fileprivate(set) var views: StoreViews?
  /// Each action asks for this flag and the next one. Reading the lists themselves costs a dynamic exclusivity check each: without
  /// the two and the unowned links of the core a send takes 60 ns longer, of 450.
  fileprivate(set) var hasListeners = false
  /// Whether there are observers or screens.
  fileprivate(set) var isObserved = false
  /// Whether nothing is told any more (``StoreCore/endTelling()``).
  fileprivate(set) var hasEnded = false
  /// ``outbox``; nil if nothing was delivered yet.
  private(set) var madeOutbox: Outbox?

  /// The calls of the store's handlers. Made on first use.
  var outbox: Outbox {
    if let madeOutbox { return madeOutbox }
    let new = Outbox()
    madeOutbox = new
    return new
  }

  // MARK: What the listeners hear of each action

  @inline(__always)
  func accepts(_ action: borrowing Action, _ message: Message?) -> Bool {
    if hasListeners {
      for listener in listeners where !listener.accepts(action, message) { return false }
    }
    return true
  }

  @inline(__always)
  func willReduce() {
    if hasListeners { for listener in listeners { listener.willReduce() } }
  }

  func didReduce(_ record: ActionRecord) {
    for listener in listeners { listener.didReduce(record) }
  }

  @inline(__always)
  func didStartEffects() {
    if hasListeners { for listener in listeners { listener.didStartEffects() } }
  }
}

extension StoreCore {
  private func audienceDidChange() {
    audience.hasListeners = !audience.listeners.isEmpty
    audience.isObserved = audience.observers != nil || audience.views != nil
    sharing?.worker.hearingMayDiffer()
  }

  func add(_ listener: any StoreListener, isFirst: Bool = false) {
    if audience.hasEnded && listener is ActionHandler { return }
    audience.listeners.insert(listener, at: isFirst ? 0 : audience.listeners.count)
    audienceDidChange()
    dependencies = listener.scope(for: dependencies)
    if let effects { listener.didMake(effects) }
  }

  func removeListeners(where isRemoved: (any StoreListener) -> Bool) {
    audience.listeners.removeAll(where: isRemoved)
    audienceDidChange()
  }

  /// - Parameter outbox: nil for that of the store.
  func addObserver(
    _ id: UInt64, of path: StatePath, to outbox: Outbox?, _ handler: @escaping ObserverTree.Handler
  ) {
    if audience.hasEnded { return }
    let observers = audience.observers ?? ObserverTree()
    audience.observers = observers
    audienceDidChange()
    observers.add(id, at: path.steps[...], to: outbox, handler)
  }

  func removeObserver(_ id: UInt64, of path: StatePath) {
    guard let observers = audience.observers else { return }
    observers.remove(id, at: path.steps[...])
    guard observers.isEmpty else { return }
    audience.observers = nil
    audienceDidChange()
  }

  /// Adds the look of a ``ViewTree``, which has a tree when this returns.
  ///
  /// - Parameter slot: that of the store in its worker.
  func add(_ look: StoreViews.Look, slot: Int, _ engine: Engine) {
    let views = audience.views ?? StoreViews(slot: slot)
    audience.views = views
    audienceDidChange()
    views.add(look, self, engine)
  }

  func removeLook(_ id: UInt64, _ engine: Engine) {
    guard let views = audience.views else { return }
    views.remove(id, self, engine)
    guard views.isEmpty else { return }
    audience.views = nil
    audienceDidChange()
  }

  /// Lets the nodes on screens appear once more. Returns whether any of them sends an action by that.
  func appearAgain(_ engine: Engine) -> Bool {
    guard let views = audience.views else { return false }
    views.adopt(appearsAgain: true, self, engine)
    return views.hasAppeared
  }

  // MARK: Telling

  /// Releases the handlers of the host, because the durable store has ended and has nothing to tell any more. A stream ends when its
  /// handler is released. Handlers that are added later are released at once.
  func endTelling() {
    audience.hasEnded = true
    audience.observers = nil
    audience.listeners.removeAll { $0 is ActionHandler }
    audience.views?.removeHandlers()
    audienceDidChange()
  }

  /// Tells observers and screens what has changed since `before` (+0).
  func notify(from before: Slot, _ transaction: Value?, _ engine: Engine) {
    audience.observers?.notify(from: before, to: shown, transaction, audience, engine)
    audience.views?.update(self, engine)
  }

  /// Makes a call of a handler of the host that hears of the last action.
  func deliver(to outbox: Outbox?, _ engine: Engine, _ call: @escaping @Sendable () -> Void) {
    if let gate { gate.deliver(to: outbox, call) } else { engine.deliver(to: outbox, call) }
  }

  /// Calls `waiter` after the calls of the store's handlers for all actions so far. In a durable store, also if these calls are
  /// dropped, because the records of the actions are not written: then `waiter` gets the reason.
  func whenTold(_ engine: Engine, _ waiter: @escaping @Sendable (JournalError?) -> Void) {
    guard let gate else { return engine.deliver(to: audience.outbox) { waiter(nil) } }
    gate.whenDurable(in: audience.outbox) { result in
      let error: JournalError? = if case .failure(let error) = result { error } else { nil }
      return { waiter(error) }
    }
  }
}

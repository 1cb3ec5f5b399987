import LuaBridge
import Synchronization

/// What a store tells: changes of its state, and its actions.
extension Store {
  /// Calls `handler` with the new value at `path` when a drain has changed it, once for each drain;
  /// with null when the value is gone.
  ///
  /// Handlers run outside of the VM, on a thread that drained, those of one store one at a time and in order: first by
  /// change, then by registration. They may send, which reduces at once; the notifications of that
  /// follow on the same thread after the handler has returned. They see the task-local values of the sender of the action.
  ///
  /// The cost of a drain depends on the observed paths that changed, not on how many others are
  /// observed.
  ///
  /// - Parameter initially: whether the first call has the present value. It comes before this
  ///   function returns if no other thread is in the VM, and before those of all later changes.
  public func observe(
    _ path: ValuePath = .root, initially: Bool = false,
    _ handler: @escaping @Sendable (Value) -> Void
  ) -> StoreObservation {
    register(path, initially: initially) { value, _ in handler(value) }
  }

  /// Observes with the transaction of the change: what `effect:transaction` or `effect:animation`
  /// attached to the last action of the drain that had one, or what the host sent it with.
  public func observe(
    _ path: ValuePath = .root, initially: Bool = false,
    withTransaction handler: @escaping @Sendable (_ value: Value, _ transaction: Value?) -> Void
  ) -> StoreObservation {
    register(path, initially: initially, handler)
  }

  /// - Parameter outbox: nil for that of the store.
  func register(
    _ path: ValuePath, initially: Bool, to outbox: Outbox? = nil,
    _ handler: @escaping ObserverTree.Handler
  ) -> StoreObservation {
    let id = StoreHandle.nextObserver()
    let watched = place.appending(StatePath(path))
    handle.perform { core, engine in
      core.takeSharedSteps(engine)
      core.addObserver(id, of: watched, to: outbox, handler)
      // Delivered from inside, so that it comes before every change.
      guard initially else { return }
      let current = core.value(at: watched)
      engine.deliver(to: outbox ?? core.audience.outbox) { handler(current, nil) }
    }
    return StoreObservation { [away = handle.away] in
      away.perform { core, _ in core.removeObserver(id, of: watched) }
    }
  }

  /// The value at `path` now and after each change. A reader that falls behind gets the newest
  /// value. The stream ends with the store, and does not retain it.
  public func values(at path: ValuePath = .root) -> AsyncStream<Value> {
    .observing(.bufferingNewest(1)) { outbox, yield in
      register(path, initially: true, to: outbox) { value, _ in yield(value) }
    }
  }

  /// Calls `handler` with each action of the whole store after it was reduced, in order, including
  /// the actions of effects. Retain the observation: the handler is removed with it.
  public func onAction(
    _ handler: @escaping @Sendable (ActionRecord) -> Void
  ) -> StoreObservation {
    onAction(to: nil, handler)
  }

  private func onAction(
    to outbox: Outbox?, _ handler: @escaping @Sendable (ActionRecord) -> Void
  ) -> StoreObservation {
    let id = StoreHandle.nextObserver()
    handle.perform { core, engine in
      core.takeSharedSteps(engine)
      core.add(ActionHandler(id, core, engine, outbox ?? core.audience.outbox, handler))
    }
    return StoreObservation { [away = handle.away] in
      away.perform { core, _ in core.removeListeners { ($0 as? ActionHandler)?.id == id } }
    }
  }

  /// The actions of the whole store, each after it was reduced, in order, including those of effects.
  /// The stream ends with the store, and does not retain it.
  ///
  /// A reader that falls behind gets all of them: they wait without bound. Each has two states, which
  /// share what has not changed. ``actions(buffering:)`` sets a bound.
  public var actions: AsyncStream<ActionRecord> { actions(buffering: .unbounded) }

  /// ``actions``, of which the newest or the oldest so many wait for a reader that falls behind, and
  /// the others are dropped. ``ActionRecord/number`` tells how many were.
  public func actions(
    buffering: AsyncStream<ActionRecord>.Continuation.BufferingPolicy
  ) -> AsyncStream<ActionRecord> {
    .observing(buffering) { outbox, yield in onAction(to: outbox, yield) }
  }

  /// Returns when the handlers of the store have been called for all that has happened so far, as far as it is durable or
  /// will be. Must not be awaited in such a handler.
  ///
  /// - Returns: why a durable store's last record could not be written.
  @discardableResult
  package func untilObserved() async -> JournalError? {
    let failure = Mutex<JournalError?>(nil)
    await Waiter.untilCalled { waiter in
      handle.perform { core, engine in
        core.takeSharedSteps(engine)
        // A stream would not wait for the handlers: it has an outbox of its own.
        core.whenTold(engine) { error in
          failure.withLock { $0 = error }
          waiter.call()
        }
      }
    }
    return failure.withLock { $0 }
  }
}

/// Registers a handler until ``cancel()`` is called or the observation is deallocated.
public final class StoreObservation: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { cancel() }

  /// Removes the handler: it is not called for anything that happens from now on. May be called
  /// again.
  public func cancel() {
    end.withLock { $0.take() }?()
  }
}

extension AsyncStream where Element: Sendable {
  /// A stream of what an observation gets. It retains the observation, and ends when nothing can
  /// call the observer any more.
  ///
  /// - Parameter observe: observes by calls of `yield` in an outbox of the stream's own, so that the stream does not wait for
  ///   handlers.
  static func observing(
    _ buffering: Continuation.BufferingPolicy,
    _ observe: (Outbox, _ yield: @escaping @Sendable (Element) -> Void) -> StoreObservation
  ) -> AsyncStream {
    AsyncStream(bufferingPolicy: buffering) { continuation in
      // Called when no observer can yield any more.
      let end = Waiter { continuation.finish() }
      let observation = observe(Outbox(mayBlock: false)) { element in
        withExtendedLifetime(end) { _ = continuation.yield(element) }
      }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

import LuaBridge
import Synchronization

/// What an action started: its effects, and those of the actions that these send, and so on. As TCA's
/// `StoreTask`.
///
/// It does not keep its store: with the last reference to that, what the action started is cancelled.
public struct StoreTask: Sendable {
  private let token: TaskToken?

  init(_ token: TaskToken?) { self.token = token }

  /// Returns when all that the action started has ended. If the task that waits is cancelled, so is what it waits
  /// for.
  ///
  /// Runs on the actor of whoever calls it.
  public func finish(isolation: isolated (any Actor)? = #isolation) async {
    guard let token else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in token.whenEnded { continuation.resume() } }
    } onCancel: {
      token.cancel()
    }
  }

  /// Cancels what the action started and is still in flight.
  public func cancel() { token?.cancel() }

  /// Whether it was told to stop.
  public var isCancelled: Bool { token?.isCancelled ?? false }
}

/// What a thread outside knows about what an action started.
final class TaskToken: Sendable {
  private enum Phase {
    /// The action is not reduced yet; who waits for what it starts.
    case queued([@Sendable () -> Void])
    case started(JobKey?)
  }

  private struct State {
    var phase: Phase
    var isCancelled = false
  }

  private let link: WorkerLink
  private let state: Mutex<State>

  /// Of an action that waits for its turn.
  init(_ link: WorkerLink) {
    self.link = link
    state = Mutex(State(phase: .queued([])))
  }

  init(_ link: WorkerLink, _ key: JobKey) {
    self.link = link
    state = Mutex(State(phase: .started(key)))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The action was reduced, and started what has this key, or with nil nothing that goes on.
  func start(_ key: JobKey?) {
    let (waiters, isCancelled) = state.withLock { state in
      defer { state.phase = .started(key) }
      guard case .queued(let waiters) = state.phase else {
        return ([] as [@Sendable () -> Void], false)
      }
      return (waiters, state.isCancelled)
    }
    for waiter in waiters { wait(for: key, waiter) }
    if isCancelled { cancel(key) }
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) {
    let key: JobKey?? = state.withLock { state in
      switch state.phase {
      case .started(let key): return key
      case .queued(let waiters):
        state.phase = .queued(waiters + [waiter])
        return .none
      }
    }
    if case .some(let key) = key { wait(for: key, waiter) }
  }

  private func wait(for key: JobKey?, _ waiter: @escaping @Sendable () -> Void) {
    guard let key else { return waiter() }
    // Called when the worker is gone, too.
    let waiter = Waiter(waiter)
    link.submit { engine in engine.effects.whenEnded(key) { waiter.call() } }
  }

  func cancel() {
    let key: JobKey? = state.withLock { state in
      state.isCancelled = true
      guard case .started(let key) = state.phase else { return nil }
      return key
    }
    cancel(key)
  }

  private func cancel(_ key: JobKey?) {
    guard let key else { return }
    link.submit { engine in engine.effects.cancel(key) }
  }
}

/// Calls back once: when it is told to, or when nobody can tell it any more.
private final class Waiter: Sendable {
  private let body: Mutex<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

  deinit { call() }

  func call() {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }
}

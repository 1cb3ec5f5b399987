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
  public func finish() async {
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
    case started(UInt64)
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

  init(_ link: WorkerLink, _ serial: UInt64) {
    self.link = link
    state = Mutex(State(phase: .started(serial)))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The action was reduced, and started what has this number, or with 0 nothing that goes on.
  func start(_ serial: UInt64) {
    let (waiters, isCancelled) = state.withLock { state in
      defer { state.phase = .started(serial) }
      guard case .queued(let waiters) = state.phase else {
        return ([] as [@Sendable () -> Void], false)
      }
      return (waiters, state.isCancelled)
    }
    for waiter in waiters { wait(for: serial, waiter) }
    if isCancelled { cancel(serial) }
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) {
    let serial: UInt64? = state.withLock { state in
      switch state.phase {
      case .started(let serial): return serial
      case .queued(let waiters):
        state.phase = .queued(waiters + [waiter])
        return nil
      }
    }
    if let serial { wait(for: serial, waiter) }
  }

  private func wait(for serial: UInt64, _ waiter: @escaping @Sendable () -> Void) {
    guard serial != 0 else { return waiter() }
    // Called when the worker is gone, too.
    let waiter = Waiter(waiter)
    link.submit { engine in engine.effects.whenEnded(serial) { waiter.call() } }
  }

  func cancel() {
    let serial: UInt64? = state.withLock { state in
      state.isCancelled = true
      guard case .started(let serial) = state.phase else { return nil }
      return serial
    }
    if let serial { cancel(serial) }
  }

  private func cancel(_ serial: UInt64) {
    guard serial != 0 else { return }
    link.submit { engine in engine.effects.cancel(serial) }
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

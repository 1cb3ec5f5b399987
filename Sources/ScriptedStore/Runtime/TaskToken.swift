import Synchronization

/// What threads outside the worker know of an action and the effects that it started.
///
/// ```
///   queued(waiters) --start(key)--> started(key)
/// ```
///
/// A cancellation while `queued` is remembered, and carried out by `start`.
final class TaskToken: Sendable {
  private enum Phase {
    /// The action is not reduced yet. These wait for the end of what it starts.
    case queued([@Sendable () -> Void])
    /// The key of the root job; nil if nothing was in flight after the action.
    case started(JobKey?)
  }

  private struct State {
    var phase: Phase
    var isCancelled = false
  }

  private let link: WorkerLink
  private let state: Mutex<State>

  /// For an action that is queued.
  init(_ link: WorkerLink) {
    self.link = link
    state = Mutex(State(phase: .queued([])))
  }

  /// For an action that has been reduced.
  init(_ link: WorkerLink, _ key: JobKey) {
    self.link = link
    state = Mutex(State(phase: .started(key)))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Called when the action was reduced.
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
    // `Waiter` also calls back if the worker is gone and the job is never run.
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

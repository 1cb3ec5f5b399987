import Synchronization

/// Calls back once: when `call()` is called, or when nothing refers to it any more.
final class Waiter: Sendable {
  private enum State {
    case waiting((@Sendable () -> Void)?)
    case over
  }

  private let state: Mutex<State>

  /// - Parameter body: nil if ``wait(_:)`` follows.
  init(_ body: (@Sendable () -> Void)? = nil) { state = Mutex(.waiting(body)) }

  /// Returns when the waiter that `body` gets has called back. If the store or the effect that it is for is gone, nothing keeps it,
  /// and that is at once.
  static func untilCalled(_ body: (Waiter) -> Void) async {
    await withCheckedContinuation { continuation in body(Waiter { continuation.resume() }) }
  }

  deinit { call() }

  /// Whether it has called back.
  var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// Lets `body` be called; at once if `call()` came first.
  func wait(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(body)
      return false
    }
    if isOver { body() }
  }

  func call() {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state = .over }
      if case .waiting(let body) = state { return body }
      return nil
    }
    body?()
  }
}

import Synchronization

/// An event that happens once. Any thread may send it; one waiter is called.
final class OneTimeEvent: Sendable {
  private enum State {
    case waiting((@Sendable () -> Void)?)
    case sent
  }

  private let state = Mutex(State.waiting(nil))

  var isSent: Bool {
    state.withLock { if case .sent = $0 { true } else { false } }
  }

  func send() {
    let waiter = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state = .sent }
      if case .waiting(let waiter) = state { return waiter }
      return nil
    }
    waiter?()
  }

  func whenSent(_ waiter: @escaping @Sendable () -> Void) {
    let isSent = state.withLock { state in
      if case .sent = state { return true }
      state = .waiting(waiter)
      return false
    }
    if isSent { waiter() }
  }
}

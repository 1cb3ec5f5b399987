import Dispatch
import Synchronization

/// A barrier for threads that agree on something. One refusal makes all of them disagree.
final class ReloadBarrier: Sendable {
  private struct State {
    var missing: Int
    var isRefused = false
  }

  private let state: Mutex<State>
  private let decided = DispatchSemaphore(value: 0)

  init(of count: Int) { state = Mutex(State(missing: count)) }

  /// Waits for all others.
  ///
  /// - Returns: whether all agreed.
  func agree() -> Bool {
    arrive { _ in }
    decided.wait()
    decided.signal()
    return state.withLock { !$0.isRefused }
  }

  /// Refuses, and does not wait for the others.
  func refuse() { arrive { $0.isRefused = true } }

  private func arrive(_ change: (inout State) -> Void) {
    let isLast = state.withLock { state in
      change(&state)
      state.missing -= 1
      return state.missing == 0
    }
    if isLast { decided.signal() }
  }
}

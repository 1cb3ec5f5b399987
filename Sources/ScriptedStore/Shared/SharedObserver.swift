import LuaBridge
import Synchronization

extension SharedValues {
  /// A handler of the host. It gets the newest value, by one thread at a time: a thread that finds
  /// another one in the handler leaves its value to that one.
  final class Observer: Sendable {
    private struct State {
      var value: Value?
      /// The version that ``value`` is from.
      var number: UInt64
      /// Whether the handler has not got ``value`` yet.
      var isNew = false
      var isCalling = false
    }

    private let key: String
    private let state: Mutex<State>
    private let handler: @Sendable (Value?) -> Void

    init(_ key: String, _ version: SharedVersion, _ handler: @escaping @Sendable (Value?) -> Void) {
      self.key = key
      state = Mutex(State(value: version.values[key], number: version.number))
      self.handler = handler
    }

    /// Calls the handler with the value from the beginning, or a newer one.
    func begin() {
      let isMine = state.withLock { state in
        state.isNew = true
        defer { state.isCalling = true }
        return !state.isCalling
      }
      if isMine { callHandler() }
    }

    func notify(_ version: SharedVersion) {
      let value = version.values[key]
      let isMine = state.withLock { state in
        guard version.number > state.number else { return false }
        state.number = version.number
        guard value != state.value else { return false }
        (state.value, state.isNew) = (value, true)
        defer { state.isCalling = true }
        return !state.isCalling
      }
      if isMine { callHandler() }
    }

    private func callHandler() {
      while true {
        let next: Value?? = state.withLock { state in
          state.isCalling = state.isNew
          guard state.isNew else { return nil }
          state.isNew = false
          return .some(state.value)
        }
        guard let next else { return }
        handler(next)
      }
    }
  }
}

import Synchronization

/// Delivers the requests of scripts and of the host to the keepers of custom keys, and the answers back.
///
/// A keeper is a store inside one of the host's workers that hosts do not see. The effects of its feature
/// (`keeper.lua`) call the key's functions. So they run under the same limits, on the same clock and with
/// the same dependencies as other effects.
///
/// Each waiter has a ticket, and is called once: with the answer of the keeper, or when the keeper has
/// ended.
final class SharedKeepers: Sendable {
  /// Nil if it was done; else why it could not be.
  typealias Waiter = @Sendable (SharedStorageError?) -> Void

  private struct State {
    /// The workers of the keepers, by the identities of their keys.
    var workers: [SharedIdentity: WorkerLink] = [:]
    var waiters: [Int: (key: SharedIdentity, call: Waiter)] = [:]
    var lastTicket: Int = 0
  }

  private let state = Mutex(State())

  deinit { for key in keys { end(key) } }

  /// Reserves the place of the keeper of a key. Returns false if the key has a keeper already.
  func begin(_ key: SharedIdentity, in worker: WorkerLink) -> Bool {
    state.withLock { state in
      guard state.workers[key] == nil else { return false }
      state.workers[key] = worker
      return true
    }
  }

  func has(_ key: SharedIdentity) -> Bool { state.withLock { $0.workers[key] != nil } }

  /// Lets the keeper of a key end that nobody uses, if the storage has the key's value.
  func endUnused(_ key: SharedIdentity) {
    state.withLock { $0.workers[key] }?.submit { $0.sharing.endUnusedKeeper(of: key) }
  }

  /// The keeper of a key has ended. Who waits for it is told so.
  func end(_ key: SharedIdentity) {
    let waiters = state.withLock { state in
      state.workers[key] = nil
      let ended = state.waiters.filter { $0.value.key == key }
      for ticket in ended.keys { state.waiters[ticket] = nil }
      return ended.values.map(\.call)
    }
    for waiter in waiters { waiter(SharedKeepers.noKeeper) }
  }

  /// Asks the keeper of a key to load or to save.
  func ask(_ request: SharedOperation, _ key: SharedIdentity, _ waiter: @escaping Waiter) {
    let sending = state.withLock { state in
      state.workers[key].map { worker in
        state.lastTicket += 1
        state.waiters[state.lastTicket] = (key, waiter)
        return (worker, state.lastTicket)
      }
    }
    guard let (worker, ticket) = sending else { return waiter(SharedKeepers.noKeeper) }
    worker.submit { engine in
      engine.sharing.tellKeeper(
        of: key,
        Action(trusted: ["type": .string(request.rawValue), "ticket": .integer(Int64(ticket))]))
    }
  }

  /// A keeper has done what these tickets are for, or could not.
  func answer(_ tickets: [Int], _ failure: SharedStorageError?) {
    let waiters = state.withLock { state in
      tickets.compactMap { state.waiters.removeValue(forKey: $0)?.call }
    }
    for waiter in waiters { waiter(failure) }
  }

  /// The keys that have a keeper.
  var keys: [SharedIdentity] { state.withLock { Array($0.workers.keys) } }

  private static let noKeeper = SharedStorageError(
    code: "closed", message: "no feature shares the key any more")
}

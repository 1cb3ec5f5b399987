import Foundation
import ScriptedStore
import Synchronization

/// One store for each session, as long as the session is in use.
final class SessionStores: Sendable {
  private struct Session {
    let store: Store
    var lastUse: ContinuousClock.Instant
  }

  private let makeStore: @Sendable () throws -> Store
  private let idleTime: Duration
  private let limit: Int
  private let sessions = Mutex<[String: Session]>([:])

  /// - Parameters:
  ///   - idleTime: a session is forgotten when no request has come for this time.
  ///   - limit: as many sessions are kept; one more replaces the one that was not used for the longest time.
  init(
    idleTime: Duration = .seconds(30 * 60), limit: Int = 10_000,
    store makeStore: @escaping @Sendable () throws -> Store
  ) {
    self.makeStore = makeStore
    self.idleTime = idleTime
    self.limit = limit
  }

  var count: Int { sessions.withLock { $0.count } }

  /// The store of a session, or a new session if there is none of this name.
  func session(_ name: String?) throws -> (name: String, store: Store) {
    if let name, let store = use(name) { return (name, store) }
    // A store runs its script when it is made, so no lock is held meanwhile.
    let store = try makeStore()
    // 122 random bits. A client cannot choose its name, or it could choose that of another one.
    let name = UUID().uuidString
    sessions.withLock { sessions in
      removeOld(&sessions)
      sessions[name] = Session(store: store, lastUse: .now)
    }
    return (name, store)
  }

  private func use(_ name: String) -> Store? {
    sessions.withLock { sessions in
      guard let session = sessions[name], session.lastUse.advanced(by: idleTime) > .now else {
        return nil
      }
      sessions[name]?.lastUse = .now
      return session.store
    }
  }

  /// Makes room for one more. The store of a session that is removed ends with its last request.
  private func removeOld(_ sessions: inout [String: Session]) {
    guard sessions.count >= limit else { return }
    let now = ContinuousClock.now
    sessions = sessions.filter { $0.value.lastUse.advanced(by: idleTime) > now }
    guard sessions.count >= limit else { return }
    if let oldest = sessions.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      sessions[oldest.key] = nil
    }
  }
}

#if Server
import Dispatch
import ScriptedStore

/// A store with the pages that show it, and what they do with it.
///
/// Reducers may take long, so the event loop never waits for them: what pages do is done on a
/// queue, in order.
final class ServedStore: Sendable {
  let store: Store
  /// What happens is recorded, for the bar for development; nil without one.
  let history: StoreHistory?
  private let queue = DispatchQueue(label: "ScriptedStore.server.store")

  init(_ store: Store, records: Bool) {
    self.store = store
    history = records ? store.record(limit: 2_000) : nil
    history?.holdsEffects = true
  }

  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
#endif

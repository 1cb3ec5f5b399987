import LuaBridge
import Synchronization

/// A store's slot in its worker. When the last ``Store`` with this handle is deallocated, the core
/// is closed.
final class StoreHandle: Sendable {
  let worker: Worker
  let slot: Int
  let snapshot: StateSnapshot
  /// What lives as long as the store and is read without its worker: the entries of its history; nil without one.
  let companion = Mutex<(any AnyObject & Sendable)?>(nil)
  private let owned: OwnedWorker

  init(of owned: OwnedWorker, slot: Int, snapshot: StateSnapshot) {
    self.owned = owned
    worker = owned.worker
    self.slot = slot
    self.snapshot = snapshot
  }

  deinit {
    let slot = slot
    worker.submit(.close(store: slot))
  }

  /// Numbers the observers of all stores. After a store is closed, its slot may belong to another
  /// store when an observer is cancelled; the number then matches nothing there.
  static func nextObserver() -> UInt64 { SerialNumber.next() }

  /// The state after the last drain, with the shared values of now.
  var state: Value {
    if snapshot.takeOutdated() { perform { $0.takeSharedSteps($1) } }
    return snapshot.current
  }

  /// A way to the store that does not retain it.
  var away: StoreLink { StoreLink(link: owned.link, slot: slot) }

  var link: WorkerLink { owned.link }

  /// Runs `body` inside the worker with the store's core.
  func perform(_ body: @escaping @Sendable (StoreCore, Engine) -> Void) {
    let slot = slot
    worker.submit(.perform { engine in if let core = engine.core(slot) { body(core, engine) } })
  }

  /// Runs `body` inside the worker with the store's core, and waits for its result. Nil if there is no core any more, and
  /// if the calling thread is inside a VM, because that would wait for itself.
  func inspect<R: Sendable>(_ body: @escaping @Sendable (StoreCore, Engine) -> R?) -> R? {
    guard !Worker.isInsideOne else { return nil }
    let slot = slot
    return try? worker.perform { (engine) throws(ScriptError) in
      engine.core(slot).flatMap { body($0, engine) }
    }
  }
}

/// A way to a store for objects that must not retain it.
struct StoreLink: Sendable {
  fileprivate let link: WorkerLink
  fileprivate let slot: Int

  /// Runs `body` inside the worker with the core in the store's slot. That may be another store's
  /// core, if this store is closed.
  func perform(_ body: @escaping @Sendable (StoreCore, Engine) -> Void) {
    let slot = slot
    link.submit { engine in if let core = engine.core(slot) { body(core, engine) } }
  }
}

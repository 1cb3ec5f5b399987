import ScriptedStore
import Synchronization

/// The effects that an action of a test started, and those of the actions that they send, and so
/// on. It works as TCA's `TestStoreTask`.
public final class TestStoreTask: Sendable {
  private let store: TestStore
  /// Nil if no effect of the action was still in flight.
  private let task: TestStoreHandle.StartedEffects?
  private let cancelled = Mutex(false)

  init(store: TestStore, task: TestStoreHandle.StartedEffects?) {
    self.store = store
    self.task = task
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { cancelled.withLock { $0 } }

  /// Cancels the effects that are still in flight.
  public func cancel() {
    cancelled.withLock { $0 = true }
    if let task { store.handle.cancel(task) }
  }

  /// Waits until all the effects have ended. Fails at once if they can only continue by a test
  /// clock or stream.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    guard let task else { return }
    await store.finish(
      task, timeout,
      at: TestStore.StatementLocation(fileID, filePath, line, column))
  }
}

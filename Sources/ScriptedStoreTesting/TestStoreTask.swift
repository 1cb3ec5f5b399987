import ScriptedStore
import Synchronization

/// What an action of a test started: its effects, and those of the actions that these send, and so on. As TCA's
/// `TestStoreTask`.
public final class TestStoreTask: Sendable {
  private let store: TestStore
  /// Nil if the action started nothing that goes on.
  private let task: TestStoreHandle.Task?
  private let cancelled = Mutex(false)

  init(store: TestStore, task: TestStoreHandle.Task?) {
    self.store = store
    self.task = task
  }

  /// Whether it was told to stop.
  public var isCancelled: Bool { cancelled.withLock { $0 } }

  /// Cancels what the action started and is still in flight.
  public func cancel() {
    cancelled.withLock { $0 = true }
    if let task { store.handle.cancel(task) }
  }

  /// Waits until all of it has ended. Fails at once if none can go on but by a test clock or stream.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    guard let task else { return }
    await store.finish(
      task, timeout,
      at: TestStore.SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

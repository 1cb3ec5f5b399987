import Dispatch
import Synchronization

/// Work of a task for which a thread waits. A signal does not end the wait.
final class Awaited<Success: Sendable>: Sendable {
  private let result = Mutex<Result<Success, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ work: @escaping @Sendable () async throws -> Success) {
    Task {
      let result: Result<Success, any Error>
      do {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      self.result.withLock { $0 = result }
      isDone.signal()
    }
  }

  /// Waits for the result. Called once.
  func wait() throws -> Success {
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

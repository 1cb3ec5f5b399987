import Dispatch
import ScriptedStore
import Synchronization

/// A flag that other threads set. Setting it wakes the thread that waits in ``Interruption``.
package final class WaitFlag: Sendable {
  private let state = Atomic<Bool>(false)

  package init() {}

  /// A flag that is set when `operation` has ended.
  package convenience init(after operation: @escaping @Sendable () async -> Void) {
    self.init()
    Task {
      await operation()
      set()
    }
  }

  package var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  package func set() {
    state.store(true, ordering: .sequentiallyConsistent)
    Interruption.wake()
  }

  package func clear() { state.store(false, ordering: .sequentiallyConsistent) }

  /// Waits until the flag is set, the time in seconds has passed, or the run must end.
  package func wait(atMost seconds: Double? = nil) { Interruption.wait(atMost: seconds) { isSet } }
}

/// Work of a task for which a thread waits. A signal does not end the wait.
package final class Awaited<Success: Sendable>: Sendable {
  private let result = Mutex<Result<Success, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  package init(_ work: @escaping @Sendable () async throws -> Success) {
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
  package func wait() throws -> Success {
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

extension Store {
  /// Waits until observers have received all that has happened so far. On a virtual clock, also waits
  /// until no effect can continue without time passing; otherwise what is shown would depend on real
  /// timing.
  ///
  /// - Returns: why a durable store's last record could not be written.
  @discardableResult
  package func settle(on clock: VirtualClock?) -> JournalError? {
    let failure = Mutex<JournalError?>(nil)
    WaitFlag {
      let error = await self.untilObserved()
      failure.withLock { $0 = error }
    }.wait()
    clock?.settle()
    return failure.withLock { $0 }
  }
}

extension VirtualClock {
  /// Lets time pass. Returns when the effects of that time have run, or when the run must end.
  package func pass(_ seconds: Double) {
    let isDone = WaitFlag()
    advance(by: seconds, unless: { Interruption.isRequested }, isDone.set)
    isDone.wait()
  }

  /// Waits until no effect can continue without time passing, or until the run must end.
  package func settle() {
    let isDone = WaitFlag()
    whenSettled(isDone.set)
    isDone.wait()
  }
}

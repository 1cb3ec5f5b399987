import Dispatch
import Foundation
import Synchronization

/// Does something again and again on a thread of its own, as another process would.
final class Repetition: Sendable {
  private let isStopping = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      while !self.isStopping.load(ordering: .relaxed) {
        body()
        // Without a pause this thread would slow down all other tests.
        usleep(100)
      }
      self.hasEnded.signal()
    }
  }

  /// Returns when it has ended.
  func stop() {
    isStopping.store(true, ordering: .relaxed)
    hasEnded.wait()
  }
}

import Dispatch
import Testing

/// Runs tests that wait for other processes on threads of their own. On those that all tasks share, two of them would
/// keep all other tests waiting on a machine with two processors.
struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads.all) { try await function() }
  }

  private final class Threads: TaskExecutor {
    static let all = Threads()

    private let queue = DispatchQueue(label: "tests that block", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == BlockingTests {
  /// The tests wait for other processes.
  static var blocking: Self { BlockingTests() }
}

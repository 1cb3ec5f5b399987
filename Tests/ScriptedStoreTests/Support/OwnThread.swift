import Foundation

/// Runs `body` on a thread of its own: where it waits for tasks it must not keep one of the few threads that tasks run
/// on.
func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

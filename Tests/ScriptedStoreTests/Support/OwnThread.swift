import Foundation

/// Runs `body` on a thread of its own: where it waits for tasks it must not keep one of the few threads that tasks run
/// on.
func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      Thread.current.threadDictionary[ownThreadKey] = true
      continuation.resume(returning: body())
    }
  }
}

private let ownThreadKey = "ScriptedStoreTests.ownThread"

/// Whether the calling thread is one of ``onOwnThread(_:)``.
var isOnOwnThread: Bool { Thread.current.threadDictionary[ownThreadKey] != nil }

/// The same on a stack of 512 KB, as threads of pools have.
func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = 512 << 10
    thread.start()
  }
}

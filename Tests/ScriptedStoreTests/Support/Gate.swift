import Dispatch
import ScriptedStore
import Synchronization

/// Holds one thread until it is opened, for tests of what other threads can do meanwhile.
final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)

  /// Blocks the calling thread until the gate is opened, once for each ``open()``.
  func wait() {
    arrived.yield()
    opened.wait()
  }

  /// Returns when a thread has come.
  func arrival() async { for await _ in arrivals { break } }

  func open() { opened.signal() }
}

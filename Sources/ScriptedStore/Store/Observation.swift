import Synchronization

/// Keeps a handler registered: until ``cancel()``, or until it goes away.
public final class Observation: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { cancel() }

  /// The handler is not called for anything that happens from now on. May be called again.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

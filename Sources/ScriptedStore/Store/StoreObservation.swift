import Synchronization

/// Registers a handler until ``cancel()`` is called or the observation is deallocated.
public final class StoreObservation: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { cancel() }

  /// Removes the handler: it is not called for anything that happens from now on. May be called
  /// again.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

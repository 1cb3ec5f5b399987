extension AsyncStream where Element: Sendable {
  /// A stream of what an observation gets. It retains the observation, and ends when nothing can
  /// call the observer any more.
  ///
  /// - Parameter observe: observes by calls of `yield` in an outbox of the stream's own, so that the stream does not wait for
  ///   handlers.
  static func observing(
    _ buffering: Continuation.BufferingPolicy,
    _ observe: (Outbox, _ yield: @escaping @Sendable (Element) -> Void) -> StoreObservation
  ) -> AsyncStream {
    AsyncStream(bufferingPolicy: buffering) { continuation in
      let end = StreamEnd(continuation)
      let observation = observe(Outbox(mayBlock: false)) { end.continuation.yield($0) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

/// Finishes a stream when no observer can yield to it any more.
private final class StreamEnd<Element: Sendable>: Sendable {
  let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

  deinit { continuation.finish() }
}

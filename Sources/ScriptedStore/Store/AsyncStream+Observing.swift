extension AsyncStream where Element: Sendable {
  /// A stream of what an observation gets. It retains the observation, and ends when nothing can
  /// call the observer any more.
  static func observing(
    _ buffering: Continuation.BufferingPolicy,
    _ observe: (_ yield: @escaping @Sendable (Element) -> Void) -> StoreObservation
  ) -> AsyncStream {
    AsyncStream(bufferingPolicy: buffering) { continuation in
      let end = StreamEnd(continuation)
      let observation = observe { element in end.continuation.yield(element) }
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

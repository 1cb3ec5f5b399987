import LuaBridge

/// A sequence that a script iterates over. The script asks for one value at a time, each in a task
/// of its own.
///
/// 1. One task at a time advances the sequence. Tasks that ask meanwhile wait in `waiting`, and
///    each wakes the next.
/// 2. When the sequence has ended, or is no longer needed, `advance` is nil, and stays nil.
package actor DependencyStream {
  /// Returns the next element, nil at the end.
  private var advance: ((isolated DependencyStream) async throws -> HostValue?)?
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element: Encodable {
    var iterator = sequence.makeAsyncIterator()
    advance = { actor in
      guard let element = try await iterator.next(isolation: actor) else { return nil }
      // A nil element is null, as nil would end the sequence.
      return try Signature.result(element) ?? .state(.null)
    }
  }

  /// The next value; nil at the end and from then on. Tasks that ask at the same time are served
  /// one after the other. What a cancelled task gets depends on the sequence.
  package func next() async throws -> HostValue? {
    while isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    // Also at the end: several tasks may wait, and each wakes the next.
    defer {
      isBusy = false
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    guard let advance else { return nil }
    do {
      let value = try await advance(self)
      if value == nil { end() }
      return value
    } catch {
      // An error ends a sequence. A cancelled wait does not.
      if !(error is CancellationError) { end() }
      throw error
    }
  }

  /// Releases the sequence.
  package func end() { advance = nil }
}

import LuaBridge

/// A sequence that a script iterates over: its values are asked for one at a time, each by a task of its own.
package actor DependencyStream {
  /// The next element, nil at the end. Nil when the sequence has ended or is no longer wanted.
  private var advance: ((isolated DependencyStream) async throws -> Value?)?
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element: Encodable {
    var iterator = sequence.makeAsyncIterator()
    advance = { actor in
      guard let element = try await iterator.next(isolation: actor) else { return nil }
      return try element as? Value ?? Value(encoding: element)
    }
  }

  /// The next value, nil at the end and from then on. Tasks that ask meanwhile are served in turn. What a
  /// cancelled task gets is up to the sequence.
  package func next() async throws -> Value? {
    while isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    // At the end as well: there may be several that wait, and each wakes the next.
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
      // As with every sequence, an error is the end; but not that a task gave up waiting.
      if !(error is CancellationError) { end() }
      throw error
    }
  }

  /// Lets go of the sequence.
  package func end() { advance = nil }
}

import LuaBridge

/// The history of a store as a file holds it: JSON lines, each written as soon as it has happened.
/// `docs/runner.md` describes the lines.
public struct Recording: Sendable {
  /// The module or file that the store was made of. For a reducer made in Swift it is the reducer's
  /// name, which no script has.
  public internal(set) var feature: String
  /// The state before the first entry.
  public internal(set) var initialState: Value
  public internal(set) var entries: [HistoryEntry] = []
  /// The number before the first entry.
  public internal(set) var base = 0
  /// The SHA-256 hashes of the scripts by name, as they were loaded last.
  public internal(set) var scripts: [String: String]
  /// The names of the dependencies that the store overrode.
  public internal(set) var dependencies: [String]
  /// The effects that were in flight before the first entry.
  public internal(set) var effects: [EffectNote]
  /// The calls that effects made to dependencies before the first entry.
  public internal(set) var calls: [EffectCall] = []
  /// The states that migrations made, by the number of the entry after which they ran.
  public internal(set) var migrations: [Int: Value] = [:]
  /// Problems of the text that do not prevent its use.
  public internal(set) var warnings: [String] = []

  init(feature: String, state: Value) {
    self.feature = feature
    initialState = state
    (scripts, dependencies, effects) = ([:], [], [])
  }

  /// The state after the last entry, and after its migration if there was one.
  public var finalState: Value {
    guard let last = entries.last else { return initialState }
    return migrations[last.number] ?? last.state
  }

  /// The recording as text that ``init(jsonLines:)`` can read.
  public var jsonLines: String {
    var events: [RecordingEvent] = [
      .header(
        RecordingHeader(
          feature: feature, scripts: scripts, dependencies: dependencies, effects: effects),
        after: base, state: initialState)
    ]
    events += calls.map { .call($0) }
    var before = initialState
    for entry in entries {
      events.append(.entry(entry, before: before))
      events += entry.calls.map { .call($0) }
      before = entry.state
      if let state = migrations[entry.number] {
        events.append(.reload(entry.generation, scripts: [:], state: state))
        before = state
      }
    }
    return events.map { $0.line + "\n" }.joined()
  }
}

extension HistoryEntries {
  /// The history as the lines of a recording, beginning at the first state that the store can go
  /// back to.
  var events: [RecordingEvent] {
    let first = firstReachable
    let numbers = first + 1..<last + 1
    let begun = Set(numbers.flatMap { self[$0]?.details.started ?? [] }.map(\.number))
    let ended = numbers.flatMap { self[$0]?.details.ended ?? [] }
    var header = header
    header.effects = ended.filter { !begun.contains($0.number) }
    var before = state(at: first) ?? baseState
    var events = [RecordingEvent.header(header, after: first, state: before)]
    for entry in numbers.lazy.compactMap({ entry($0) }) {
      events.append(.entry(entry, before: before))
      events += entry.calls.map { .call($0) }
      before = entry.state
    }
    if position < last { events.append(.went(position)) }
    return events
  }
}

extension StoreHistory {
  /// The history as the text of a ``Recording``: JSON lines. Costs O(what the recorded actions
  /// changed).
  public func export() -> String {
    log.entries.withLock { $0 }.events.map { $0.line + "\n" }.joined()
  }

  /// Reads text that ``export()`` or ``onLine(_:)`` wrote.
  ///
  /// - Throws: ``HistoryError`` with the line number if the text is not a recording.
  public static func `import`(jsonLines text: String) throws(HistoryError) -> Recording {
    try Recording(jsonLines: text)
  }

  /// Calls `handler` with each line of the recording: first the lines of what has happened already,
  /// then each line as it happens. The lines have no line break at their ends.
  ///
  /// The handler is called as those of ``Store/onAction(_:)`` are: outside of the VM, one call at a
  /// time, in order.
  ///
  /// - Returns: the observation. It must be retained: the handler is removed when it is
  ///   deallocated.
  public func onLine(_ handler: @escaping @Sendable (String) -> Void) -> Observation {
    let id = StoreHandle.nextObserver()
    handle.perform { core, _ in core.history?.addWriter(id, handler) }
    return Observation { [away = handle.away] in
      away.perform { core, _ in core.history?.removeWriter(id) }
    }
  }
}

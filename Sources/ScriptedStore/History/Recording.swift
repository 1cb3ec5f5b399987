import LuaBridge

/// What happened in a store, as a file keeps it: JSON lines, of which each is written as soon as it has happened.
/// `docs/runner.md` tells what is in them.
public struct Recording: Sendable {
  /// The module or file that the store was of; a name that no script has for a reducer in Swift.
  public internal(set) var feature: String
  /// Before the first entry.
  public internal(set) var initialState: Value
  public internal(set) var entries: [HistoryEntry] = []
  /// The number of the entry before the first.
  public internal(set) var base = 0
  /// SHA-256 of the texts of the scripts, by name, as they were loaded last.
  public internal(set) var scripts: [String: String]
  /// The names of the dependencies that the store had of its own.
  public internal(set) var dependencies: [String]
  /// What was in flight before the first entry.
  public internal(set) var effects: [EffectNote]
  /// What effects asked for before the first entry.
  public internal(set) var calls: [EffectCall] = []
  /// The states that migrations made, by the number of the entry that they came after.
  public internal(set) var migrations: [Int: Value] = [:]
  /// What is wrong with the text that it was read from, and does not keep it from being used.
  public internal(set) var warnings: [String] = []

  init(feature: String, state: Value) {
    self.feature = feature
    initialState = state
    (scripts, dependencies, effects) = ([:], [], [])
  }

  /// The state after the last entry.
  public var finalState: Value {
    guard let last = entries.last else { return initialState }
    return migrations[last.number] ?? last.state
  }

  /// The text that it can be read from again.
  public var jsonLines: String {
    var events: [RecordingEvent] = [
      .header(
        RecordingSource(
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
  /// As a recording has them, from the first that the store could go back to.
  var events: [RecordingEvent] {
    let first = max(base, floor)
    var source = source
    let begun = Set(
      (first + 1..<last + 1).flatMap { self[$0]?.more.started ?? [] }.map(\.number))
    let ended = (first + 1..<last + 1).flatMap { self[$0]?.more.ended ?? [] }
    source.effects = ended.filter { !begun.contains($0.number) }
    var before = state(at: first) ?? baseState
    var events: [RecordingEvent] = [
      .header(source, after: first, state: before)
    ]
    for number in first + 1..<last + 1 {
      guard let entry = entry(number) else { continue }
      events.append(.entry(entry, before: before))
      events += entry.calls.map { .call($0) }
      before = entry.state
    }
    if position < last { events.append(.went(position)) }
    return events
  }
}

extension StoreHistory {
  /// The entries as a ``Recording``'s text, JSON lines. O(what changed).
  public func export() -> String {
    log.entries.withLock { $0 }.events.map { $0.line + "\n" }.joined()
  }

  /// What ``export()`` or ``onLine(_:)`` wrote. Throws for what is none of these, with the number of the line.
  public static func `import`(jsonLines text: String) throws(HistoryError) -> Recording {
    try Recording(jsonLines: text)
  }

  /// Calls `handler` with each line of the recording, those of what has happened already first, then as things happen;
  /// without a break at their ends. Keep the observation.
  ///
  /// Handlers run as those of `onAction` do.
  public func onLine(_ handler: @escaping @Sendable (String) -> Void) -> Observation {
    let id = StoreHandle.nextObserver()
    handle.perform { core, _ in core.history?.add(id, handler) }
    return Observation { [away = handle.away] in
      away.perform { core, _ in core.history?.removeWriter(id) }
    }
  }
}

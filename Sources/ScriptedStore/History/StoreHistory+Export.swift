import LuaBridge

extension HistoryEntries {
  /// The history as the lines of a recording, beginning at the first state that the store can go
  /// back to.
  var events: [RecordingEvent] {
    let first = firstReachable
    let numbers = first + 1..<last + 1
    var header = header
    header.effects = running(at: first)
    let known = Set(
      (header.effects + numbers.flatMap { self[$0]?.details.started ?? [] }).map(\.number))
    // The entries that have started them may have been dropped.
    let ended = numbers.flatMap { self[$0]?.details.ended ?? [] }
    header.effects += ended.filter { !known.contains($0.number) }
    let start = RecordingEvent.header(header, after: first, state: state(at: first) ?? baseState)
    let end = position < last ? [RecordingEvent.went(position)] : []
    return [start] + self.events(after: first) + end
  }

  /// The lines of the entries after the one with this number.
  func events(after number: Int) -> [RecordingEvent] {
    var before = state(at: number) ?? baseState
    var events: [RecordingEvent] = []
    for entry in (number + 1..<last + 1).lazy.compactMap({ entry($0) }) {
      events.append(.entry(entry, before: before))
      events += entry.calls.map { .call($0) }
      if self[entry.number]?.details.isJump == true { events.append(.went(entry.number)) }
      before = entry.state
    }
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
  public func onLine(_ handler: @escaping @Sendable (String) -> Void) -> StoreObservation {
    let id = StoreHandle.nextObserver()
    handle.perform { core, _ in core.history?.addWriter(id, handler) }
    return StoreObservation { [away = handle.away] in
      away.perform { core, _ in core.history?.removeWriter(id) }
    }
  }
}

import LuaBridge
import Synchronization

extension Store {
  /// Records from now on what happens in the whole store. Called on a child store, it records the
  /// whole store that the child belongs to. Called again, it returns a history of the same entries.
  /// Comparable to Redux DevTools' `instrument` and Elm's debugger.
  ///
  /// An entry costs as much memory as its action changed, because states share their unchanged
  /// parts. A store without a history has no cost.
  ///
  /// - Parameter limit: the highest number of stored entries; at least 1. The oldest entries are
  ///   dropped first. A history that the store has already gets it if it is higher than its own.
  public func record(limit: Int = 10_000) -> StoreHistory {
    let log = handle.companion.withLock { history in
      if let history = history as? HistoryLog {
        history.entries.withLock { $0.limit = max($0.limit, limit) }
        return history
      }
      let new = HistoryLog(limit: limit, state: handle.state)
      history = new
      return new
    }
    // Not under the lock: handlers of the host may run here, and may call `record` too. Every
    // caller begins the recording, so that it has begun before that caller uses the history.
    handle.perform { core, engine in
      if core.history == nil { core.attach(HistoryRecorder(log, engine, core)) }
    }
    return StoreHistory(handle, log)
  }
}

/// The recorded actions of a store, and time travel to their states.
///
/// ```swift
/// let history = store.record()
/// …
/// try history.step(by: -1)     // the state before the last action
/// try history.step(by: 1)
/// ```
///
/// All properties can be read from any thread without waiting for the store's worker. Methods that
/// change the store wait until the worker has run them. Inside a reducer they throw, because they
/// would wait for themselves. The history retains the store.
public final class StoreHistory: Sendable {
  let handle: StoreHandle
  let log: HistoryLog

  init(_ handle: StoreHandle, _ log: HistoryLog) {
    self.handle = handle
    self.log = log
  }

  // MARK: Entries

  /// The number of stored entries.
  public var count: Int { log.entries.withLock { $0.count } }

  /// The numbers of the stored entries; empty at first. They are the numbers of the actions as in
  /// ``ActionRecord``. An action that replaces others gets their numbers.
  public var numbers: Range<Int> { log.entries.withLock { $0.base + 1..<$0.last + 1 } }

  /// The number of the entry whose state the store has. After going back to the beginning it is the
  /// number before the first entry.
  public var position: Int { log.entries.withLock { $0.position } }

  /// The entry with a number; nil if it does not exist or was dropped. O(1).
  public subscript(number: Int) -> HistoryEntry? { log.entries.withLock { $0.entry(number) } }

  /// The stored entries with these numbers, in order.
  public func entries(_ numbers: ClosedRange<Int>) -> [HistoryEntry] {
    log.entries.withLock { entries in
      let first = max(numbers.lowerBound, entries.base + 1)
      let last = min(numbers.upperBound, entries.last)
      return first <= last ? (first...last).compactMap { entries.entry($0) } : []
    }
  }

  /// What the action of an entry has changed of the state.
  package func changes(of number: Int) -> ValueChanges {
    log.entries.withLock { entries in
      guard let before = entries.state(at: number - 1), let after = entries[number]?.state else {
        return .none
      }
      return ValueChanges(from: before, to: after)
    }
  }

  /// The first entry whose state the store can have; the number before the first entry if that is the initial state. It is
  /// a later one after a reload that has changed the state itself.
  package var firstReachable: Int { log.entries.withLock { $0.firstReachable } }

  /// The state before the first stored entry.
  public var initialState: Value { log.entries.withLock { $0.baseState } }

  // MARK: Time travel

  /// Sets the store's state to the one of an entry and notifies observers. The number before the
  /// first entry stands for the initial state.
  ///
  /// Effects in flight continue and alarms stay, except those of children that do not exist in that state;
  /// those are cancelled. The entries after `number` stay until the next action, which replaces
  /// them. An action that raises, or does nothing but cause warnings, as one that no reducer handles,
  /// replaces none and gets no entry.
  ///
  /// The cost depends on what is observed, not on the number of entries in between.
  ///
  /// - Throws: ``HistoryError`` if there is no such entry, if its state is from before a migration,
  ///   or inside a reducer.
  public func go(to number: Int) throws(HistoryError) { try move { _ in number } }

  /// Goes forward by `steps` entries, or back if `steps` is negative. Stops at the first or last
  /// entry that the store can go to.
  ///
  /// - Throws: ``HistoryError`` inside a reducer.
  public func step(by steps: Int) throws(HistoryError) {
    try move { entries in
      let (target, overflow) = entries.position.addingReportingOverflow(steps)
      if overflow { return steps > 0 ? entries.last : entries.firstReachable }
      return max(entries.firstReachable, min(entries.last, target))
    }
  }

  private func move(
    _ target: @escaping @Sendable (HistoryEntries) -> Int
  ) throws(HistoryError) {
    try change { (core, history, engine) throws(HistoryError) in
      let number = try history.log.entries.withLock { (entries) throws(HistoryError) in
        let number = target(entries)
        try entries.check(number)
        return number
      }
      core.go(to: number, history, engine)
    }
  }

  /// Leaves an action out, or includes it again. The entries from it on are reduced again as in
  /// ``replay(from:)``.
  ///
  /// - Returns: the first entry whose state or error changed.
  /// - Throws: ``HistoryError`` if there is no such entry, if the state before it is from before a
  ///   migration, or inside a reducer.
  @discardableResult
  public func skip(_ number: Int, _ isSkipped: Bool = true) throws(HistoryError) -> ReplayReport {
    try change { (core, history, engine) throws(HistoryError) in
      try history.log.entries.withLock { (entries) throws(HistoryError) in
        guard entries.contains(number) else { throw entries.missing(number) }
        try entries.check(before: number)
        entries[number]?.isSkipped = isSkipped
      }
      return core.replay(from: number, history, engine)
    }
  }

  /// Reduces the entries from `number` on again: with the scripts that are loaded now, with the
  /// recorded answers of dependencies, and without effects. The entries get the new states, and the
  /// store gets the new state of its position. A recording that is written has them when something follows, and
  /// else ends with what happened.
  ///
  /// - Returns: the first entry whose state or error changed.
  /// - Throws: ``HistoryError`` if there is no such entry, if the state before it is from before a
  ///   migration, or inside a reducer.
  @discardableResult
  public func replay(from number: Int) throws(HistoryError) -> ReplayReport {
    try change { (core, history, engine) throws(HistoryError) in
      try history.log.entries.withLock { (entries) throws(HistoryError) in
        guard entries.contains(number) else { throw entries.missing(number) }
        try entries.check(before: number)
      }
      return core.replay(from: number, isTrial: true, history, engine)
    }
  }

  /// While it is true, the store drops all actions with a warning, both from outside and from
  /// effects. Effects continue. The methods of this history still change the store. Comparable to
  /// the lock of Redux DevTools. ``DurableStore/send(_:request:after:)`` throws then.
  public var isLocked: Bool {
    get { log.entries.withLock { $0.isLocked } }
    set { log.entries.withLock { $0.isLocked = newValue } }
  }

  /// While it is true and the store has gone back, actions of effects are dropped with a warning: a
  /// timer must not replace the entries that a person looks at. Actions from outside still do.
  package var holdsEffects: Bool {
    get { log.entries.withLock { $0.holdsEffects } }
    set { log.entries.withLock { $0.holdsEffects = newValue } }
  }

  /// Runs `body` with the core inside the worker and waits for its result. Throws inside a reducer.
  ///
  /// - Parameter movesInTime: whether `body` changes what has happened, which a durable store refuses.
  func change<R: Sendable>(
    movesInTime: Bool = true,
    _ body: @escaping @Sendable (StoreCore, HistoryRecorder, Engine) throws(HistoryError) -> R
  ) throws(HistoryError) -> R {
    guard !Worker.isInsideOne else {
      throw HistoryError("a reducer cannot use its store's history; do that in an observer")
    }
    let slot = handle.slot
    let result: Result<R, HistoryError>
    do throws(ScriptError) {
      result = try handle.worker.perform { engine in
        Result { () throws(HistoryError) in
          guard let core = engine.core(slot) else { throw HistoryError("the store is gone") }
          guard let history = core.history else { throw HistoryError("the store has no history") }
          if movesInTime, history.sink != nil {
            throw HistoryError(
              """
              a durable store does not go back, because its records are in its journal; `runner stores JOURNAL show NAME \
              --at NUMBER` shows its state as of a record, and with `--json` writes it for `runner dev --state @FILE`
              """)
          }
          return try body(core, history, engine)
        }
      }
    } catch {
      throw HistoryError(error.message)
    }
    return try result.get()
  }
}

extension HistoryEntries {
  /// The history as the lines of a recording, beginning at the first state that the store can go
  /// back to.
  var events: [RecordingEvent] {
    let first = firstReachable
    let numbers = first + 1..<last + 1
    var header = header
    header.effects = running(at: first)
    header.alarms = alarms(at: first)
    let known = Set(
      (header.effects + numbers.flatMap { self[$0]?.details.started ?? [] }).map(\.number))
    // The entries that have started them may have been dropped.
    let ended = numbers.flatMap { self[$0]?.details.ended ?? [] }
    header.effects += ended.filter { !known.contains($0.number) }
    let start = RecordingEvent.header(header, after: first, state: state(at: first) ?? baseState)
    let end = position < last ? [RecordingEvent.went(position)] : []
    return [start] + self.events(after: first) + end
  }

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

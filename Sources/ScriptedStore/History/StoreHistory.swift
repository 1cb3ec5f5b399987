import LuaBridge
import Synchronization

extension Store {
  /// Keeps from now on what happens in the whole store, which is asked of a child as well; the same history when called
  /// again. As Redux DevTools' instrument and Elm's debugger.
  ///
  /// An entry costs what its action changed, as states share what they have in common. Stores without a history pay
  /// nothing.
  ///
  /// - Parameter limit: entries that are kept, at least one; the oldest go first.
  public func record(limit: Int = 10_000) -> StoreHistory {
    let log = handle.history.withLock { history in
      if let history { return history }
      let new = HistoryLog(limit: limit, state: handle.box.current)
      history = new
      return new
    }
    // Outside of the lock: handlers of the host may run here, and record too. Each caller asks for the beginning, so that
    // it comes before whatever the caller does with the history.
    handle.perform { core, engine in
      if core.history == nil { core.begin(HistoryRecorder(log, engine)) }
    }
    return StoreHistory(handle, log)
  }
}

/// What happened in a store, and the way back to it.
///
/// ```swift
/// let history = store.record()
/// …
/// try history.step(by: -1)     // the state before the last action
/// try history.step(by: 1)
/// ```
///
/// Reading is for any thread and waits for nobody. What changes the store waits until it is its turn there and throws in
/// a reducer, which would wait for itself. Keeps the store.
public final class StoreHistory: Sendable {
  let handle: StoreHandle
  let log: HistoryLog

  init(_ handle: StoreHandle, _ log: HistoryLog) {
    self.handle = handle
    self.log = log
  }

  // MARK: Entries

  /// How many entries there are.
  public var count: Int { log.entries.withLock { $0.count } }

  /// The numbers of the entries that are there, none at first: those of the actions, as `ActionRecord` has them. An action
  /// that takes the place of others takes their numbers too.
  public var numbers: Range<Int> { log.entries.withLock { $0.base + 1..<$0.last + 1 } }

  /// The number of the entry whose state the store has; that before the first one where it went back to the beginning.
  public var position: Int { log.entries.withLock { $0.position } }

  /// The entry of a number, nil if it is not there (any more). O(1).
  public subscript(number: Int) -> HistoryEntry? { log.entries.withLock { $0.entry(number) } }

  /// The entries of these numbers that are there, in order.
  public func entries(_ numbers: ClosedRange<Int>) -> [HistoryEntry] {
    log.entries.withLock { entries in
      numbers.clamped(to: entries.base...max(entries.base, entries.last))
        .compactMap { entries.entry($0) }
    }
  }

  /// The state before the first entry that is there.
  public var initialState: Value { log.entries.withLock { $0.baseState } }

  // MARK: Time travel

  /// Gives the store the state of an entry, or with the number before the first that of the beginning, and tells
  /// observers. Effects go on, except those of children that are not in that state. Entries after it stay until an action
  /// comes, which takes their place.
  ///
  /// Costs what watches; not what lies between. Throws for a number that is not there, and for states from before a
  /// migration, which the feature cannot take any more.
  public func go(to number: Int) throws(HistoryError) { try move { _ in number } }

  /// Goes so many entries on, or back for a negative number; as far as there are some.
  public func step(by steps: Int) throws(HistoryError) {
    try move { entries in
      let (target, overflow) = entries.position.addingReportingOverflow(steps)
      let first = max(entries.base, entries.floor)
      if overflow { return steps > 0 ? entries.last : first }
      return max(first, min(entries.last, target))
    }
  }

  private func move(
    _ target: @escaping @Sendable (HistoryEntries) -> Int
  ) throws(HistoryError) {
    try change { (core, history, engine) throws(HistoryError) in
      let log = history.log
      let number = log.entries.withLock { target($0) }
      try log.entries.withLock { (entries) throws(HistoryError) in try entries.check(number) }
      core.go(to: number, history, engine)
    }
  }

  /// Leaves an action out, or lets it in again: what follows is reduced anew, as in ``replay(from:)``.
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

  /// Reduces the actions from an entry on once more, with the scripts as they are loaded now, with what they read then,
  /// and without effects. Their states are the new ones from then on, and the store has that of its position.
  ///
  /// - Returns: the first entry whose state or error is another one.
  @discardableResult
  public func replay(from number: Int) throws(HistoryError) -> ReplayReport {
    try change { (core, history, engine) throws(HistoryError) in
      try history.log.entries.withLock { (entries) throws(HistoryError) in
        try entries.check(before: number)
      }
      return core.replay(from: number, history, engine)
    }
  }

  /// While it is locked, what is sent to the store is dropped, with a warning, whether it comes from outside or from an
  /// effect; effects go on. As Redux DevTools' lock. What is here still moves the store.
  public var isLocked: Bool {
    get { log.isLocked }
    set { log.isLocked = newValue }
  }

  /// Sets the store's state as an action of a tool, for the history of that source.
  package func edit(_ state: Value) throws(HistoryError) {
    guard state.array != nil || state.object != nil else {
      throw HistoryError("the state of a store must be a table, not \(state)")
    }
    try change { (core, _, engine) in core.edit(state, engine) }
  }

  private func change<R: Sendable>(
    _ body: @escaping @Sendable (StoreCore, HistoryRecorder, Engine) throws(HistoryError) -> R
  ) throws(HistoryError) -> R {
    try handle.inside { (core, engine) throws(HistoryError) in
      guard let history = core.history else { throw HistoryError("the store has no history") }
      return try body(core, history, engine)
    }
  }
}

extension StoreHandle {
  /// Does something with the core and waits for it.
  func inside<R: Sendable>(
    _ body: @escaping @Sendable (StoreCore, Engine) throws(HistoryError) -> R
  ) throws(HistoryError) -> R {
    guard !Worker.isInsideOne else {
      throw HistoryError("a reducer cannot use its store's history; do that in an observer")
    }
    let slot = slot
    do throws(ScriptError) {
      return try worker.perform { (engine) throws(ScriptError) in
        var result: Result<R, HistoryError>?
        engine.withStore(slot) { core in
          do throws(HistoryError) {
            result = .success(try body(core, engine))
          } catch {
            result = .failure(error)
          }
        }
        guard let result else { throw ScriptError("the store is gone") }
        do throws(HistoryError) {
          return try result.get()
        } catch {
          throw ScriptError(error.message, cause: error)
        }
      }
    } catch {
      throw error.cause as? HistoryError ?? HistoryError(error.message)
    }
  }
}

extension HistoryEntries {
  func missing(_ number: Int) -> HistoryError {
    count == 0
      ? HistoryError("there is no entry \(number): the history has none")
      : HistoryError("there is no entry \(number): the history has \(base + 1) to \(last)")
  }

  /// Throws if a store cannot have the state before an entry.
  func check(before number: Int) throws(HistoryError) {
    // The smallest number has none before it.
    guard number > base else { throw missing(number) }
    try check(number - 1)
  }

  /// Throws if a store cannot have the state after an entry.
  func check(_ number: Int) throws(HistoryError) {
    guard state(at: number) != nil else { throw missing(number) }
    guard number >= floor else {
      throw HistoryError(
        "the state of entry \(number) is from before the feature was migrated, after entry \(floor)"
      )
    }
  }
}

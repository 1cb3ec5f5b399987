// The memory of a store's history: the newest entries in a queue of limited length.
//
// 1. Entry numbers are consecutive. They run from `base + 1` to `last`.
// 2. `base <= position <= last`: `position` is the entry whose state the store has. A new entry is
//    appended after `position` and replaces all entries behind it.
// 3. `lastMigration <= position`: states before `lastMigration` are from before a migration, and the
//    feature cannot run on them.

import DequeModule
import LuaBridge
import ScriptValue
import Synchronization

/// The newest entries, and the state before them.
struct HistoryEntries: Sendable {
  /// One entry as it is stored: 64 bytes plus the memory that its action changed. Fields that most
  /// entries lack are in a separate box. In this order the small fields are in what would be padding.
  struct StoredEntry: Sendable {
    private var box: DetailsBox?
    let time: Duration
    var state: Value
    let source: ActionRecord.Source
    /// The index of the feature's name in `features` plus 1; 0 if there is no feature.
    fileprivate var feature: UInt16 = 0
    var generation: Int32
    fileprivate var table: Value
    var isSkipped = false
    /// The number of the effect that has sent the action, or one of the constants below.
    private let senderCode: Int

    private static let (handler, alarm, unknown) = (0, -1, -2)

    fileprivate var sender: ActionSender? {
      switch senderCode {
      case Self.handler: .handler
      case Self.alarm: .alarm
      case Self.unknown: nil
      case let number: .effect(number)
      }
    }

    fileprivate final class DetailsBox: Sendable {
      let details: Details

      fileprivate init(_ details: Details) { self.details = details }
    }

    /// The fields that are empty in most entries.
    struct Details: Sendable {
      var transaction: Value?
      var reads: [DependencyRead] = []
      var started: [EffectNote] = []
      var ended: [EffectNote] = []
      var alarms: Value?
      var calls: [EffectCall] = []
      var warnings: [RuntimeWarning] = []
      var error: ScriptError?
      /// Bytes that the action has added to the history, if they count and are many.
      var bytes = 0
      /// Whether the store went to this entry, and then went on from it or had effects in flight, so that the entry
      /// after this one does not continue the entry before it.
      var isJump = false
      /// See ``HistoryEntry/hasOtherEffects``.
      var hasOtherEffects = false

      var isEmpty: Bool {
        bytes == 0 && transaction == nil && reads.isEmpty && started.isEmpty && ended.isEmpty
          && alarms == nil && calls.isEmpty && warnings.isEmpty && error == nil && !isJump
          && !hasOtherEffects
      }
    }

    var details: Details {
      get { box?.details ?? Details() }
      set { box = newValue.isEmpty ? nil : DetailsBox(newValue) }
    }

    init(
      _ action: Action, _ source: ActionRecord.Source, by sender: ActionSender?, time: Duration,
      generation: Int, state: Value
    ) {
      self.source = source
      senderCode =
        switch sender {
        case .handler: Self.handler
        case .alarm: Self.alarm
        case .effect(let number): number
        case nil: Self.unknown
        }
      self.time = time
      self.generation = Int32(truncatingIfNeeded: generation)
      self.state = state
      table = action.value
    }

    /// The one that stands for what was before the entries.
    fileprivate static func base(_ state: Value) -> StoredEntry {
      StoredEntry(Action(trusted: .null), .edit, by: nil, time: .zero, generation: 0, state: state)
    }
  }

  /// The highest number of entries; at least 1.
  var limit: Int
  /// The most bytes of all entries but the newest; nil for any number.
  var mostBytes: Int?
  private var bytes = 0
  /// The first one stands for `base`: it has the state and the details, but no action. The entries follow.
  private var stored: Deque<StoredEntry>
  /// The names of the features whose effects have sent actions, each once.
  private var features: [String] = []
  /// The number before the first stored entry.
  private(set) var base = 0
  /// Without effects and alarms, which are in `effects` and `alarms`.
  var header = RecordingHeader()
  /// The effects that were in flight before `base` started and ended some, by number. Dropping an entry costs the number of
  /// effects that it started and ended, however many are in flight.
  private var effects: [Int: EffectNote] = [:]
  /// The alarms that were set before `base` changed some, and those that entries have set which are no longer there: an alarm stays
  /// when the store goes back.
  private var alarms: [AlarmNote] = []
  /// The number of the entry whose state the store has; `base` if it has `baseState`.
  private(set) var position = 0
  /// Whether the store went to `position` and has not gone on from it.
  private var hasGone = false
  /// Whether effects were in flight when it went there, or to where it was before.
  private var hadEffects = false
  var isLocked = false
  /// Whether actions of effects are dropped while entries follow the store's position.
  var holdsEffects = false
  /// The number of the entry after which the feature was last migrated (invariant 3).
  private var lastMigration = 0

  init(limit: Int, state: Value) {
    self.limit = max(1, limit)
    stored = [.base(state)]
  }

  /// Sets the state that the store has when the history begins, and drops all entries and effects.
  mutating func begin(with state: Value, _ alarms: [AlarmNote], after number: Int) {
    (stored, base, position, lastMigration, effects) = ([.base(state)], number, number, 0, [:])
    (bytes, hasGone, hadEffects) = (0, false, false)
    self.alarms = alarms
  }

  var count: Int { stored.count - 1 }
  /// The number of the newest entry; `base` if there is none.
  var last: Int { base + count }
  /// The first entry whose state the store can have; `base` if it can have `baseState`.
  var firstReachable: Int { max(base, lastMigration) }

  func contains(_ number: Int) -> Bool { number > base && number <= last }

  subscript(number: Int) -> StoredEntry? {
    get { base...last ~= number ? stored[number - base] : nil }
    set { if base...last ~= number, let newValue { stored[number - base] = newValue } }
  }

  /// The state after an entry; the state before the first entry if `number` is `base`.
  func state(at number: Int) -> Value? { self[number]?.state }

  var baseState: Value { stored[0].state }

  /// The store has the state of an existing entry from now on.
  mutating func go(to number: Int, hasEffects: Bool) {
    (position, hasGone, hadEffects) = (number, true, hadEffects || hasEffects)
    if hadEffects { updateDetails { $0.isJump = true } }
  }

  /// Appends an entry after `position`. Drops the entries that were after it (invariant 2).
  ///
  /// - Parameter feature: the feature whose effect sent the action; nil for an action from outside.
  mutating func append(_ entry: StoredEntry, from feature: String?) {
    cut()
    if hasGone { updateDetails { $0.isJump = true } }
    (hasGone, hadEffects) = (false, false)
    var entry = entry
    if let before = self[position] { entry.table = entry.table.sharing(with: before.table) }
    if let feature { entry.feature = number(of: feature) }
    // First, so that a history of one entry needs room for one.
    if count == limit { dropFirst() }
    stored.append(entry)
    position = last
    bytes += entry.details.bytes
    if let mostBytes { while bytes > mostBytes, count > 1 { dropFirst() } }
  }

  private mutating func number(of feature: String) -> UInt16 {
    if let index = features.firstIndex(of: feature) { return UInt16(index + 1) }
    guard features.count < UInt16.max else { return 0 }
    features.append(feature)
    return UInt16(features.count)
  }

  /// Drops the entries after `position`. Effects that they started, and that go on, are then effects of
  /// before.
  private mutating func cut() {
    guard position < last else { return }
    let entries = stored.suffix(last - position)
    if entries.contains(where: { $0.source == .effect }) {
      updateDetails { $0.hasOtherEffects = true }
    }
    let dropped = entries.map(\.details)
    bytes -= dropped.reduce(0) { $0 + $1.bytes }
    // An effect may end, by going back, at an entry before the one that has started it.
    add(dropped.flatMap(\.started))
    for note in dropped.lazy.flatMap(\.ended) { effects[note.number] = nil }
    for changes in dropped.lazy.compactMap(\.alarms) {
      try? alarms.apply(["set": changes["set"]])
    }
    stored.removeLast(last - position)
  }

  /// Adds effects in flight to those of before the entries.
  mutating func add(_ notes: [EffectNote]) {
    for note in notes { effects[note.number] = note }
  }

  /// The effects in flight after an entry.
  func running(at number: Int) -> [EffectNote] {
    let before = effects.values.sorted { $0.number < $1.number }
    let entries = stored.prefix(number - base + 1).map(\.details)
    return EffectNote.running(before, after: entries.map { ($0.started, $0.ended) })
  }

  /// The alarms that were set after an entry, as a recording has them; null for none.
  func alarms(at number: Int) -> Value {
    var alarms = alarms
    for entry in stored.prefix(number - base + 1) {
      if let changes = entry.details.alarms { try? alarms.apply(changes) }
    }
    return alarms.isEmpty ? .null : .array(Value.List(alarms.map(\.recorded)))
  }

  private mutating func dropFirst() {
    let before = stored.removeFirst().details
    add(before.started)
    for note in before.ended { effects[note.number] = nil }
    if let changes = before.alarms { try? alarms.apply(changes) }
    bytes -= stored[0].details.bytes
    // It may be large, and does not count any more.
    stored[0].table = .null
    base += 1
  }

  /// Changes the record of what happened since the entry at `position`.
  mutating func updateDetails(_ change: (inout StoredEntry.Details) -> Void) {
    let index = position - base
    var details = stored[index].details
    // The box is released before the change, so that a list that grows is not copied each time.
    stored[index].details = .init()
    change(&details)
    stored[index].details = details
  }

  /// The feature was migrated. The entry at `position` gets the migrated state and becomes the
  /// first one that the store can go back to.
  mutating func migrate(to state: Value) {
    cut()
    lastMigration = position
    self[position]?.state = state
  }

  /// The public form of an entry.
  func entry(_ number: Int) -> HistoryEntry? {
    guard contains(number) else { return nil }
    let stored = stored[number - base]
    let details = stored.details
    return HistoryEntry(
      number: number, action: Action(trusted: stored.table), source: stored.source,
      feature: stored.feature == 0 ? nil : features[Int(stored.feature) - 1],
      sender: stored.sender,
      transaction: details.transaction, time: stored.time, state: stored.state,
      reads: details.reads, started: details.started, ended: details.ended, calls: details.calls,
      warnings: details.warnings, error: details.error, generation: Int(stored.generation),
      isSkipped: stored.isSkipped, hasOtherEffects: details.hasOtherEffects, alarms: details.alarms)
  }
}

extension HistoryEntries {
  func missing(_ number: Int) -> HistoryError {
    count == 0
      ? HistoryError("there is no entry \(number): the history has none")
      : HistoryError("there is no entry \(number): the history has \(base + 1) to \(last)")
  }

  /// Throws if the store cannot have the state before an entry.
  func check(before number: Int) throws(HistoryError) {
    // Checked first, so that `number - 1` cannot overflow.
    guard number > base else { throw missing(number) }
    try check(number - 1)
  }

  /// Throws if the store cannot have the state after an entry.
  func check(_ number: Int) throws(HistoryError) {
    guard state(at: number) != nil else { throw missing(number) }
    guard number >= firstReachable else {
      throw HistoryError(
        """
        the state of entry \(number) is from before a reload that changed the state itself (a migration, or a new field \
        with its default); entries from \(firstReachable) on can be reached
        """
      )
    }
  }
}

/// The entries of a history, readable from any thread.
final class HistoryLog: Sendable {
  let entries: Mutex<HistoryEntries>

  init(limit: Int, state: Value) {
    entries = Mutex(HistoryEntries(limit: limit, state: state))
  }
}

extension Value {
  /// This action's table, with the parts that equal parts of `other` replaced by them to share
  /// memory. Only actions of the same type are compared: consecutive actions are often alike.
  func sharing(with other: Value) -> Value {
    guard var object, let known = other.object, let type = known["type"], object["type"] == type
    else { return self }
    if isIndistinguishable(from: other) { return other }
    object["type"] = type
    if let nested = object["action"], let known = known["action"],
      nested.isIndistinguishable(from: known)
    {
      object["action"] = known
    }
    return .object(object)
  }

  /// Whether two values are indistinguishable: 1 differs from 1.0, and objects with another key
  /// order differ. Always false for arrays, for strings of 64 bytes or more and for objects with
  /// more than 8 keys or none, so that the comparison is cheap.
  private func isIndistinguishable(from other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.count < 64 && a.utf8.elementsEqual(b.utf8)
    case (.object(let a), .object(let b)):
      a.count == b.count && 1...8 ~= a.count
        && zip(a, b).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isIndistinguishable(from: $1.value)
        }
    default: false
    }
  }
}

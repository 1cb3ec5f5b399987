import LuaBridge
import Synchronization

/// The entries of a history, as everybody may read them.
final class HistoryLog: Sendable {
  let entries: Mutex<HistoryEntries>
  private let locked = Atomic<Bool>(false)

  init(limit: Int, state: Value) {
    entries = Mutex(HistoryEntries(limit: limit, state: state))
  }

  /// Whether actions are dropped.
  var isLocked: Bool {
    get { locked.load(ordering: .sequentiallyConsistent) }
    set { locked.store(newValue, ordering: .sequentiallyConsistent) }
  }
}

/// The newest entries, and the state before them.
struct HistoryEntries: Sendable {
  /// An entry as it is kept: what most entries do not have is aside.
  struct Kept: Sendable {
    let action: Action
    let source: ActionRecord.Source
    let feature: String?
    let time: Double
    var generation: Int32
    var isSkipped = false
    var state: Value
    fileprivate var rare: Box?

    fileprivate final class Box: Sendable {
      let rare: Rare

      init(_ rare: Rare) { self.rare = rare }
    }

    /// What most entries have none of.
    struct Rare: Sendable {
      var transaction: Value?
      var reads: [DependencyRead] = []
      var started: [EffectNote] = []
      var ended: [EffectNote] = []
      var calls: [EffectCall] = []
      var warnings: [RuntimeWarning] = []
      var error: ScriptError?

      var isEmpty: Bool {
        transaction == nil && reads.isEmpty && started.isEmpty && ended.isEmpty && calls.isEmpty
          && warnings.isEmpty && error == nil
      }
    }

    var more: Rare {
      get { rare?.rare ?? Rare() }
      set { rare = newValue.isEmpty ? nil : Box(newValue) }
    }

    init(
      _ action: Action, _ source: ActionRecord.Source, feature: String?, time: Double,
      generation: Int, state: Value
    ) {
      self.action = action
      self.source = source
      self.feature = feature
      self.time = time
      self.generation = Int32(truncatingIfNeeded: generation)
      self.state = state
    }
  }

  /// At least one.
  let limit: Int
  /// Those before `head` are dropped.
  private var kept: [Kept?] = []
  private var head = 0
  /// The number of the entry before the first that is there.
  private(set) var base = 0
  /// The state after that.
  private(set) var baseState: Value
  /// What happened after that and before the first entry.
  private(set) var baseMore = Kept.Rare()
  /// What a recording of it begins with.
  var source = RecordingSource()
  /// The number of the entry whose state the store has.
  var position = 0
  /// Entries before it hold states that the feature cannot take any more: it was migrated since.
  private(set) var floor = 0

  init(limit: Int, state: Value) {
    self.limit = max(1, limit)
    baseState = state
  }

  /// The store has this state when its history begins.
  mutating func begin(with state: Value, after number: Int) {
    (baseState, base, position) = (state, number, number)
  }

  var count: Int { kept.count - head }
  /// The number of the newest one.
  var last: Int { base + count }

  func contains(_ number: Int) -> Bool { number > base && number <= last }

  subscript(number: Int) -> Kept? {
    get { contains(number) ? kept[head + number - base - 1] : nil }
    set { if contains(number) { kept[head + number - base - 1] = newValue } }
  }

  /// The state after an entry, or before the first.
  func state(at number: Int) -> Value? {
    number == base ? baseState : self[number]?.state
  }

  /// Adds an entry behind that of the position, for those after it; returns its number.
  mutating func append(_ entry: Kept) -> Int {
    cut()
    kept.append(entry)
    position = last
    if count > limit { dropFirst() }
    return position
  }

  /// Forgets what comes after the position.
  private mutating func cut() {
    if position < last { kept.removeLast(last - position) }
  }

  private mutating func dropFirst() {
    guard let first = kept[head] else { return }
    baseState = first.state
    baseMore = first.more
    kept[head] = nil
    head += 1
    base += 1
    // O(1) an entry.
    if head > 32 && head * 4 > kept.count {
      kept.removeFirst(head)
      head = 0
    }
  }

  /// Notes what happened after the entry of the position.
  mutating func note(_ change: (inout Kept.Rare) -> Void) {
    if position > base {
      if var entry = self[position] {
        change(&entry.more)
        self[position] = entry
      }
    } else {
      change(&baseMore)
    }
  }

  /// The feature was migrated: the entry of the position holds another state now, and is the first to go back to.
  mutating func migrate(to state: Value) {
    cut()
    floor = position
    if position == base { baseState = state } else { self[position]?.state = state }
  }

  /// As it is told.
  func entry(_ number: Int) -> HistoryEntry? {
    guard let kept = self[number] else { return nil }
    let more = kept.more
    return HistoryEntry(
      number: number, action: kept.action, source: kept.source, feature: kept.feature,
      transaction: more.transaction, time: kept.time, state: kept.state, reads: more.reads,
      started: more.started, ended: more.ended, calls: more.calls, warnings: more.warnings,
      error: more.error, generation: Int(kept.generation), isSkipped: kept.isSkipped)
  }
}

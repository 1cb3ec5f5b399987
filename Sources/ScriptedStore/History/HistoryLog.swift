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
  /// An entry as it is kept, in 64 bytes and what its action has changed: what most entries do not have is aside. The
  /// order of the fields leaves no gaps.
  struct Kept: Sendable {
    fileprivate var rare: Box?
    let time: Double
    var state: Value
    /// The action's table.
    fileprivate var table: Value
    private var flags: UInt8
    /// The place of the feature's name among the names; 0 for none.
    fileprivate var feature: UInt16 = 0
    var generation: Int32

    var source: ActionRecord.Source {
      flags & 1 != 0 ? .effect : flags & 2 != 0 ? .edit : .input
    }

    var isSkipped: Bool {
      get { flags & 4 != 0 }
      set { flags = newValue ? flags | 4 : flags & 3 }
    }

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
      _ action: Action, _ source: ActionRecord.Source, time: Double, generation: Int, state: Value
    ) {
      table = action.value
      flags =
        switch source {
        case .input: 0
        case .effect: 1
        case .edit: 2
        }
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
  /// Of features whose effects have sent something, each once.
  private var features: [String] = []
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

  /// Adds an entry behind that of the position, for those after it.
  ///
  /// - Parameter feature: whose effect sent the action.
  mutating func append(_ entry: Kept, from feature: String?) {
    cut()
    var entry = entry
    if let before = self[position] { entry.table = entry.table.sharing(with: before.table) }
    if let feature { entry.feature = number(of: feature) }
    kept.append(entry)
    position = last
    if count > limit { dropFirst() }
  }

  private mutating func number(of feature: String) -> UInt16 {
    if let index = features.firstIndex(of: feature) { return UInt16(index + 1) }
    guard features.count < UInt16.max else { return 0 }
    features.append(feature)
    return UInt16(features.count)
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
      number: number, action: Action(trusted: kept.table), source: kept.source,
      feature: kept.feature == 0 ? nil : features[Int(kept.feature) - 1],
      transaction: more.transaction, time: kept.time, state: kept.state, reads: more.reads,
      started: more.started, ended: more.ended, calls: more.calls, warnings: more.warnings,
      error: more.error, generation: Int(kept.generation), isSkipped: kept.isSkipped)
  }
}

extension Value {
  /// An action's table with what it has in common with another one of its type: most are like the one before.
  fileprivate func sharing(with other: Value) -> Value {
    guard var object, let known = other.object, let type = known["type"], object["type"] == type
    else { return self }
    if isTheSame(as: other) { return other }
    object["type"] = type
    if let nested = object["action"], let known = known["action"], nested.isTheSame(as: known) {
      object["action"] = known
    }
    return .object(object)
  }

  /// Whether nothing tells it from another one, as it does 1 from 1.0 and the orders of keys. False for what may be
  /// large.
  fileprivate func isTheSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.count < 64 && a.utf8.elementsEqual(b.utf8)
    case (.object(let a), .object(let b)):
      a.count == b.count && 1...8 ~= a.count
        && zip(a, b).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isTheSame(as: $1.value)
        }
    default: false
    }
  }
}

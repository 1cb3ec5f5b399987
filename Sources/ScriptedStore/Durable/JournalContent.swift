import LuaBridge

/// What the journal has of a store as soon as all that was handed over is written. A record says what is different from that.
///
/// A store that comes back begins with ``init(_:)`` again, because nothing of this outlives a failed commit.
struct JournalContent {
  /// Whether the journal has nothing of the store, so that the next drain is the first one.
  var isNew = true
  /// What the last record said of the scripts, of the ids of elements of stacks, and of effects.
  var code = ""
  var nextID: Int64 = 0
  private(set) var lastEffect = 0
  /// Whether the next record names the versions of features.
  var namesFeatures = false
  var requests = RequestLog([])
  /// The effects that have started and ended since the last record.
  private var unrecorded: (started: [EffectNote], ended: [EffectNote]) = ([], [])
  var snapshot = LastSnapshot()

  /// Nothing of a store that begins.
  init() {}

  init(_ recovered: RecoveredStore) {
    let header = recovered.header
    isNew = recovered.number == 0
    (code, nextID, lastEffect) = (header.code, header.nextID, header.lastEffect)
    requests = RequestLog(header.requests)
    snapshot = LastSnapshot(
      features: header.features, effects: Set(recovered.effects.map(\.number)),
      behind: recovered.behind)
  }

  mutating func note(started: EffectNote) { unrecorded.started.append(started) }

  mutating func note(ended: EffectNote) {
    let count = unrecorded.started.count
    unrecorded.started.removeAll { $0.number == ended.number }
    // What has started and ended since the last record is in none, unless a snapshot may have it.
    let isUnrecorded = unrecorded.started.count < count
    if isUnrecorded && snapshot.effects?.contains(ended.number) == false { return }
    unrecorded.ended.append(ended)
  }

  /// Effects that were in flight when the process ended are over.
  mutating func note(lost effects: [EffectNote]) { unrecorded.ended += effects }

  /// Moves the effects that no record has to the next one.
  mutating func moveEffects(to entry: inout HistoryEntry) {
    entry.started = unrecorded.started + entry.started
    entry.ended = unrecorded.ended + entry.ended
    unrecorded = ([], [])
    lastEffect = entry.started.reduce(lastEffect) { max($0, $1.number) }
  }
}

/// The last snapshot that was made of a store, and how much follows it.
///
/// ```
///   begin ──▶ on its way ──end──▶ written
///                          └────▶ not written: what was behind the one before is behind it, too
/// ```
struct LastSnapshot {
  /// The versions of features that it names; null if the store has none yet.
  var features: Value
  /// The numbers of the effects that are in flight in it; nil if it was not written.
  private(set) var effects: Set<Int>?
  var behind: RecordsBehind
  /// The record whose state it has, and what was behind the snapshot before, as long as it may fail to be written.
  private var onItsWay: (number: Int, before: RecordsBehind)?

  init(
    features: Value = .null, effects: Set<Int> = [], behind: RecordsBehind = RecordsBehind()
  ) {
    (self.features, self.effects, self.behind) = (features, effects, behind)
  }

  var isOnItsWay: Bool { onItsWay != nil }

  /// Another snapshot, of the state after a record, takes the place of this one.
  mutating func begin(_ number: Int, features: Value, effects: Set<Int>) {
    let before = behind
    self = LastSnapshot(features: features, effects: effects)
    onItsWay = (number, before)
  }

  /// It is known what became of the snapshot after a record. One that is not on its way any more, because the store has come back
  /// meanwhile or another one was begun, counts no more.
  mutating func end(_ number: Int, isWritten: Bool) {
    guard let (own, before) = onItsWay, own == number else { return }
    onItsWay = nil
    if isWritten { return }
    behind.add(before)
    effects = nil
  }
}

/// The records of a store that are not in its snapshot.
struct RecordsBehind: Sendable {
  var records = 0
  var bytes = 0

  /// Whether there are so many that another snapshot is due.
  var areMany: Bool { records >= 1_000 || bytes >= 1 << 20 }

  mutating func add(_ more: RecordsBehind) {
    records += more.records
    bytes += more.bytes
  }
}

/// The last requests of a durable store, by which one that comes again is known.
struct RequestLog {
  private(set) var all: [DurableHeader.Request]

  static let most = 64

  init(_ all: [DurableHeader.Request]) { self.all = all }

  subscript(id: String) -> DurableHeader.Request? { all.last { $0.id == id } }

  mutating func add(_ id: String, _ number: Int) {
    all.append(DurableHeader.Request(id: id, number: number))
    if all.count > Self.most { all.removeFirst() }
  }

  mutating func committed(_ number: Int, _ receipt: Receipt) {
    for index in all.indices.reversed() {
      if all[index].number == number { all[index].receipt = receipt }
      if all[index].number <= number { return }
    }
  }
}

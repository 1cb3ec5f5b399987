import ScriptValue

/// The segments of a recording so far, and what is in flight at the end of the last one.
///
/// A test receives what its own effects, alarms and actions send, and sends by itself what effects and alarms of before have sent.
/// Where it is unknown which of them have sent an action, or where they may send at the same time, the next test begins: there, all
/// effects are of before.
///
/// The recording of a durable store lacks the answers that effects got from dependencies. So its tests end where an effect
/// starts: the next test sends the actions of that effect by itself. For such a recording:
///
/// 1. Only the last entry of a segment starts effects. All others that are in flight were started before.
/// 2. An action of an effect is received only if no effect of its feature is in flight: its reducer has then sent it at
///    once.
/// 3. A test knows of the alarms that it has set. Its time never passes the next of them, which rings by its own entry.
struct ExportedSegments {
  private(set) var all: [ExportedTest.Segment] = []
  private let isDurable: Bool
  /// The effects in flight, by number.
  private var running: [Int: EffectNote]
  /// The numbers of the effects that have ended.
  private var ended: Set<Int> = []
  /// The effects that have started in the current segment. Its test has started those that are not in `others`.
  private var own: Set<Int> = []
  /// The effects in flight that were so before, and those that one of these may have started.
  private var others: [Int: EffectNote] = [:]
  /// The alarms that are set in the store, and those that went when it went back.
  private var known: [AlarmNote.Key: AlarmNote] = [:]
  /// The alarms that the test of the current segment has set, and the times at which they ring there.
  private var alarms: [(note: AlarmNote, due: Int)] = []
  /// Whether an alarm was set at a time that is too far for a test.
  private var hasUnreachableAlarm = false
  /// The time in the test of the current segment, as nanoseconds since the recording began.
  private var now = 0

  init(_ recording: Recording) {
    isDurable = recording.durable != nil
    running = Dictionary(
      recording.effects.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    let alarms = try? [AlarmNote](recorded: recording.alarms)
    for note in alarms ?? [] { known[note.key] = note }
    begin(after: recording.base, with: recording.initialState)
  }

  var current: ExportedTest.Segment {
    get { all[all.count - 1] }
    set { all[all.count - 1] = newValue }
  }

  mutating func begin(after number: Int, with state: Value) {
    if !all.isEmpty { current.isCut = true }
    all.append(
      ExportedTest.Segment(
        after: number, state: state, isDurable: isDurable, effectsBefore: Set(running.keys)))
    (own, others) = ([], running)
    (alarms, hasUnreachableAlarm) = ([], false)
  }

  mutating func add(_ entry: HistoryEntry, _ given: ExportedTest.GivenValue?) {
    let changes = entry.alarmChanges
    let rung = ringing(in: entry, changes)
    let isOfNext = !entry.isSkipped && isOfNext(entry, rung)
    if isOfNext { current.hasEffects = true }
    if isOfNext || current.contradicts(entry) {
      begin(after: entry.number - 1, with: current.entries.last?.state ?? current.state)
    }
    if !entry.isSkipped { current.causes[entry.number] = cause(of: entry, rung) }
    if let rung { current.rings[entry.number] = isOfTest(rung) }
    take(changes)
    current.entries.append(entry)
    current.givenValues[entry.number] = given
  }

  /// The last entry of the current segment that its test has.
  private var last: HistoryEntry? { current.entries.last { !$0.isSkipped } }

  /// Whether an entry of an effect begins the next segment: the test of the current one cannot get it.
  ///
  /// - Parameter rung: the alarm whose action it is.
  private func isOfNext(_ entry: HistoryEntry, _ rung: AlarmNote.Key?) -> Bool {
    guard entry.source == .effect, last != nil else { return false }
    if isDurable {
      return rung.map { isOfTest($0) && due(of: $0) == nil } ?? !isSentAtOnce(entry)
    }
    guard !entry.hasOtherEffects, let isOfBefore = isOfBefore(entry, rung) else { return true }
    // What the test has set off may come at that time, too. A clock counts microseconds.
    return isOfBefore
      && (own.contains { running[$0] != nil }
        || alarms.contains { $0.due <= time(of: entry) + 1000 })
  }

  /// Whether an effect or alarm of before has sent an action, or the reducer of an action of before has, while the current segment
  /// has entries. Nil if that is unknown.
  private func isOfBefore(_ entry: HistoryEntry, _ rung: AlarmNote.Key?) -> Bool? {
    if let rung { return !isOfTest(rung) }
    func isAtOnce(_ other: HistoryEntry) -> Bool {
      other.source == .effect && (other.sender ?? .handler) == .handler
        && current.rings[other.number] == nil && time(of: other) == time(of: entry)
    }
    switch entry.sender {
    case .alarm: return true
    case .effect(let effect):
      if current.effectsBefore.contains(effect) { return true }
      return own.contains(effect) && others[effect] == nil ? false : nil
    case nil where isOfFeature(entry, others):
      return last.map { time(of: $0) == time(of: entry) } == true ? nil : true
    default:
      // What reducers of before have sent at once, and what their actions have, look the same. So do what an action that is left out
      // has sent and what others have.
      let follows = current.entries.last.map { $0.isSkipped && time(of: $0) == time(of: entry) }
      let isOfBurst = current.entries.allSatisfy { $0.isSkipped || isAtOnce($0) }
      return follows == true || isOfBurst ? nil : false
    }
  }

  private func isOfFeature(_ entry: HistoryEntry, _ effects: [Int: EffectNote]) -> Bool {
    effects.values.contains { $0.feature == entry.feature }
  }

  /// How the test gets an entry, whose time is then that of the test.
  private mutating func cause(
    of entry: HistoryEntry, _ rung: AlarmNote.Key?
  ) -> ExportedTest.Cause {
    if last == nil { now = time(of: entry) }
    if isDurable { return durableCause(of: entry, rung) }
    let isReceived =
      entry.source == .effect && last != nil && isOfBefore(entry, rung) == false
    let waits = isReceived || current.hasEffects
    current.hasEffects = waits || !entry.started.isEmpty || entry.alarms != nil
    let wait = advance(to: time(of: entry))
    return ExportedTest.Cause(isReceived: isReceived, wait: waits ? wait : 0)
  }

  private mutating func durableCause(
    of entry: HistoryEntry, _ rung: AlarmNote.Key?
  ) -> ExportedTest.Cause {
    if let due = rung.flatMap({ due(of: $0) }) {
      return ExportedTest.Cause(isReceived: true, wait: advance(to: due))
    }
    if rung == nil && isSentAtOnce(entry) { return ExportedTest.Cause(isReceived: true, wait: 0) }
    // Invariant 3. Without an alarm, the test needs no time.
    let next = alarms.map { $0.due - 1_000_000 }.min()
    let wait = advance(to: min(time(of: entry), next ?? .max))
    return ExportedTest.Cause(isReceived: false, wait: next == nil ? 0 : wait)
  }

  /// Lets the time of the test pass, if it is not that late yet. Returns how much has passed.
  private mutating func advance(to time: Int) -> Int {
    let wait = max(0, time - now)
    now += wait
    return wait
  }

  private func time(of entry: HistoryEntry) -> Int {
    let time = ExportedTime.nanoseconds(entry.time)
    // The wall's time is recorded in milliseconds.
    return isDurable ? (time + 500_000) / 1_000_000 * 1_000_000 : time
  }

  /// The alarm whose action an entry is; nil if it is none's.
  private func ringing(
    in entry: HistoryEntry, _ changes: StoreAlarms.Changes
  ) -> AlarmNote.Key? {
    guard entry.source == .effect else { return nil }
    let keys = changes.removed + changes.added.map(\.key)
    switch entry.sender {
    case .alarm, nil:
      // Another one with the key may have been set by an action that the store went back from.
      return keys.first { known[$0]?.action == entry.action }
        ?? (entry.sender == .alarm ? changes.removed.first : nil)
    case .handler, .effect: return nil
    }
  }

  private func isOfTest(_ key: AlarmNote.Key) -> Bool { alarms.contains { $0.note.key == key } }

  /// The time at which an alarm rings in the test; nil if the test has not set it, or if another one rings before.
  private func due(of key: AlarmNote.Key) -> Int? {
    guard let own = alarms.first(where: { $0.note.key == key }),
      alarms.allSatisfy({ $0.note.key == key || $0.due > own.due })
    else { return nil }
    return own.due
  }

  private func isSentAtOnce(_ entry: HistoryEntry) -> Bool {
    entry.source == .effect && !current.entries.isEmpty && !isOfFeature(entry, running)
  }

  mutating func take(_ changes: StoreAlarms.Changes) {
    let keys = Set(changes.removed + changes.added.map(\.key))
    alarms.removeAll { keys.contains($0.note.key) }
    for key in keys { known[key] = nil }
    for note in changes.added {
      known[note.key] = note
      let (due, isTooFar) = now.addingReportingOverflow(ExportedTime.wait(for: note))
      if isTooFar { hasUnreachableAlarm = true } else { alarms.append((note, due)) }
    }
  }

  /// Takes what has started and ended since the last entry, which the action at a path has led to.
  mutating func take(_ started: [EffectNote], _ ended: [EffectNote], after path: String?) {
    // An effect may end, by going back, at an entry before the one that has started it.
    self.ended.formUnion(ended.map(\.number))
    for note in started where !self.ended.contains(note.number) { running[note.number] = note }
    for note in ended { running[note.number] = nil }
    for note in started {
      own.insert(note.number)
      if note.action != path && !others.isEmpty { others[note.number] = note }
    }
    for note in ended { others[note.number] = nil }
  }

  /// Whether the last segment ends with an entry of a durable store, which has started effects, or set an alarm that a test cannot let
  /// ring.
  func endsDurable(with entry: HistoryEntry) -> Bool {
    isDurable && (!entry.started.isEmpty || hasUnreachableAlarm)
  }
}

extension HistoryEntry {
  /// What of ``alarms`` can be read.
  var alarmChanges: StoreAlarms.Changes {
    guard let recorded = alarms else { return .init() }
    // What cannot be read is not in the test.
    return .init(
      added: (try? [AlarmNote](recorded: recorded["set"])) ?? [],
      removed: (recorded["gone"].array ?? []).compactMap { try? AlarmNote.Key(recorded: $0) })
  }
}

extension DependencyBinding {
  /// The paths of the functions in it.
  func functionNames(at path: String) -> [String] {
    switch self {
    case .value: []
    case .host, .script, .unimplemented: [path]
    case .client(let members):
      members.sorted { $0.key < $1.key }.flatMap { $1.functionNames(at: "\(path).\($0)") }
    }
  }
}

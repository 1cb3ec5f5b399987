import ScriptValue

/// The segments of a recording so far, and what is in flight at the end of the last one.
///
/// A test lets the alarms ring that it has set, and sends by itself what those of before have sent. The recording of a durable
/// store lacks the answers that effects got from dependencies. So its tests end where an effect starts: the next test sends the
/// actions of that effect by itself. For such a recording:
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
    all.append(ExportedTest.Segment(after: number, state: state, effectsBefore: running))
    if isDurable { current.causes = [:] }
    (alarms, hasUnreachableAlarm) = ([], false)
  }

  mutating func add(_ entry: HistoryEntry, _ given: ExportedTest.GivenValue?) {
    if current.contradicts(entry) {
      begin(after: entry.number - 1, with: current.entries.last?.state ?? current.state)
    }
    let changes = entry.alarmChanges
    let rung = ringing(in: entry, changes)
    if isDurable {
      let cause = cause(of: entry, rung)
      current.causes?[entry.number] = cause
    }
    if let rung { current.rings[entry.number] = isOfTest(rung) }
    take(changes)
    current.entries.append(entry)
    current.givenValues[entry.number] = given
  }

  /// How the test gets an entry of a durable store. Begins the next segment if that of now cannot get it.
  ///
  /// - Parameter rung: the alarm whose action it is.
  private mutating func cause(of entry: HistoryEntry, _ rung: AlarmNote?) -> ExportedTest.Cause {
    // The wall's time is recorded in milliseconds.
    let time = (ExportedTime.nanoseconds(entry.time) + 500_000) / 1_000_000 * 1_000_000
    let cause: ExportedTest.Cause
    if let due = rung.flatMap({ due(of: $0) }) {
      cause = ExportedTest.Cause(isReceived: true, wait: due - now)
    } else {
      // Of an alarm that another test has set, or of an action that this test has sent.
      let isOfBefore = rung.map { !isOfTest($0) }
      let isReceived = rung == nil && isSentAtOnce(entry)
      if entry.source == .effect, !isReceived, isOfBefore != true, !current.entries.isEmpty {
        begin(after: entry.number - 1, with: current.entries.last?.state ?? current.state)
      }
      if current.entries.isEmpty { now = time }
      let next = alarms.map { $0.due - 1_000_000 }.min()
      let wait = isReceived ? 0 : next.map { max(0, min(time, $0) - now) } ?? 0
      if next == nil, !isReceived { now = max(now, time) }
      cause = ExportedTest.Cause(isReceived: isReceived, wait: wait)
    }
    now += cause.wait
    return cause
  }

  /// The alarm whose action an entry is; nil if it is none's.
  private func ringing(in entry: HistoryEntry, _ changes: StoreAlarms.Changes) -> AlarmNote? {
    guard entry.source == .effect else { return nil }
    let keys = changes.removed + changes.added.map(\.key)
    return keys.lazy.compactMap { known[$0] }.first { $0.action == entry.action }
  }

  private func isOfTest(_ note: AlarmNote) -> Bool { alarms.contains { $0.note.key == note.key } }

  /// The time at which an alarm rings in the test; nil if the test has not set it, or if another one rings before.
  private func due(of note: AlarmNote) -> Int? {
    guard let own = alarms.first(where: { $0.note.key == note.key }),
      alarms.allSatisfy({ $0.note.key == note.key || $0.due > own.due })
    else { return nil }
    return own.due
  }

  private func isSentAtOnce(_ entry: HistoryEntry) -> Bool {
    entry.source == .effect && !current.entries.isEmpty
      && !running.values.contains { $0.feature == entry.feature }
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

  mutating func take(_ started: [EffectNote], _ ended: [EffectNote]) {
    // An effect may end, by going back, at an entry before the one that has started it.
    self.ended.formUnion(ended.map(\.number))
    for note in started where !self.ended.contains(note.number) { running[note.number] = note }
    for note in ended { running[note.number] = nil }
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

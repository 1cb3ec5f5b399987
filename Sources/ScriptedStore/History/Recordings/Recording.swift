import ScriptValue

/// The history of a store as a file holds it: JSON lines, each written as soon as it has happened.
/// `docs/runner.md` describes the lines.
public struct Recording: Sendable {
  /// The module or file that the store was made of. For a reducer made in Swift it is the reducer's
  /// name, which no script has.
  public internal(set) var feature: String
  /// The state before the first entry.
  public internal(set) var initialState: Value
  public internal(set) var entries: [HistoryEntry] = []
  /// The number before the first entry.
  public internal(set) var base = 0
  /// The SHA-256 hashes of the scripts by name, as they were loaded last.
  public internal(set) var scripts: [String: String]
  /// The names of the dependencies that the store overrode.
  public internal(set) var dependencies: [String]
  /// The effects that were in flight before the first entry.
  public internal(set) var effects: [EffectNote]
  /// The calls that effects made to dependencies before the first entry.
  public internal(set) var calls: [EffectCall] = []
  /// The states that migrations made, by the number of the entry after which they ran.
  public internal(set) var migrations: [Int: Value] = [:]
  /// The numbers of the entries that the store went to, back or forward, where what was before does not lead to
  /// them: it went on from there or ended there, or effects were in flight.
  var jumps: Set<Int> = []
  /// The alarms that were set before the first entry, as ``StoreAlarms`` records them.
  var alarms = Value.null
  /// The hidden parts of a durable store before the first entry; nil in the recording of another one.
  var durable: DurableHeader?
  /// Problems of the text that do not prevent its use.
  public internal(set) var warnings: [String] = []

  init(feature: String, state: Value) {
    self.feature = feature
    initialState = state
    (scripts, dependencies, effects) = ([:], [], [])
  }

  /// The state after the last entry, and after its migration if there was one.
  public var finalState: Value {
    guard let last = entries.last else { return initialState }
    return migrations[last.number] ?? last.state
  }

  /// The recording as text that ``init(jsonLines:)`` can read.
  public var jsonLines: String {
    var events: [RecordingEvent] = [
      .header(
        RecordingHeader(
          feature: feature, scripts: scripts, dependencies: dependencies, effects: effects,
          alarms: alarms, durable: durable), after: base, state: initialState)
    ]
    events += calls.map { .call($0) }
    var before = initialState
    for entry in entries {
      events.append(.entry(entry, before: before))
      events += entry.calls.map { .call($0) }
      before = entry.state
      if jumps.contains(entry.number) { events.append(.went(entry.number)) }
      if let state = migrations[entry.number] {
        events.append(.reload(entry.generation, scripts: [:], state: state))
        before = state
      }
    }
    return events.map { $0.line + "\n" }.joined()
  }
}

extension Recording {
  /// Reads the text of a recording.
  ///
  /// A last line that a crash cut off is left out with a warning in ``warnings``.
  ///
  /// - Throws: ``HistoryError`` with the line number for any other line that is not one of a
  ///   recording, and for a recording of another format version.
  public init(jsonLines text: String) throws(HistoryError) {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var reader = RecordingReader()
    var entries: [HistoryEntry] = []
    var migrations: [Int: Value] = [:]
    /// How many of the entries are up to the one whose state the store has.
    var count = 0
    var jumps: Set<Int> = []
    /// The entry that the store went to, until it goes on from there, and whether it did so before.
    var went: (number: Int, wasJump: Bool)?
    /// Whether effects were in flight when it went there, or to where it was before.
    var hadEffects = false
    /// The effects that entries which are no longer there have started, and that go on.
    var effects: [EffectNote] = []
    /// The numbers of the effects whose end is in such entries.
    var ended: Set<Int> = []
    /// The alarms that such entries have set.
    var alarms: [Value] = []
    /// - Parameter isAgain: whether the entries are written again, so that they follow as the first ones did.
    func cut(isAgain: Bool = false) {
      guard count < entries.count else { return }
      ended.formUnion(entries[count...].flatMap(\.ended).map(\.number))
      effects += EffectNote.running(after: entries[count...].map { ($0.started, $0.ended) })
      alarms += entries[count...].flatMap { $0.alarms?["set"].array.map(Array.init) ?? [] }
      let sent = !isAgain && entries[count...].contains { $0.source == .effect }
      entries.removeLast(entries.count - count)
      if sent && count > 0 { entries[count - 1].hasOtherEffects = true }
      let last = entries.last?.number ?? 0
      migrations = migrations.filter { $0.key <= last }
      jumps = jumps.filter { $0 <= last }
    }
    for (index, line) in lines.enumerated() {
      let step = try reader.read(line, line: index + 1, isWhole: index < lines.count - 1)
      switch step {
      case .entry(let entry):
        let isAgain =
          count < entries.count && entries[count].action == entry.action
          && entries[count].time == entry.time
        cut(isAgain: isAgain)
        if let went {
          if !isAgain {
            jumps.insert(went.number)
          } else if !went.wasJump {
            jumps.remove(went.number)
          }
        }
        (went, hadEffects) = (nil, false)
        entries.append(entry)
        count += 1
      case .effects(let started, let ended):
        entries[count - 1].started += started
        entries[count - 1].ended += ended
      case .call(let call): entries[count - 1].calls.append(call)
      case .migration(let state):
        cut()
        if count > 0 { migrations[reader.last] = state }
      case .went(let number, let initial):
        // Written again, a jump from entries that are gone is one from where the store is.
        let stays = reader.recording.map { $0.base + count } == number
        count = number - (reader.recording?.base ?? 0)
        went = (number, jumps.contains(number))
        let running = EffectNote.running(
          (reader.recording?.effects ?? []) + effects,
          after: entries.map { ($0.started, $0.ended) })
        hadEffects = hadEffects || running.contains { !ended.contains($0.number) }
        if hadEffects || stays { jumps.insert(number) }
        reader.state = migrations[number] ?? (count > 0 ? entries[count - 1].state : initial)
      case nil: break
      }
    }
    if let went, count < entries.count { jumps.insert(went.number) }
    cut()
    self = try reader.finish()
    self.effects.removeAll { reader.endedBeforeEntries.contains($0.number) }
    // Entries that were written again have started and ended them after all.
    let known = ended.subtracting(entries.flatMap(\.ended).map(\.number))
      .union(reader.endedBeforeEntries).union(entries.flatMap(\.started).map(\.number))
    self.effects += effects.filter { !known.contains($0.number) }
    if !alarms.isEmpty {
      self.alarms = .array(Value.List(Array(self.alarms.array ?? []) + alarms))
    }
    self.jumps = jumps
    self.entries = entries
    self.migrations = migrations
  }
}

/// Why an operation of a history or a recording failed.
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  public let message: String

  package init(_ message: String) { self.message = message }

  public var description: String { message }
}

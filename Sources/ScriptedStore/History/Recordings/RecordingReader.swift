// Reads the text of a recording. `docs/runner.md` describes the lines.
//
// 1. The first line is the header. Only the last line may be incomplete; it is then left out with a
//    warning.
// 2. Entry numbers are consecutive. A `go` line sets the number that the next entry follows. The
//    entries behind it can be gone to until then; that entry takes their place.
// 3. All numbers and times are validated here, so that users of a recording can add and subtract
//    them without overflow.

import LuaBridge

/// What one line says about the entries of a recording.
package enum RecordingStep {
  case entry(HistoryEntry)
  /// The effects that started and ended since the last entry.
  case effects(started: [EffectNote], ended: [EffectNote])
  case call(EffectCall)
  /// The state that a migration made of the state after the last entry.
  case migration(Value)
  /// The store went to an entry, back or forward. The next entry, or a migration, takes the place of
  /// the entries after it.
  case went(Int, initial: Value)
}

/// Reads a recording line by line. It retains only the header and the last state, however many
/// lines there are.
package struct RecordingReader {
  /// The recording as read so far, without entries; nil before the first line.
  package private(set) var recording: Recording?
  /// The number of the entry whose state the store has.
  private(set) var last = 0
  /// The number of the last entry that can be gone to.
  private var furthest = 0
  /// The numbers of the effects that have ended while the store had the state before the first entry.
  private(set) var endedBeforeEntries: Set<Int> = []
  /// The state after the last entry. A caller that reads without an upper bound must set it after a
  /// `went` step.
  var state = Value.null

  package init() {}

  /// - Parameters:
  ///   - number: the line number from 1, for messages.
  ///   - isWhole: whether the line ends with a line break. Only the last line may lack it; it is
  ///     then left out if it cannot be read.
  ///   - highest: the highest number of an entry to return. Entries with higher numbers, and the
  ///     lines that belong to them, are skipped. ``RecordingCuts`` computes the number.
  /// - Returns: nil for a line that says nothing about the entries, or that is skipped.
  package mutating func read(
    _ line: some Collection<UInt8>, line number: Int, isWhole: Bool, upTo highest: Int = .max
  ) throws(HistoryError) -> RecordingStep? {
    if line.allSatisfy({ $0 == 0x20 || 0x09...0x0D ~= $0 }) { return nil }
    do throws(HistoryError) {
      let value = try Self.value(line)
      if recording != nil { return try read(value, upTo: highest) }
      try readHeader(value)
    } catch {
      guard !isWhole, recording != nil else {
        throw HistoryError("line \(number): \(error.message)")
      }
      recording?.warnings.append("line \(number) is not whole (\(error.message)) and was left out")
    }
    return nil
  }

  /// What the next line, an entry, does to the state and to the effects, without what only a person and a replay look at. For the
  /// recovery of durable stores, which may have to read a thousand lines before the first answer.
  mutating func readChange(
    _ line: String
  ) throws(HistoryError) -> (
    number: Int, started: [EffectNote], ended: [EffectNote], alarms: Value?,
    durable: DurableFields?
  ) {
    let value = try Self.value(line.utf8)
    guard let number = value["n"].int else { throw HistoryError("this is no entry: \(value)") }
    try advance(to: number, by: value)
    return (
      number, try value.notes("started"), try value.notes("ended"), value.object?["alarms"],
      DurableFields(recorded: value)
    )
  }

  /// The recording without its entries. Throws if the text has no header.
  package func finish() throws(HistoryError) -> Recording {
    guard let recording else { throw HistoryError("line 1: the recording is empty") }
    return recording
  }

  private static func value(_ line: some Collection<UInt8>) throws(HistoryError) -> Value {
    do throws(JSONError) {
      return try Value(wrappedJSON: line)
    } catch {
      throw HistoryError("\(error.message) at column \(error.column)")
    }
  }

  /// The highest value of `after` in the header. JSON integers are exact up to here in every
  /// program, and no file has enough lines to count from here to `Int.max`.
  private static let largestNumber = 1 << 53

  private mutating func readHeader(_ header: Value) throws(HistoryError) {
    guard let version = header["recording"].int, let feature = header["feature"].string else {
      throw HistoryError(
        "this is no recording: its first line has no \"recording\" and \"feature\"")
    }
    guard (RecordingEvent.version...RecordingEvent.durableVersion).contains(version) else {
      throw HistoryError(
        "the recording is of version \(version); this program reads the versions 1 and 2")
    }
    state = header["state"]
    guard state.array != nil || state.object != nil else {
      throw HistoryError("the recording has no \"state\" that is a table")
    }
    var recording = Recording(feature: feature, state: state)
    if let after = header.object?["after"] {
      guard let number = after.int, (0...Self.largestNumber).contains(number) else {
        throw HistoryError(
          "\"after\" must be a whole number from 0 to \(Self.largestNumber), not \(after); record the session again"
        )
      }
      recording.base = number
    }
    recording.scripts = header["scripts"].hashes
    recording.dependencies = header["dependencies"].array?.compactMap(\.string) ?? []
    recording.effects = try header.notes("effects")
    recording.alarms = header["alarms"]
    recording.durable = DurableHeader(recorded: header)
    (last, furthest) = (recording.base, recording.base)
    self.recording = recording
  }

  private mutating func read(
    _ line: Value, upTo highest: Int
  ) throws(HistoryError) -> RecordingStep? {
    if let number = line["n"].int { return try readEntry(line, number, upTo: highest) }
    let isBeforeEntries = last == recording?.base
    if let number = line["call"].int {
      let call = try call(line, number)
      if isBeforeEntries { recording?.calls.append(call) }
      return isBeforeEntries || last > highest ? nil : .call(call)
    }
    if let number = line["go"].int { return try go(to: number) }
    if line["reload"].int != nil { return reload(line, upTo: highest) }
    let (started, ended) = (try line.notes("started"), try line.notes("ended"))
    if !started.isEmpty || !ended.isEmpty {
      if isBeforeEntries {
        recording?.effects += started
        endedBeforeEntries.formUnion(ended.map(\.number))
      }
      return isBeforeEntries || last > highest ? nil : .effects(started: started, ended: ended)
    }
    guard line["scripts"].object != nil else {
      throw HistoryError("this is no line of a recording: \(line)")
    }
    recording?.scripts.merge(line["scripts"].hashes) { $1 }
    return nil
  }

  private mutating func readEntry(
    _ line: Value, _ number: Int, upTo highest: Int
  ) throws(HistoryError) -> RecordingStep? {
    try checkOrder(of: number)
    guard let source = line["source"].string.flatMap(ActionRecord.Source.init) else {
      throw HistoryError("entry \(number) has no \"source\" that is input, effect, shared or edit")
    }
    if number > highest {
      (last, furthest) = (number, number)
      return nil
    }
    let action: Action
    do throws(ActionError) {
      action = try Action(line["action"])
    } catch {
      throw HistoryError("entry \(number): \(error.message)")
    }
    let reads = try (line["reads"].array ?? []).map { (read) throws(HistoryError) in
      try DependencyRead(recorded: read)
    }
    try advance(to: number, by: line)
    return .entry(
      HistoryEntry(
        number: number, action: action, source: source, feature: line["feature"].string,
        sender: ActionSender(recorded: line["sender"]), transaction: line.object?["transaction"],
        time: try time(of: line), state: state, reads: reads, started: try line.notes("started"),
        ended: try line.notes("ended"), calls: [],
        warnings: (line["warnings"].array ?? []).map { RuntimeWarning(recorded: $0) },
        error: line.object?["error"].map { ScriptError(recorded: $0) },
        generation: line["generation"].int ?? 0, isSkipped: line["skipped"].bool ?? false,
        hasOtherEffects: line["otherEffects"].bool ?? false, alarms: line.object?["alarms"],
        durable: DurableFields(recorded: line)))
  }

  private func checkOrder(of number: Int) throws(HistoryError) {
    guard last < .max, number == last + 1 else {
      throw HistoryError("entry \(number) follows entry \(last)")
    }
  }

  private mutating func advance(to number: Int, by line: Value) throws(HistoryError) {
    try checkOrder(of: number)
    do throws(JSONPatchError) {
      state = try JSONPatch(line["patch"]).apply(to: state)
    } catch {
      throw HistoryError("entry \(number) has a patch that does not fit: \(error)")
    }
    (last, furthest) = (number, number)
  }

  /// The time of an entry since the recording began. The clock of a machine may have been set back meanwhile.
  private func time(of line: Value) throws(HistoryError) -> Duration {
    guard let start = recording?.durable?.wall, let wall = line["wall"].double else {
      return try line.time
    }
    return Duration(clampingSeconds: max(0, wall - start))
  }

  private func call(_ line: Value, _ number: Int) throws(HistoryError) -> EffectCall {
    let time = try line.time
    if let name = line["asked"].string {
      return EffectCall(
        number: number, phase: .asked(name, isStream: line["stream"].bool ?? false), time: time,
        effect: line["effect"].int)
    }
    return EffectCall(
      number: number, phase: .answered(try DependencyRead.Answer(recorded: line)), time: time,
      effect: nil)
  }

  private mutating func go(to number: Int) throws(HistoryError) -> RecordingStep? {
    guard let recording, number >= recording.base, number <= furthest else {
      throw HistoryError("there is no entry \(number) to go to")
    }
    last = number
    return .went(number, initial: recording.initialState)
  }

  private mutating func reload(_ line: Value, upTo highest: Int) -> RecordingStep? {
    recording?.scripts.merge(line["scripts"].hashes) { $1 }
    guard let migrated = line.object?["state"] else { return nil }
    furthest = last
    guard last <= highest else { return nil }
    state = migrated
    if last == recording?.base { recording?.initialState = migrated }
    return .migration(migrated)
  }
}

extension Value {
  /// The time since the recording began; zero if there is no `time`.
  fileprivate var time: Duration {
    get throws(HistoryError) {
      guard let time = object?["time"] else { return .zero }
      guard let seconds = time.double, seconds >= 0 else {
        throw HistoryError(
          "\"time\" must be zero or more seconds, not \(time); record the session again")
      }
      return Duration(clampingSeconds: seconds)
    }
  }

  fileprivate var hashes: [String: String] {
    Dictionary(
      (object.map(Array.init) ?? []).compactMap { key, value in value.string.map { (key, $0) } },
      uniquingKeysWith: { $1 })
  }

  fileprivate func notes(_ key: String) throws(HistoryError) -> [EffectNote] {
    try (self[key].array ?? []).map { (note) throws(HistoryError) in
      try EffectNote(recorded: note, in: key)
    }
  }
}

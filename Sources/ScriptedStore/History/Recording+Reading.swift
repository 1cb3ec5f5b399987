// Reads the text of a recording. `docs/runner.md` describes the lines.
//
// 1. The first line is the header. Only the last line may be incomplete; it is then left out with a
//    warning.
// 2. Entry numbers are consecutive. A `go` line sets the number that the next entry follows.
// 3. All numbers and times are validated here, so that users of a recording can add and subtract
//    them without overflow.

import LuaBridge

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
    for (index, line) in lines.enumerated() {
      let step = try reader.read(line, line: index + 1, isWhole: index < lines.count - 1)
      switch step {
      case .entry(let entry): entries.append(entry)
      case .effects(let started, let ended):
        entries[entries.count - 1].started += started
        entries[entries.count - 1].ended += ended
      case .call(let call): entries[entries.count - 1].calls.append(call)
      case .migration(let state): migrations[reader.last] = state
      case .went(let number, let initial):
        entries.removeAll { $0.number > number }
        migrations = migrations.filter { $0.key <= number }
        reader.state = migrations[number] ?? entries.last?.state ?? initial
      case nil: break
      }
    }
    self = try reader.finish()
    self.entries = entries
    self.migrations = migrations
  }
}

/// What one line says about the entries of a recording.
package enum RecordingStep {
  case entry(HistoryEntry)
  /// The effects that started and ended since the last entry.
  case effects(started: [EffectNote], ended: [EffectNote])
  case call(EffectCall)
  /// The state that a migration made of the state after the last entry.
  case migration(Value)
  /// The store went back to an entry. The entries after it are no longer part of the recording.
  case went(Int, initial: Value)
}

/// Reads a recording line by line. It retains only the header and the last state, however many
/// lines there are.
package struct RecordingReader {
  /// The recording as read so far, without entries; nil before the first line.
  package private(set) var recording: Recording?
  private(set) var last = 0
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
    guard version == RecordingEvent.version else {
      throw HistoryError(
        "the recording is of version \(version); this program reads version \(RecordingEvent.version)"
      )
    }
    state = header["state"]
    guard state.array != nil || state.object != nil else {
      throw HistoryError("the recording has no \"state\" that is a table")
    }
    var recording = Recording(feature: feature, state: state)
    if let after = header.get("after") {
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
    last = recording.base
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
      if isBeforeEntries { recording?.effects += started }
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
    guard last < .max, number == last + 1 else {
      throw HistoryError("entry \(number) follows entry \(last)")
    }
    guard let source = line["source"].string.flatMap(ActionRecord.Source.init) else {
      throw HistoryError("entry \(number) has no \"source\" that is input, effect or edit")
    }
    if number > highest {
      last = number
      return nil
    }
    let action: Action
    do throws(ActionError) {
      action = try Action(line["action"])
    } catch {
      throw HistoryError("entry \(number): \(error.message)")
    }
    do throws(JSONPatchError) {
      state = try JSONPatch(line["patch"]).apply(to: state)
    } catch {
      throw HistoryError("entry \(number) has a patch that does not fit: \(error)")
    }
    var reads: [DependencyRead] = []
    for read in line["reads"].array ?? [] { reads.append(try DependencyRead(read)) }
    last = number
    return .entry(
      HistoryEntry(
        number: number, action: action, source: source, feature: line["feature"].string,
        transaction: line.get("transaction"), time: try line.time, state: state,
        reads: reads, started: try line.notes("started"), ended: try line.notes("ended"), calls: [],
        warnings: (line["warnings"].array ?? []).map { RuntimeWarning(recorded: $0) },
        error: line.get("error").map { ScriptError(recorded: $0) },
        generation: line["generation"].int ?? 0, isSkipped: line["skipped"].bool ?? false))
  }

  private func call(_ line: Value, _ number: Int) throws(HistoryError) -> EffectCall {
    let time = try line.time
    if let name = line["asked"].string {
      return EffectCall(
        number: number, phase: .asked(name, isStream: line["stream"].bool ?? false), time: time)
    }
    return EffectCall(
      number: number, phase: .answered(try DependencyRead.Answer(line)), time: time)
  }

  private mutating func go(to number: Int) throws(HistoryError) -> RecordingStep? {
    guard let recording, number >= recording.base, number <= last else {
      throw HistoryError("there is no entry \(number) to go to")
    }
    last = number
    return .went(number, initial: recording.initialState)
  }

  private mutating func reload(_ line: Value, upTo highest: Int) -> RecordingStep? {
    recording?.scripts.merge(line["scripts"].hashes) { $1 }
    guard last <= highest, let migrated = line.get("state") else { return nil }
    state = migrated
    if last != recording?.base { return .migration(migrated) }
    recording?.initialState = migrated
    return nil
  }
}

extension Value {
  fileprivate func get(_ key: String) -> Value? { object?[key] }

  /// Seconds since the recording began; 0 if there is no `time`.
  fileprivate var time: Double {
    get throws(HistoryError) {
      guard let time = get("time") else { return 0 }
      guard let seconds = time.double, seconds >= 0 else {
        throw HistoryError(
          "\"time\" must be zero or more seconds, not \(time); record the session again")
      }
      return seconds
    }
  }

  fileprivate var hashes: [String: String] {
    Dictionary(
      (object.map(Array.init) ?? []).compactMap { key, value in value.string.map { (key, $0) } },
      uniquingKeysWith: { $1 })
  }

  fileprivate func notes(_ key: String) throws(HistoryError) -> [EffectNote] {
    var notes: [EffectNote] = []
    for note in self[key].array ?? [] {
      guard let number = note["number"].int, let origin = note["origin"].string else {
        throw HistoryError("\"\(key)\" has what is no effect: \(note)")
      }
      notes.append(
        EffectNote(
          number: number, feature: note["feature"].string, origin: origin, id: note.get("id"),
          action: note["action"].string, place: note["place"].string ?? ""))
    }
    return notes
  }
}

extension DependencyRead {
  fileprivate init(_ recorded: Value) throws(HistoryError) {
    if let name = recorded["dependency"].string {
      self.init(.dependency(name), try Answer(recorded))
    } else if let name = recorded["stack"].string {
      self.init(.stack(name), try Answer(recorded))
    } else {
      throw HistoryError("\"reads\" has what is no read: \(recorded)")
    }
  }
}

extension DependencyRead.Answer {
  fileprivate init(_ recorded: Value) throws(HistoryError) {
    if let message = recorded["error"].string {
      self = .error(message, recorded.get("value"))
    } else if let value = recorded.get("value") {
      self = .value(value)
    } else if recorded["nothing"].bool == true {
      self = .value(nil)
    } else if recorded["opaque"].bool == true {
      self = .opaque
    } else {
      throw HistoryError("there is no answer in \(recorded)")
    }
  }
}

extension RuntimeWarning {
  /// Reads a recorded warning. A kind that this version does not have becomes `effectError`.
  fileprivate init(recorded: Value) {
    self.init(
      kind: recorded["kind"].string.flatMap(Kind.init) ?? .effectError,
      message: recorded["message"].string ?? "", origin: recorded["origin"].string ?? "?",
      action: recorded["action"].string)
  }
}

extension ScriptError {
  fileprivate init(recorded: Value) {
    self.init(
      recorded["message"].string ?? "\(recorded)", script: recorded["script"].string,
      line: recorded["line"].int)
    feature = recorded["feature"].string
  }
}

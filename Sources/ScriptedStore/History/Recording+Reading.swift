import LuaBridge

extension Recording {
  /// Reads what was written. A last line that a crash cut is left out, with a warning; anything else that is no line of
  /// a recording is an error with its number, as is a format of another version.
  public init(jsonLines text: String) throws(HistoryError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let isWhole = lines.last?.isEmpty ?? true
    var reader: RecordingReader?
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
      let number = index + 1
      do throws(HistoryError) {
        let value = try Self.value(line)
        if reader == nil {
          reader = try RecordingReader(header: value)
        } else {
          try reader?.read(value)
        }
      } catch {
        guard index == lines.count - 1, !isWhole, reader != nil else {
          throw HistoryError("line \(number): \(error.message)")
        }
        reader?.recording.warnings.append(
          "line \(number) is not whole (\(error.message)) and was left out")
      }
    }
    guard let reader else { throw HistoryError("line 1: the recording is empty") }
    self = reader.recording
  }

  private static func value(_ line: Substring) throws(HistoryError) -> Value {
    do throws(JSONError) {
      return try Value(json: line)
    } catch {
      throw HistoryError("\(error.message) at column \(error.column)")
    }
  }
}

/// Reads a recording line by line.
private struct RecordingReader {
  var recording: Recording
  private var state: Value

  init(header: Value) throws(HistoryError) {
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
    recording = Recording(feature: feature, state: state)
    recording.base = header["after"].int ?? 0
    recording.scripts = header["scripts"].hashes
    recording.dependencies = header["dependencies"].array?.compactMap(\.string) ?? []
    recording.effects = try header.notes("effects")
  }

  private var last: Int { recording.entries.last?.number ?? recording.base }

  mutating func read(_ line: Value) throws(HistoryError) {
    if let number = line["n"].int { return try readEntry(line, number) }
    if let number = line["call"].int { return add(try call(line, number)) }
    if let number = line["go"].int { return try go(to: number) }
    if let generation = line["reload"].int { return reload(line, generation) }
    let (started, ended) = (try line.notes("started"), try line.notes("ended"))
    if !started.isEmpty || !ended.isEmpty {
      guard !recording.entries.isEmpty else {
        recording.effects += started
        return
      }
      recording.entries[recording.entries.count - 1].started += started
      recording.entries[recording.entries.count - 1].ended += ended
    } else if line["scripts"].object != nil {
      recording.scripts.merge(line["scripts"].hashes) { $1 }
    } else {
      throw HistoryError("this is no line of a recording: \(line)")
    }
  }

  private mutating func readEntry(_ line: Value, _ number: Int) throws(HistoryError) {
    guard number == last + 1 else {
      throw HistoryError("entry \(number) follows entry \(last)")
    }
    guard let source = line["source"].string.flatMap(ActionRecord.Source.init) else {
      throw HistoryError("entry \(number) has no \"source\" that is input, effect or edit")
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
    recording.entries.append(
      HistoryEntry(
        number: number, action: action, source: source, feature: line["feature"].string,
        transaction: line.get("transaction"), time: line["time"].double ?? 0, state: state,
        reads: reads, started: try line.notes("started"), ended: try line.notes("ended"), calls: [],
        warnings: (line["warnings"].array ?? []).map { RuntimeWarning(recorded: $0) },
        error: line.get("error").map { ScriptError(recorded: $0) },
        generation: line["generation"].int ?? 0, isSkipped: line["skipped"].bool ?? false))
  }

  private func call(_ line: Value, _ number: Int) throws(HistoryError) -> EffectCall {
    let time = line["time"].double ?? 0
    if let name = line["asked"].string {
      return EffectCall(
        number: number, phase: .asked(name, isStream: line["stream"].bool ?? false), time: time)
    }
    return EffectCall(
      number: number, phase: .answered(try DependencyRead.Answer(line)), time: time)
  }

  private mutating func add(_ call: EffectCall) {
    if recording.entries.isEmpty {
      recording.calls.append(call)
    } else {
      recording.entries[recording.entries.count - 1].calls.append(call)
    }
  }

  /// Those after it are there no more when an entry takes their place.
  private mutating func go(to number: Int) throws(HistoryError) {
    guard number >= recording.base, number <= last else {
      throw HistoryError("there is no entry \(number) to go to")
    }
    recording.entries.removeAll { $0.number > number }
    recording.migrations = recording.migrations.filter { $0.key <= number }
    state = recording.finalState
  }

  private mutating func reload(_ line: Value, _ generation: Int) {
    recording.scripts.merge(line["scripts"].hashes) { $1 }
    guard let migrated = line.get("state") else { return }
    state = migrated
    if let last = recording.entries.last {
      recording.migrations[last.number] = migrated
    } else {
      recording.initialState = migrated
    }
  }
}

extension Value {
  fileprivate func get(_ key: String) -> Value? { object?[key] }

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
  /// One whose kind another version has and this has not is one of effects.
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

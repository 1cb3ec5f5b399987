import LuaBridge

extension Recording {
  /// Renders the recording as the source of a `_test.lua` file.
  ///
  /// The test sends the actions from outside, receives the actions of effects, and asserts the
  /// states. Doubles answer as the dependencies did. The test passes as long as the feature behaves
  /// as it did when it was recorded.
  ///
  /// Where a tool or a migration set the state, a further test begins with that state.
  ///
  /// - Parameter defaults: the feature's initial state: the test lists only the keys that differ
  ///   from it. Nil to list the whole state.
  public func testSource(defaults: Value?) -> String {
    RecordedTest(self, defaults: defaults).source
  }
}

extension ScriptHost {
  /// ``Recording/testSource(defaults:)`` with the feature's initial state as this host loads it.
  ///
  /// - Throws: if the feature cannot be loaded.
  public func testSource(of recording: Recording) throws(ScriptError) -> String {
    let defaults = try perform { (engine) throws(ScriptError) in
      try engine.initialState(of: recording.feature)
    }
    return recording.testSource(defaults: defaults)
  }
}

/// Renders a recording as a test file with one test per segment.
private struct RecordedTest {
  private let recording: Recording
  private let defaults: Value?
  /// The name of the Lua local that holds the feature.
  private let name: String

  init(_ recording: Recording, defaults: Value?) {
    self.recording = recording
    self.defaults = defaults
    name = Self.local(recording.feature)
  }

  /// The name of a module's local: `TwoCounters` for `case_studies.two_counters`.
  private static func local(_ module: String) -> String {
    let last = module.split(whereSeparator: { $0 == "." || $0 == "/" }).last { $0 != "lua" } ?? ""
    let words = last.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return name.first?.isLetter == true ? name : "Feature"
  }

  var source: String {
    let parts = segments
    let body = parts.enumerated().map { index, segment in
      let title = index == 0 ? "does what was recorded" : "goes on from entry \(segment.after)"
      var test = RecordedSegment(
        segment.entries, segment.state, name, sending: segment.sending)
      return test.source(title, defaults: defaults)
    }.joined(separator: "\n")
    var head = "local test = require \"scripted.test\"\n"
    if recording.holdsNull { head += "local null = require(\"scripted\").null\n" }
    head += "local \(name) = require \(LuaText.quoted(recording.feature))\n\n"
    return head + "describe(\"\(name)\", function()\n" + body + "end)\n"
  }

  private struct Segment {
    let after: Int
    let state: Value
    /// The features of effects that were in flight before this segment. Its test does not start
    /// them.
    let sending: Set<String>
    var entries: [HistoryEntry] = []
  }

  /// The parts of the recording in which each state follows from the one before. A state that a
  /// tool or a migration set begins the next part.
  private var segments: [Segment] {
    var running = Dictionary(
      recording.effects.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    var sending: Set<String> { Set(running.values.compactMap(\.feature)) }
    var all = [
      Segment(after: recording.base, state: recording.initialState, sending: sending)
    ]
    for entry in recording.entries {
      defer {
        for note in entry.started { running[note.number] = note }
        for note in entry.ended { running[note.number] = nil }
      }
      if entry.source == .edit {
        all.append(Segment(after: entry.number, state: entry.state, sending: sending))
      } else if !entry.isSkipped {
        all[all.count - 1].entries.append(entry)
      }
      if let migrated = recording.migrations[entry.number] {
        all.append(Segment(after: entry.number, state: migrated, sending: sending))
      }
    }
    let used = all.filter { !$0.entries.isEmpty }
    return used.isEmpty ? [all[0]] : used
  }
}

/// Renders one test.
private struct RecordedSegment {
  private let entries: [HistoryEntry]
  private let initial: Value
  private let name: String
  private let doubles: RecordedDoubles
  /// The features of effects that this test does not start. It sends the actions of these features
  /// itself instead of receiving them.
  private let sending: Set<String>
  private let usesClock: Bool
  private var lines: [String] = []
  /// Milliseconds since the recording began.
  private var now = 0
  private var inFlight: Set<Int> = []

  init(
    _ entries: [HistoryEntry], _ initial: Value, _ name: String, sending: Set<String>
  ) {
    self.entries = entries
    self.initial = initial
    self.name = name
    doubles = RecordedDoubles(entries)
    self.sending = sending
    usesClock = entries.contains { !$0.started.isEmpty || $0.source == .effect }
    now = entries.first.map { RecordedTime.milliseconds($0.time) } ?? 0
  }

  mutating func source(_ title: String, defaults: Value?) -> String {
    lines = ["it(\(LuaText.quoted(title)), function()"]
    if usesClock || doubles.waits { lines.append("  local clock = test.clock()") }
    lines += doubles.helpers.map { $0.isEmpty ? "" : "  " + $0 }
    addStore(defaults)
    lines.append("")
    var before = initial
    for entry in entries {
      add(entry, before)
      before = entry.state
    }
    if !inFlight.isEmpty {
      lines.append("")
      lines.append("  store:skipInFlightEffects { strict = false }")
    }
    lines.append("end)")
    return lines.map { line in
      line.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n") + "\n"
    }.joined()
  }

  /// The first part of a warning's message, without the suggested remedy and the source line.
  private static func beginning(of warning: RuntimeWarning) -> String {
    var text = Substring(warning.message).prefix { $0 != "\n" && $0 != ";" }
    if text.hasSuffix(")"), let open = text.lastIndex(of: "(") { text = text[..<open] }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  private mutating func addStore(_ defaults: Value?) {
    var options: [String] = []
    if let state = given(defaults) { options.append("state = \(LuaText.text(state)),") }
    options += doubles.options(hasClock: usesClock || doubles.waits)
    guard !options.isEmpty else {
      return lines.append("  local store = test.store(\(name))")
    }
    if options.count == 1, !options[0].contains("\n"), options[0].utf8.count < 70 {
      return lines.append("  local store = test.store(\(name), { \(options[0].dropLast()) })")
    }
    lines.append("  local store = test.store(\(name), {")
    lines += options.map { "    " + $0.indented(2) }
    lines.append("  })")
  }

  /// The state that the test store is given: the keys that differ from `defaults`, or the whole
  /// state if one of the two is not an object. Nil if nothing differs.
  private func given(_ defaults: Value?) -> Value? {
    guard initial != defaults else { return nil }
    guard let old = defaults?.object, let new = initial.object else { return initial }
    var changed = Value.Object()
    for (key, value) in new where old[key] != value { changed[key] = value }
    return .object(changed)
  }

  private mutating func add(_ entry: HistoryEntry, _ before: Value) {
    let isReceived =
      entry.source == .effect && entry.feature.map(sending.contains) != true
    let time = RecordedTime.milliseconds(entry.time)
    if time > now, isReceived || !inFlight.isEmpty {
      lines.append("  clock:advance(\(RecordedTime.seconds(time - now)))")
    }
    now = max(now, time)
    var statement = isReceived ? "store:receive(" : "store:send("
    statement += LuaText.action(entry.action)
    let changes = LuaChanges.lines(from: before, to: entry.state)
    let end = changes.isEmpty ? ")" : ", function(state)"
    var text = statement + end
    if changes.count == 1, statement.utf8.count + changes[0].utf8.count < 80,
      !changes[0].contains("\n")
    {
      text = "\(statement), function(state) \(changes[0]) end)"
    } else if !changes.isEmpty {
      let body = changes.map { "  " + $0.indented(1) }.joined(separator: "\n")
      text += "\n\(body)\nend)"
    }
    if let error = entry.error {
      let line = error.message.prefix { $0 != "\n" }
      text =
        "assert.error_matches(function()\n  \(text.indented(1))\nend, \(LuaText.quoted(LuaText.pattern(line))))"
    }
    if !entry.warnings.isEmpty {
      // `test.expectWarning` matches all warnings against one pattern. The empty one matches any.
      let message = entry.warnings.count == 1 ? Self.beginning(of: entry.warnings[0]) : ""
      text =
        "test.expectWarning(\(LuaText.quoted(message)), function()\n  \(text.indented(1))\nend)"
    }
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    inFlight.formUnion(entry.started.map(\.number))
    inFlight.subtract(entry.ended.map(\.number))
  }
}

extension Recording {
  /// Whether JSON's null occurs anywhere in the recording.
  fileprivate var holdsNull: Bool {
    jsonLines.contains("null")
  }
}

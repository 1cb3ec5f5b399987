import LuaBridge

extension Recording {
  /// A test that sends what was sent from outside, receives what effects sent, and asserts the states, with doubles for
  /// what dependencies answered: the text of a `_test.lua`. It passes as long as the feature does what it did.
  ///
  /// Where a tool or a migration has set the state, another test goes on from there.
  ///
  /// - Parameter defaults: the feature's initial state, of which nothing is repeated; nil to have all of it.
  public func testSource(defaults: Value?) -> String {
    RecordedTest(self, defaults: defaults).source
  }
}

extension ScriptHost {
  /// ``Recording/testSource(defaults:)`` for the feature as this host loads it.
  public func testSource(of recording: Recording) throws(ScriptError) -> String {
    let defaults = try perform { (engine) throws(ScriptError) in
      try engine.initialState(of: recording.feature)
    }
    return recording.testSource(defaults: defaults)
  }
}

/// Writes a recording as a test.
private struct RecordedTest {
  private let recording: Recording
  private let defaults: Value?
  /// The feature's local.
  private let name: String

  init(_ recording: Recording, defaults: Value?) {
    self.recording = recording
    self.defaults = defaults
    name = Self.local(recording.feature)
  }

  /// `case_studies.two_counters` is `TwoCounters`.
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
    /// The features of effects in flight that it does not start.
    let sending: Set<String>
    var entries: [HistoryEntry] = []
  }

  /// What happened between one state that nothing made and the next.
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

/// One test.
private struct RecordedSegment {
  private let entries: [HistoryEntry]
  private let initial: Value
  private let name: String
  private let doubles: RecordedDoubles
  /// The features whose effects the test does not start: it sends for them.
  private let sending: Set<String>
  private let usesClock: Bool
  private var lines: [String] = []
  /// In milliseconds, since the recording began.
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

  /// What a warning says first, without the remedy and the place.
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

  /// What the store is given beside the defaults.
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
      // One pattern is for all of them.
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
  /// Whether JSON's null is anywhere in it.
  fileprivate var holdsNull: Bool {
    jsonLines.contains("null")
  }
}

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
        segment.entries, segment.state, name, isFirst: index == 0, recording)
      return test.source(title, defaults: defaults)
    }.joined(separator: "\n")
    var head = "local test = require \"scripted.test\"\n"
    if recording.holdsNull { head += "local null = require(\"scripted\").null\n" }
    head += "local \(name) = require \(LuaText.quoted(recording.feature))\n\n"
    return head + "describe(\"\(name)\", function()\n" + body + "end)\n"
  }

  /// What happened between one state that nothing made and the next.
  private var segments: [(after: Int, state: Value, entries: [HistoryEntry])] {
    var all = [(after: recording.base, state: recording.initialState, entries: [HistoryEntry]())]
    for entry in recording.entries {
      if entry.source == .edit {
        all.append((entry.number, entry.state, []))
      } else if !entry.isSkipped {
        all[all.count - 1].entries.append(entry)
      }
      if let migrated = recording.migrations[entry.number] {
        all.append((entry.number, migrated, []))
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
  /// Whether what effects sent comes from effects that the test starts too.
  private let receives: Bool
  private let usesClock: Bool
  private var lines: [String] = []
  /// In milliseconds, since the recording began.
  private var now = 0
  private var inFlight: Set<Int> = []

  init(
    _ entries: [HistoryEntry], _ initial: Value, _ name: String, isFirst: Bool,
    _ recording: Recording
  ) {
    self.entries = entries
    self.initial = initial
    self.name = name
    doubles = RecordedDoubles(entries)
    receives = isFirst && recording.effects.isEmpty
    usesClock = entries.contains { !$0.started.isEmpty || $0.source == .effect }
    now = entries.first.map { RecordedTime.milliseconds($0.time) } ?? 0
  }

  mutating func source(_ title: String, defaults: Value?) -> String {
    lines = ["it(\(LuaText.quoted(title)), function()"]
    if usesClock || doubles.waits { lines.append("  local clock = test.clock()") }
    lines += doubles.helpers.map { "  " + $0 }
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

  private mutating func addStore(_ defaults: Value?) {
    var options: [String] = []
    if let state = given(defaults) { options.append("state = \(LuaText.text(state, 2)),") }
    options += doubles.options(hasClock: usesClock || doubles.waits)
    guard !options.isEmpty else {
      return lines.append("  local store = test.store(\(name))")
    }
    lines.append("  local store = test.store(\(name), {")
    lines += options.map { "    " + $0 }
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
    let isReceived = entry.source == .effect && receives
    let time = RecordedTime.milliseconds(entry.time)
    if time > now, isReceived || !inFlight.isEmpty {
      lines.append("  clock:advance(\(RecordedTime.seconds(time - now)))")
    }
    now = max(now, time)
    var statement = isReceived ? "store:receive(" : "store:send("
    statement += LuaText.action(entry.action, 1)
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
      let message = entry.warnings.count == 1 ? String(entry.warnings[0].message) : ""
      text =
        "test.expectWarning(\(LuaText.quoted(message)), function()\n  \(text.indented(1))\nend)"
    }
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    inFlight.formUnion(entry.started.map(\.number))
    inFlight.subtract(entry.ended.map(\.number))
  }
}

extension String {
  fileprivate func indented(_ levels: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: "  ", count: levels))
  }
}

extension Recording {
  /// Whether JSON's null is anywhere in it.
  fileprivate var holdsNull: Bool {
    jsonLines.contains("null")
  }
}

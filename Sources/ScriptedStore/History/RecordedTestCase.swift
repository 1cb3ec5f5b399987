import ScriptValue

/// Renders the test of one segment of a recording.
struct RecordedTestCase {
  private let segment: RecordedTest.Segment
  /// The name of the Lua local that holds the feature.
  private let name: String
  private let doubles: RecordedDoubles
  private let usesClock: Bool
  private var lines: [String] = []
  /// Milliseconds since the recording began.
  private var now: Int
  /// The numbers of the effects that the test has started and that have not ended.
  private var inFlight: Set<Int> = []

  init(_ segment: RecordedTest.Segment, of name: String) {
    self.segment = segment
    self.name = name
    let entries = segment.entries
    doubles = RecordedDoubles(entries)
    usesClock =
      doubles.waits || entries.contains { !$0.started.isEmpty || $0.source == .effect }
    now = entries.first.map { RecordedTime.milliseconds($0.time) } ?? 0
  }

  mutating func source(_ title: String, defaults: Value?) -> String {
    lines = ["it(\(LuaText.quoted(title)), function()"]
    if usesClock { lines.append("  local clock = test.clock()") }
    lines += doubles.helpers.map { $0.isEmpty ? "" : "  " + $0 }
    addStore(defaults)
    lines.append("")
    var before = segment.state
    for entry in segment.entries {
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
    options += doubles.options(hasClock: usesClock)
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
    guard segment.state != defaults else { return nil }
    guard let old = defaults?.object, let new = segment.state.object else { return segment.state }
    var changed = Value.Object()
    for (key, value) in new where old[key] != value { changed[key] = value }
    return .object(changed)
  }

  private mutating func add(_ entry: HistoryEntry, _ before: Value) {
    let isOfEffect =
      entry.source == .effect && entry.feature.map(segment.featuresInFlight.contains) != true
    let isStep = entry.source == .shared
    let time = RecordedTime.milliseconds(entry.time)
    if time > now, isOfEffect || !inFlight.isEmpty {
      lines.append("  clock:advance(\(RecordedTime.seconds(time - now)))")
    }
    now = max(now, time)
    if let given = segment.givenValues[entry.number] {
      let value = given.value.map { LuaText.text($0) } ?? "nil"
      lines.append("  store:shared(\(LuaText.quoted(given.field))):set(\(value.indented(1)))")
    }
    let action = isStep ? "\"shared\"" : LuaText.action(entry.action)
    let call = (isOfEffect || isStep ? "store:receive(" : "store:send(") + action
    let changes = LuaChanges.lines(from: before, to: entry.state)
    var text = "\(call))"
    if changes.count == 1, call.utf8.count + changes[0].utf8.count < 80, !changes[0].contains("\n")
    {
      text = "\(call), function(state) \(changes[0]) end)"
    } else if !changes.isEmpty {
      let body = changes.map { "  " + $0.indented(1) }.joined(separator: "\n")
      text = "\(call), function(state)\n\(body)\nend)"
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

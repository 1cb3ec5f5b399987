import ScriptValue

/// Renders the test of one segment of a recording.
struct ExportedTestCase {
  private let segment: ExportedTest.Segment
  /// The name of the Lua local that holds the feature.
  private let name: String
  private let doubles: ExportedDoubles
  private let usesClock: Bool
  private var lines: [String] = []
  private var statements: [Statement] = []
  /// The index of the last statement that lets something happen.
  private var driver = 0
  /// Nanoseconds since the recording began.
  private var now: Int
  /// Whether the test has started effects, so that it matters what time it is.
  private var hasEffects = false
  /// The effects that the test has started and that have not ended, by number.
  private var inFlight: [Int: EffectNote] = [:]
  /// The effects that were in flight before the test and have not ended.
  private var effectsBefore: [Int: EffectNote]
  /// The time of the last action, and whether the test has caused it: it has sent it for itself, or an
  /// effect that the test has started did.
  private var last: (time: Int, isOfTest: Bool)?

  /// - Parameter callable: the functions of dependencies that effects may call.
  init(_ segment: ExportedTest.Segment, of name: String, callable: [String]) {
    self.segment = segment
    self.name = name
    effectsBefore = segment.effectsBefore
    let entries = segment.entries
    let isDurable = segment.causes != nil
    let startsEffects = isDurable && (segment.isCut || entries.last?.started.isEmpty == false)
    doubles = ExportedDoubles(
      entries, endless: isDurable, unanswered: startsEffects ? callable : [])
    usesClock =
      doubles.waits || doubles.replacesClock || startsEffects
      || entries.contains { !$0.started.isEmpty || $0.durable?.alarms != nil }
      || !isDurable && entries.contains { !$0.ended.isEmpty || $0.source == .effect }
    now = entries.first.map { ExportedTime.nanoseconds($0.time) } ?? 0
  }

  mutating func source(_ title: String, defaults: Value?) -> String {
    lines = ["it(\(LuaText.quoted(title)), function()"]
    if usesClock { lines.append("  local clock = test.clock()") }
    lines += doubles.helpers.map { $0.isEmpty ? "" : "  " + $0 }
    addStore(defaults)
    lines.append("")
    var before = segment.state
    for entry in segment.entries where !entry.isSkipped {
      add(entry, before)
      before = entry.state
    }
    lines += statements.flatMap(\.lines)
    if segment.causes != nil {
      addEndOfDurable()
    } else if !inFlight.isEmpty || segment.entries.last?.ended.isEmpty == false {
      // In the test, what has ended after the last action has not: no time has passed since.
      lines.append("")
      if segment.isCut { lines.append("  store:skipReceivedActions { strict = false }") }
      lines.append("  store:skipInFlightEffects { strict = false }")
    }
    lines.append("end)")
    return lines.map { line in
      line.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n") + "\n"
    }.joined()
  }

  /// What the test leaves out of what goes on after its last action.
  private mutating func addEndOfDurable() {
    let entries = segment.entries
    var left: [String] = []
    if segment.isCut || entries.last?.started.isEmpty == false {
      left += ["skipReceivedActions", "skipInFlightEffects"]
    }
    if segment.isCut || entries.contains(where: { !$0.alarmChanges.added.isEmpty }) {
      left.append("skipAlarms")
    }
    if !left.isEmpty { lines.append("") }
    lines += left.map { "  store:\($0) { strict = false }" }
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
    if let defaults, JSONPatch.diff(from: defaults, to: segment.state).isEmpty { return nil }
    guard let old = defaults?.object, let new = segment.state.object else { return segment.state }
    var changed = Value.Object()
    for (key, value) in new
    where old[key].map({ !JSONPatch.diff(from: $0, to: value).isEmpty }) ?? true {
      changed[key] = value
    }
    return .object(changed)
  }

  private mutating func add(_ entry: HistoryEntry, _ before: Value) {
    let cause = segment.causes?[entry.number]
    let isOfEffect = cause?.isReceived ?? isReceived(entry)
    let isStep = entry.source == .shared
    var time = ExportedTime.nanoseconds(entry.time)
    if let cause {
      if cause.wait > 0 { drive("clock:advance(\(ExportedTime.seconds(cause.wait)))") }
    } else {
      // What an effect of before has sent comes before what the test's own effects send at that time.
      if entry.source == .effect, !isOfEffect, !inFlight.isEmpty { time -= 1000 }
      if time > now, isOfEffect || hasEffects {
        drive("clock:advance(\(ExportedTime.seconds(time - now)))")
      }
      now = max(now, time)
      hasEffects = hasEffects || isOfEffect || !entry.started.isEmpty
    }
    if let given = segment.givenValues[entry.number] {
      let value = given.value.map { LuaText.text($0) } ?? "nil"
      drive("store:shared(\(LuaText.quoted(given.field))):set(\(value))")
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
    if isOfEffect || isStep {
      statements.append(Statement(text: text))
    } else {
      drive(text)
    }
    // What an effect sends is reduced during the statement before, which is where a test is warned.
    statements[driver].warnings += entry.warnings
    for note in entry.started { inFlight[note.number] = note }
    for note in entry.ended {
      inFlight[note.number] = nil
      effectsBefore[note.number] = nil
    }
    last = (time, isOfEffect || entry.source != .effect)
  }

  /// Adds a statement that lets something happen. The statements behind it say what that was.
  private mutating func drive(_ text: String) {
    driver = statements.count
    statements.append(Statement(text: text))
  }

  /// Whether the test receives an action, because an effect sends it that the test has started. A
  /// recording names the feature whose effect has sent it, but not the effect. Of a feature with
  /// effects of both kinds in flight, it is the one that ends with the action; if none does, one that
  /// the test has started. With none of the test in flight, it is an effect that sends at once, if it
  /// has sent at the time of the action before.
  private func isReceived(_ entry: HistoryEntry) -> Bool {
    guard entry.source == .effect else { return false }
    guard effectsBefore.values.contains(where: { $0.feature == entry.feature }) else { return true }
    let ended = entry.ended.filter { $0.feature == entry.feature }
    let hasEndedBefore = ended.contains { effectsBefore[$0.number] != nil }
    if hasEndedBefore != ended.contains(where: { inFlight[$0.number] != nil }) {
      return !hasEndedBefore
    }
    if inFlight.values.contains(where: { $0.feature == entry.feature }) { return true }
    return last.map { $0.time == ExportedTime.nanoseconds(entry.time) && $0.isOfTest } ?? false
  }
}

/// A statement of the test, and the warnings that it causes.
private struct Statement {
  var text: String
  var warnings: [RuntimeWarning] = []

  var lines: [String] {
    var text = text
    if !warnings.isEmpty {
      // `test.expectWarning` matches all warnings against one pattern. The empty one matches any.
      let message = warnings.count == 1 ? Self.beginning(of: warnings[0]) : ""
      text =
        "test.expectWarning(\(LuaText.quoted(message)), function()\n  \(text.indented(1))\nend)"
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
  }

  /// The first part of a warning's message, without the suggested remedy and the source line.
  private static func beginning(of warning: RuntimeWarning) -> String {
    var text = Substring(warning.message).prefix { $0 != "\n" && $0 != ";" }
    if text.hasSuffix(")"), let open = text.lastIndex(of: "(") { text = text[..<open] }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

enum ExportedTime {
  /// Times above 1e9 s count as 1e9 s.
  static func nanoseconds(_ time: Duration) -> Int {
    let seconds = time / .seconds(1)
    return Int((max(0, min(seconds, 1e9)) * 1_000_000_000).rounded())
  }

  static func seconds(_ nanoseconds: Int) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1_000_000_000)"
  }
}

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
  /// Whether its last action may start effects of which the recording has no answers.
  private let startsOthers: Bool
  /// The numbers of the effects that the test has started and that have not ended.
  private var inFlight: Set<Int> = []
  /// The alarms that the test has set and that are still set.
  private var alarms: Set<AlarmNote.Key> = []
  /// Whether the time of one of them had come when it was set. It rings as soon as the clock is advanced, by whatever time.
  private var hasDueAlarm = false

  /// - Parameter callable: the functions of dependencies that effects may call.
  init(_ segment: ExportedTest.Segment, of name: String, callable: [String]) {
    self.segment = segment
    self.name = name
    let (entries, isDurable) = (segment.entries, segment.isDurable)
    startsOthers =
      entries.last?.hasOtherEffects == true
      || isDurable && (segment.isCut || entries.last?.started.isEmpty == false)
    doubles = ExportedDoubles(
      entries, without: segment.effectsBefore, endless: isDurable || startsOthers,
      unanswered: startsOthers ? callable : [])
    usesClock =
      doubles.waits || doubles.replacesClock || startsOthers
      || entries.contains { !$0.started.isEmpty || $0.alarms != nil }
      || !isDurable && entries.contains { !$0.ended.isEmpty || $0.source == .effect }
  }

  /// - Parameters:
  ///   - defaults: the feature's initial state; nil if it has none, or none that is known.
  ///   - listsAll: whether the test says all keys of the state with which it begins, not only those that differ from `defaults`.
  mutating func source(_ title: String, defaults: Value?, listsAll: Bool) -> String {
    lines = ["it(\(LuaText.quoted(title)), function()"]
    if usesClock { lines.append("  local clock = test.clock()") }
    lines += doubles.helpers.map { $0.isEmpty ? "" : "  " + $0 }
    addStore(given(defaults, listsAll))
    lines.append("")
    var before = segment.state
    for entry in segment.entries where !entry.isSkipped {
      add(entry, before)
      before = entry.state
    }
    lines += statements.flatMap(\.lines)
    addEnd()
    lines.append("end)")
    return lines.map { line in
      line.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n") + "\n"
    }.joined()
  }

  /// What the test leaves out of what goes on after its last action.
  private mutating func addEnd() {
    let end = segment.entries.last
    // In the test, what has ended after the last action has not: no time has passed since.
    let goesOn =
      segment.isDurable
      ? end?.started.isEmpty == false : !inFlight.isEmpty || end?.ended.isEmpty == false
    // Effects of the test may send more than it receives, and so may a reducer if the last action was skipped.
    let isCut =
      segment.isCut
      && (startsOthers || segment.isDurable || segment.hasEffects || end?.isSkipped == true)
    var left: [String] = []
    if isCut || goesOn && segment.isDurable { left.append("skipReceivedActions") }
    if isCut || goesOn { left.append("skipInFlightEffects") }
    if isCut || !alarms.isEmpty { left.append("skipAlarms") }
    if !left.isEmpty { lines.append("") }
    lines += left.map { "  store:\($0) { strict = false }" }
  }

  /// - Parameter state: the option `state`; nil for none.
  private mutating func addStore(_ state: String?) {
    var options = state.map { ["state = \($0),"] } ?? []
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

  /// The option `state` of the test store; nil if the store begins with `defaults`. A table is laid over them. Where that would
  /// leave something that the state does not have, a function changes them.
  private func given(_ defaults: Value?, _ listsAll: Bool) -> String? {
    let state = segment.state
    guard let defaults else { return LuaText.text(state) }
    if !listsAll, JSONPatch.diff(from: defaults, to: state).isEmpty { return nil }
    guard let old = defaults.object, let new = state.object else {
      if let old = defaults.array, let new = state.array, new.count >= old.count {
        return LuaText.text(state)
      }
      return change(LuaChanges.lines(from: defaults, to: state))
    }
    let changed = new.filter { key, value in
      listsAll || old[key].map { !JSONPatch.diff(from: $0, to: value).isEmpty } ?? true
    }
    let absent = old.keys.filter { new[$0] == nil }
    // Only the order of the keys differs, which no table in a test can give.
    if !listsAll, changed.isEmpty, absent.isEmpty { return nil }
    if absent.isEmpty { return LuaText.text(.object(Value.Object(changed))) }
    return change(
      absent.map { "state\(LuaText.member($0)) = nil" }
        + changed.map { "state\(LuaText.member($0.key)) = \(LuaText.text($0.value))" })
  }

  /// A function that changes the initial state by these statements.
  private func change(_ lines: [String]) -> String {
    if lines.count == 1, lines[0].utf8.count < 40, !lines[0].contains("\n") {
      return "function(state) \(lines[0]) end"
    }
    return "function(state)\n" + lines.map { "  \($0.indented(1))\n" }.joined() + "end"
  }

  private mutating func add(_ entry: HistoryEntry, _ before: Value) {
    guard let (isOfEffect, wait) = segment.causes[entry.number].map({ ($0.isReceived, $0.wait) })
    else { return }
    let isStep = entry.source == .shared
    if wait > 0 || hasDueAlarm && segment.rings[entry.number] == true {
      drive("clock:advance(\(ExportedTime.seconds(wait)))")
      hasDueAlarm = false
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
      let line = LuaText.withoutLines(error.message.prefix { $0 != "\n" })
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
    for (note, isAtOnce) in entry.failures
    where isAtOnce && !segment.effectsBefore.contains(note.number) {
      statements[driver].warnings.append(
        RuntimeWarning(
          kind: .effectError,
          message: "an effect\(note.feature.map { " of \($0)" } ?? "") failed", origin: note.origin,
          action: nil))
    }
    let alarmChanges = entry.alarmChanges
    alarms.subtract(alarmChanges.removed)
    for note in alarmChanges.added {
      alarms.insert(note.key)
      if ExportedTime.wait(for: note) == 0 { hasDueAlarm = true }
    }
    inFlight.formUnion(entry.started.map(\.number))
    inFlight.subtract(entry.ended.map(\.number))
  }

  /// Adds a statement that lets something happen. The statements behind it say what that was.
  private mutating func drive(_ text: String) {
    driver = statements.count
    statements.append(Statement(text: text))
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
      let message = warnings.count == 1 ? Self.fact(of: warnings[0]) : ""
      text =
        "test.expectWarning(\(LuaText.quoted(message)), function()\n  \(text.indented(1))\nend)"
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
  }

  /// What happened, of a warning's message: without the reason, the remedy and the line of the script.
  private static func fact(of warning: RuntimeWarning) -> Substring {
    var text = warning.message.prefix { $0 != "\n" && $0 != ";" }
    if let end = text.firstRange(of: ". ") { text = text[..<end.lowerBound] }
    if text.hasSuffix(")"), let open = text.lastIndex(of: "(") { text = text[..<open] }
    return LuaText.withoutLines(text)
  }
}

enum ExportedTime {
  /// Times above 1e9 s count as 1e9 s.
  static func nanoseconds(_ time: Duration) -> Int {
    let seconds = time / .seconds(1)
    return Int((max(0, min(seconds, 1e9)) * 1_000_000_000).rounded())
  }

  /// How long an alarm waits, in microseconds rounded up, which is what a clock counts.
  static func wait(for note: AlarmNote) -> Int {
    Int((min(max(0, note.seconds), 1e9) * 1_000_000).rounded(.up)) * 1000
  }

  static func seconds(_ nanoseconds: Int) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1_000_000_000)"
  }
}

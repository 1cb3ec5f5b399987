import LuaBridge
import RunnerShared
import ScriptedStore

/// Formats actions, warnings and lists for the console.
struct ConsoleText {
  let style: TextStyle

  // MARK: Actions

  /// A title line such as `3 increment { by = 2 }`, then the state change and the warnings.
  ///
  /// - Parameter hasEntry: whether the history has it, so that its number is one to go to.
  func action(_ record: ActionRecord, hasEntry: Bool) -> TerminalText {
    let title =
      hasEntry
      ? title(
        record.number, record.action, from: record.source, of: record.feature,
        in: record.transaction)
      : style.title(record.action, record.source, of: record.feature, in: record.transaction)
        + style.dim("  -- no record")
    let change = change(from: record.before, to: record.after, record.error)
    return lines(title, change, record.warnings, isRefused: record.error != nil)
  }

  func entry(_ entry: HistoryEntry, before: Value) -> TerminalText {
    let title = title(of: entry)
    let mark = entry.isSkipped ? style.dim("  -- skipped") : ""
    let change = change(from: before, to: entry.state, entry.error)
    return lines(title + mark, change, entry.warnings, isRefused: entry.error != nil)
  }

  func title(of entry: HistoryEntry) -> TerminalText {
    title(
      entry.number, entry.action, from: entry.source, of: entry.feature, in: entry.transaction)
  }

  private func title(
    _ number: Int, _ action: Action, from source: ActionRecord.Source, of feature: String?,
    in transaction: Value?
  ) -> TerminalText {
    "\(style.dim("\(number)")) \(style.title(action, source, of: feature, in: transaction))"
  }

  /// Warnings stand before an error, since they often tell its cause: an action for a child that is
  /// absent makes the parent's handler fail.
  private func lines(
    _ title: TerminalText, _ change: TerminalText, _ warnings: [RuntimeWarning], isRefused: Bool
  ) -> TerminalText {
    let warnings = warnings.map { style.yellow("  " + TerminalText($0)) }
    return ([title] + (isRefused ? warnings + [change] : [change] + warnings))
      .joined(separator: "\n")
  }

  private func change(from before: Value, to after: Value, _ error: ScriptError?) -> TerminalText {
    if let error { return style.red(shifted("raised, rolled back: \(Self.described(error))")) }
    return difference(from: before, to: after) ?? style.dim("  -- nothing changed")
  }

  /// The error, with its code in front if it has one.
  private static func described(_ error: ScriptError) -> TerminalText {
    error.code == nil ? "\(describe(error))" : TerminalText(error)
  }

  func difference(from before: Value, to after: Value) -> TerminalText? {
    TerminalText(from: before, to: after, style)
  }

  // MARK: What else comes up

  func warning(_ warning: RuntimeWarning) -> TerminalText {
    var lines: [TerminalText] = []
    if warning.kind == .effectError {
      lines.append(style.red(TerminalText(warning)))
      if let traceback = warning.traceback.map(ScriptPaths.inMessage) {
        lines.append(style.dim(shifted("\(traceback)")))
      }
    } else {
      lines.append(style.yellow(TerminalText(warning)))
    }
    if let effect = warning.effectText { lines.append(style.dim("  \(effect)")) }
    return lines.joined(separator: "\n")
  }

  func printed(_ line: String) -> TerminalText { "\(style.cyan("│ "))\(line)" }

  func failure(_ message: TerminalText) -> TerminalText { style.red("error: \(message)") }

  func note(_ text: TerminalText) -> TerminalText { style.dim(text) }

  // MARK: Lists

  func effects(_ effects: [EffectDescription], _ alarms: [AlarmDescription]) -> TerminalText {
    guard !effects.isEmpty || !alarms.isEmpty else { return style.dim("no effect is in flight") }
    let inFlight = effects.enumerated().map { number, effect -> TerminalText in
      "\(style.dim("\(number + 1)")) \(effect)"
    }
    let set = alarms.map { alarm -> TerminalText in "\(style.dim("-")) \(alarm)" }
    return (inFlight + set).joined(separator: "\n")
  }

  func calls(_ calls: [DependencyCall]) -> TerminalText {
    guard !calls.isEmpty else { return style.dim("  -- no dependency was called") }
    return calls.map { call -> TerminalText in
      let line = "  \(call.text(width: Self.valueWidth))"
      return call.answer?.isError == true ? style.red("\(ScriptPaths.inMessage(line))") : "\(line)"
    }.joined(separator: "\n")
  }

  /// - Parameter showsTime: whether the times are shown, which are others in each run.
  func viewRuns(_ report: ViewRunReport, showsTime: Bool) -> TerminalText {
    func time(_ duration: Duration) -> String {
      showsTime ? "  \((duration / .microseconds(1)).rounded() / 1000) ms" : ""
    }
    let whole = time(report.runs.reduce(.zero) { $0 + $1.duration })
    let ran = count(report.runs.count, "view") + " ran"
    let title: TerminalText = report.action == 0 ? "\(ran)" : "\(ran) for action \(report.action)"
    let lines = report.runs.map { run -> TerminalText in
      "  \(run.place.isEmpty ? "the root" : run.place)\(style.dim("\(time(run.duration))"))"
    }
    return ([title + style.dim("\(whole)")] + lines).joined(separator: "\n")
  }

  /// The columns that a value may take.
  static let valueWidth = 100

  func shared(_ values: [SharedValueListing]) -> TerminalText {
    guard !values.isEmpty else {
      return style.dim(
        "no value is shared; a feature shares a field of its state with shared = { count = scripted.shared.inMemory(\"count\", 0) }"
      )
    }
    return values.map { shared -> TerminalText in
      let value = shared.value.map { ValuePreview.text(of: $0, width: Self.valueWidth) } ?? "nil"
      let places = shared.places.joined(separator: ", ")
      var lines: [TerminalText] = [
        "\(style.bold("\(shared.key)")) is \(value)",
        style.dim(places.isEmpty ? "  in no field of the state" : "  in \(places)"),
      ]
      lines += shared.failures.map {
        style.red("  \($0.field): \($0.file): \(ScriptPaths.inMessage($0.message)) (\($0.code))")
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  func help() -> TerminalText {
    let width = ConsoleCommand.all.map(\.call.count).max() ?? 0
    let commands = ConsoleCommand.all.map { command -> TerminalText in
      let gap = String(repeating: " ", count: width + 2 - command.call.count)
      let short = command.short.map { style.dim("  :\($0)") } ?? ""
      return "  \(style.bold("\(command.call)"))\(gap)\(command.summary)\(short)"
    }
    return (Self.introduction + commands).joined(separator: "\n")
  }

  private static let introduction: [TerminalText] = [
    "An action is a path, with a payload in Lua or JSON behind it:",
    "  increment        todos[3].rename { title = \"Milk\" }        {\"type\": \"increment\", \"by\": 2}",
    "Commands begin with a colon:",
  ]

  // MARK: Text

  /// Indents every line, including empty ones.
  func shifted(_ text: TerminalText) -> TerminalText {
    text.lines.map { "  " + $0 }.joined(separator: "\n")
  }
}

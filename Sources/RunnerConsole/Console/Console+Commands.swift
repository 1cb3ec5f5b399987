import LuaBridge
import Platform
import RunnerShared
import ScriptValue
import ScriptView
import ScriptedStore

extension Console {
  func perform(_ name: String, _ argument: String) throws(ConsoleFailure) {
    guard let command = ConsoleCommand.named(name) else {
      throw ConsoleFailure("there is no command :\(name); \(Self.advice(instead: name))")
    }
    if command.usage.isEmpty && !argument.isEmpty {
      throw ConsoleFailure(":\(command.name) takes nothing behind it")
    }
    switch command.name {
    case "state": try showState(at: argument)
    case "set": try set(argument)
    case "browse": throw ConsoleFailure(":browse needs a terminal; :state prints the state")
    case "screen": throw ConsoleFailure(":screen needs a terminal; :view prints the screen")
    case "view": try view(argument)
    case "views": try showViewRuns()
    case "tree": say("\(tree.displayed.description)")
    case "shared": showShared()
    case "effects": showEffects()
    case "cancel": try cancel(argument)
    case "warnings": showWarnings()
    case "log": try showLog(last: argument)
    case "diff": try showChange(of: argument)
    case "calls": try showCalls(of: argument)
    case "go": try go(to: argument)
    case "step": try step(by: argument)
    case "undo": try step(by: "-1")
    case "reset": try reset()
    case "skip": try skip(argument, true)
    case "unskip": try skip(argument, false)
    case "replay": try replay(from: argument)
    case "lock": lock(true)
    case "unlock": lock(false)
    case "clock": showClock()
    case "wait": try wait(argument)
    case "reload": try reload()
    case "record": try record(into: argument)
    case "export-test": try exportTest(into: argument)
    default: try help(argument)
    }
  }

  /// What to type in place of a command that there is not: those that begin so, or the nearest one.
  private static func advice(instead name: String) -> String {
    let begun = ConsoleCommand.names.filter { $0.hasPrefix(name) }.map { ":\($0)" }
    if !begun.isEmpty { return "did you mean \(begun.joined(separator: " or "))?" }
    if let command = ConsoleCommand.named(elsewhere: name) { return "did you mean :\(command)?" }
    let nearest = Suggestion.nearest(to: name, in: ConsoleCommand.names)
    return nearest.map { "did you mean :\($0)?" } ?? ":help lists them"
  }

  private func help(_ name: String) throws(ConsoleFailure) {
    if name.isEmpty { return say(text.help()) }
    let name = name.hasPrefix(":") ? String(name.dropFirst()) : name
    guard let command = ConsoleCommand.named(name) else {
      throw ConsoleFailure("there is no command :\(name); :help lists them")
    }
    say("\(command.call)\n  \(command.summary)")
  }

  // MARK: State

  private func showState(at text: String) throws(ConsoleFailure) {
    let path = try StatePath.path(text)
    guard let value = store.state.get(path) else {
      throw ConsoleFailure("there is nothing at \(text)")
    }
    sayAtMost(LuaLayout().text(of: value))
  }

  /// Prints at most `lineLimit` lines, so that a large state does not scroll everything else off
  /// the terminal.
  ///
  /// - Parameter remedy: how the rest can be seen; it follows the number of lines that are left out.
  func sayAtMost(
    _ text: String, _ remedy: TerminalText = "; :state PATH shows a part, F2 all of it to fold"
  ) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let lineLimit, lines.count > lineLimit else { return say("\(text)") }
    say("\(lines.prefix(lineLimit).joined(separator: "\n"))")
    say(self.text.note("-- \(lines.count - lineLimit) more lines\(remedy)"))
  }

  private func set(_ argument: String) throws(ConsoleFailure) {
    // A table without a path before it replaces the whole state.
    let (target, rest) = argument.hasPrefix("{") ? ("", argument) : StatePath.split(argument)
    guard !rest.isEmpty else { throw ConsoleFailure("give a path and a value: :set count 3") }
    try ConsoleFailure.catching { try history.set(rest, at: target) }
  }

  private func showShared() {
    say(text.shared(host.sharedValues(shownBy: store)))
  }

  // MARK: Effects

  private func showEffects() {
    let effects = store.numberedEffects
    listed = effects.map(\.number)
    say(text.effects(effects.map(\.description), store.alarms))
  }

  private func cancel(_ argument: String) throws(ConsoleFailure) {
    let effects = store.numberedEffects
    if argument == "all" {
      for effect in effects { cancel(effect) }
      if effects.isEmpty { say(text.note("no effect is in flight")) }
      return
    }
    if argument.isEmpty {
      guard effects.count == 1 else {
        throw ConsoleFailure(
          effects.isEmpty
            ? "no effect is in flight"
            : "\(effects.count) effects are in flight; :effects lists them, :cancel N ends one")
      }
      return cancel(effects[0])
    }
    if listed.isEmpty { listed = effects.map(\.number) }
    guard let row = Int(argument), row >= 1, row <= listed.count else {
      throw ConsoleFailure("there is no effect \(argument) in the list of :effects")
    }
    guard let effect = effects.first(where: { $0.number == listed[row - 1] }) else {
      throw ConsoleFailure("effect \(row) has ended")
    }
    cancel(effect)
  }

  private func cancel(_ effect: (number: UInt64, description: EffectDescription)) {
    guard store.cancelEffect(effect.number) else { return }
    say(text.note("cancelled \(effect.description)"))
  }

  private func showWarnings() {
    say(
      warnings.isEmpty
        ? text.note("no warnings") : warnings.map(text.warning).joined(separator: "\n"))
  }

  // MARK: Time

  private func showClock() {
    if let clock {
      say(
        "\(clock.now / .seconds(1)) s have passed on the virtual clock; :wait SECONDS lets more pass"
      )
    } else {
      say("time passes by itself; --clock virtual stops it")
    }
  }

  private func wait(_ argument: String) throws(ConsoleFailure) {
    guard let seconds = Double(argument), InputLine.waits.contains(seconds) else {
      throw ConsoleFailure("say how many seconds, at most 1e15: :wait 1.5")
    }
    guard let clock else {
      // Events are shown during the wait, not after it.
      let end = ContinuousClock().now + .seconds(seconds)
      while ContinuousClock().now < end && !Interruption.isRequested {
        Interruption.wait(atMost: (end - ContinuousClock().now) / .seconds(1)) { !events.isEmpty }
        showEvents()
      }
      return
    }
    clock.pass(seconds)
  }
}

/// Commands for time travel.
extension Console {
  func showLog(last argument: String) throws(ConsoleFailure) {
    let count = try number(argument, or: 20)
    guard count > 0 else { throw ConsoleFailure("say how many actions: :log 20") }
    let (numbers, reachable) = (history.numbers, history.firstReachable)
    guard !numbers.isEmpty else { return say(text.note("no actions yet")) }
    let first = max(numbers.lowerBound, numbers.upperBound - min(count, numbers.count))
    for entry in history.entries(first...numbers.upperBound - 1) {
      let mark: TerminalText = entry.number == history.position ? text.style.cyan("▸ ") : "  "
      say(mark + line(entry))
      if entry.number == reachable {
        say(
          text.note(
            "  -- a reload changed the state here: :go \(reachable) is as far back as it goes"
          ))
      }
    }
  }

  /// An entry on one line, without the state change.
  func line(_ entry: HistoryEntry) -> TerminalText {
    var line = text.title(of: entry)
    if entry.error != nil { line += text.style.red("  -- raised") }
    if entry.isSkipped { line += text.style.dim("  -- skipped") }
    return line
  }

  func showChange(of argument: String) throws(ConsoleFailure) {
    let number = try number(argument, or: history.position)
    guard let entry = history[number] else {
      throw ConsoleFailure(number == 0 ? "no action is before the first" : missing(number))
    }
    say(text.entry(entry, before: state(before: number)))
  }

  func showCalls(of argument: String) throws(ConsoleFailure) {
    let number = try number(argument, or: history.position)
    let isThere = number == history.numbers.lowerBound - 1 || history[number] != nil
    guard isThere else { throw ConsoleFailure(missing(number)) }
    let title = history[number].map { line($0) } ?? text.note("the beginning")
    say("\(title)\n\(text.calls(history.calls(of: number)))")
  }

  func state(before number: Int) -> Value { history[number - 1]?.state ?? history.initialState }

  private func missing(_ number: Int) -> String {
    let numbers = history.numbers
    return "there is no action \(number); "
      + (numbers.isEmpty
        ? "none happened yet" : "there are \(numbers.lowerBound) to \(history.last)")
  }

  func go(to argument: String) throws(ConsoleFailure) {
    guard let number = Int(argument) else { throw ConsoleFailure("say to which action: :go 3") }
    try travel { () throws(ConsoleFailure) in
      try reaching(number, by: "go", from: history.firstReachable) { try history.go(to: number) }
    }
  }

  func step(by argument: String) throws(ConsoleFailure) {
    let steps = try number(argument, or: 1)
    try travel { () throws(ConsoleFailure) in
      try ConsoleFailure.catching { try history.step(by: steps) }
    }
  }

  /// Moves the store in its history, then prints the new position and how the state differs.
  private func travel(
    _ move: () throws(ConsoleFailure) -> Void
  ) throws(ConsoleFailure) {
    let before = store.state
    try move()
    let position = history.position
    let entry = history[position].map { line($0) } ?? text.note("the beginning")
    say("\(text.style.cyan("\(place):")) \(entry)")
    sayChange(from: before)
  }

  private func sayChange(from before: Value) {
    say(text.difference(from: before, to: store.state) ?? text.note("  -- nothing changed"))
  }

  /// What has changed is shown as an action.
  func reset() throws(ConsoleFailure) {
    try ConsoleFailure.catching { try host.reset() }
  }

  func skip(_ argument: String, _ isSkipped: Bool) throws(ConsoleFailure) {
    guard let number = Int(argument) else { throw ConsoleFailure("say which action: :skip 3") }
    let before = store.state
    let command = isSkipped ? "skip" : "unskip"
    _ = try reaching(number, by: command, from: history.firstReachable + 1) {
      try history.skip(number, isSkipped)
    }
    say(
      text.note(
        "\(isSkipped ? "without" : "with") action \(number), \(reducedAnew(from: number))"))
    sayChange(from: before)
  }

  func replay(from argument: String) throws(ConsoleFailure) {
    let numbers = history.numbers
    let first = max(numbers.lowerBound, history.firstReachable + 1)
    let number = try number(argument, or: first)
    if argument.isEmpty, !isDurable {
      guard !numbers.isEmpty else { return say(text.note("no actions yet")) }
      if first > numbers.lowerBound {
        let reach: TerminalText =
          first < numbers.upperBound
          ? "only from action \(first) on" : "no action can be reduced anew"
        say(text.note("\(reach), because a reload has changed the state after action \(first - 1)"))
        guard first < numbers.upperBound else { return }
      }
    }
    let report = try reaching(number, by: "replay", from: first) {
      try history.replay(from: number)
    }
    if let difference = report.difference {
      say(
        "\(reducedAnew(from: number)), with another result from here on:\n"
          + TerminalText(of: difference, text.style))
    } else {
      say(text.note("\(reducedAnew(from: number)), with the same result"))
    }
  }

  /// How many entries a replay has reduced: those that are skipped are left out, and what a tool has set stays.
  private func reducedAnew(from number: Int) -> TerminalText {
    let entries = history.entries(number...max(number, history.last))
    let reduced = entries.count { !$0.isSkipped && $0.source != .edit }
    return "\(count(reduced, "action")) reduced anew"
  }

  /// Does what a command asks of an action. If a reload has changed the state since, the failure says what to type.
  ///
  /// - Parameter first: the first number that the command can be given.
  private func reaching<Result>(
    _ number: Int, by command: String, from first: Int, _ body: () throws -> Result
  ) throws(ConsoleFailure) -> Result {
    do throws(ConsoleFailure) {
      return try ConsoleFailure.catching(body)
    } catch {
      let numbers = history.numbers
      guard !isDurable, number >= numbers.lowerBound - 1, number < first else { throw error }
      let remedy =
        first <= history.last
        ? "the first that works is :\(command) \(first)"
        : "no action has happened since"
      throw ConsoleFailure("\(error); \(remedy)")
    }
  }

  func lock(_ isLocked: Bool) {
    history.isLocked = isLocked
    say(
      text.note(
        isLocked ? "locked: what is sent is dropped until :unlock" : "actions are taken again"))
  }

  // MARK: Arguments

  private func number(_ argument: String, or standard: Int) throws(ConsoleFailure) -> Int {
    if argument.isEmpty { return standard }
    guard let number = Int(argument) else { throw ConsoleFailure("\(argument) is no number") }
    return number
  }
}

extension Console {
  /// Shows the screen, or says whether it is shown whenever it changes.
  func view(_ argument: String) throws(ConsoleFailure) {
    switch argument {
    case "", "on":
      let screen = try openedScreen()
      if argument == "on" { screen.watch(events) }
      showScreen(screen)
    case "off":
      guard screen != nil else { throw ConsoleFailure("the screen is not shown; :view shows it") }
      screen = nil
    default: throw ConsoleFailure("say :view, :view on or :view off")
    }
  }

  private func openedScreen() throws(ConsoleFailure) -> ConsoleScreen {
    guard store.hasView else { throw ConsoleFailure(missingView(tree)) }
    if let screen { return screen }
    let new = ConsoleScreen(store, columns: columns())
    screen = new
    // Nodes with `task` and `onAppear` send their actions now, which may change the screen.
    settle()
    showEvents()
    return new
  }

  func showViewRuns() throws(ConsoleFailure) {
    let screen = try openedScreen()
    guard let report = screen.lastRuns else { return say(text.note("no view has run")) }
    say(text.viewRuns(report, showsTime: clock == nil))
    if report.action < history.position {
      say(text.note("  -- none for action \(history.position)"))
    }
  }

  /// Shows the screen if it is another one than the one that was shown last.
  func showChangedScreen() {
    if let screen, screen.hasChanged { showScreen(screen) }
  }

  private func showScreen(_ screen: ConsoleScreen) {
    sayAtMost(screen.drawing(columns: columns()), "")
    for failure in screen.takeFailures() { fail(TerminalText(failure)) }
  }
}

/// Commands that write files.
extension Console {
  func record(into path: String) throws(ConsoleFailure) {
    guard !path.isEmpty else {
      guard let recording else { throw ConsoleFailure("say into which file: :record FILE") }
      return say("recording into \(recording.path)")
    }
    do {
      let new = try RecordingFile(path, of: history)
      if let failure = closeRecording() { say(text.failure("\(failure)")) }
      recording = new
      say(text.note("recording into \(path)"))
    } catch {
      throw ConsoleFailure("\(error)")
    }
  }

  /// Closes the recording, if there is one. Returns the reason if it could not be written
  /// completely.
  func closeRecording() -> String? {
    guard let recording else { return nil }
    self.recording = nil
    return recording.close()
  }

  /// Exports the history as a test. The file must not exist yet.
  func exportTest(into path: String) throws(ConsoleFailure) {
    guard !path.isEmpty else {
      throw ConsoleFailure("say into which file: :export-test \(name)_test.lua")
    }
    let source = try ConsoleFailure.catching {
      try host.testSource(of: Recording(jsonLines: history.export()))
    }
    do throws(FileFault) {
      try WholeFile.create(Array(source.utf8), at: path)
    } catch {
      throw ConsoleFailure(WholeFile.refusal(of: error, at: path))
    }
    say(text.note("wrote \(path)"))
  }
}

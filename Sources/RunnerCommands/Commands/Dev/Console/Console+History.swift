import ScriptValue
import ScriptedStore

/// Commands for time travel.
extension Console {
  func showLog(last argument: String) throws(ConsoleFailure) {
    let count = try number(argument, or: 20)
    let numbers = history.numbers
    guard !numbers.isEmpty, count > 0 else { return say(text.note("no actions yet")) }
    let first = max(numbers.lowerBound, numbers.upperBound - count)
    say(
      history.entries(first...numbers.upperBound - 1).map { entry in
        let mark: TerminalText = entry.number == history.position ? text.style.cyan("▸ ") : "  "
        return mark + line(entry)
      }.joined(separator: "\n"))
  }

  /// An entry on one line, without the state change.
  func line(_ entry: HistoryEntry) -> TerminalText {
    var line = text.title(
      entry.number, entry.action, entry.source, entry.feature, entry.transaction)
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

  func state(before number: Int) -> Value { history[number - 1]?.state ?? history.initialState }

  private func missing(_ number: Int) -> String {
    let numbers = history.numbers
    return "there is no action \(number); "
      + (numbers.isEmpty
        ? "none happened yet" : "there are \(numbers.lowerBound) to \(numbers.upperBound - 1)")
  }

  func go(to argument: String) throws(ConsoleFailure) {
    guard let number = Int(argument) else { throw ConsoleFailure("say to which action: :go 3") }
    try travel { try history.go(to: number) }
  }

  func step(by argument: String) throws(ConsoleFailure) {
    let steps = try number(argument, or: 1)
    try travel { try history.step(by: steps) }
  }

  /// Moves the store in its history, then prints the new position and how the state differs.
  private func travel(_ move: () throws -> Void) throws(ConsoleFailure) {
    let before = store.state
    try ConsoleFailure.catching(move)
    let position = history.position
    let entry = history[position].map { line($0) } ?? text.note("the beginning")
    say("\(text.style.cyan("\(place):")) \(entry)")
    say(
      text.difference(from: before, to: store.state) ?? text.note("  -- nothing changed"))
  }

  func reset() throws(ConsoleFailure) {
    let before = store.state
    try ConsoleFailure.catching { try host.reset() }
    say(text.difference(from: before, to: store.state) ?? text.note("  -- nothing changed"))
  }

  func skip(_ argument: String, _ isSkipped: Bool) throws(ConsoleFailure) {
    guard let number = Int(argument) else { throw ConsoleFailure("say which action: :skip 3") }
    let before = store.state
    let report = try ConsoleFailure.catching { try history.skip(number, isSkipped) }
    say(
      text.note(
        "\(isSkipped ? "without" : "with") action \(number), \(count(report.count, "action")) reduced anew"
      ))
    say(text.difference(from: before, to: store.state) ?? text.note("  -- nothing changed"))
  }

  func replay(from argument: String) throws(ConsoleFailure) {
    let number = try number(argument, or: history.numbers.lowerBound)
    let report = try ConsoleFailure.catching { try history.replay(from: number) }
    if let difference = report.difference {
      say(
        "\(count(report.count, "action")) reduced anew, with another result from here on:\n"
          + TerminalText(of: difference, text.style))
    } else {
      say(text.note("\(count(report.count, "action")) reduced anew, with the same result"))
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

import ScriptValue
import ScriptedStore

extension Console {
  func perform(_ name: String, _ argument: String) throws(ConsoleFailure) {
    guard let command = ConsoleCommand.named(name) else {
      let nearest = Suggestion.nearest(to: name, in: ConsoleCommand.names)
      throw ConsoleFailure(
        "there is no command :\(name); "
          + (nearest.map { "did you mean :\($0)?" } ?? ":help lists them"))
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
    case "tree": say("\(tree.displayed.description)")
    case "shared": showShared()
    case "effects": showEffects()
    case "cancel": try cancel(argument)
    case "warnings": showWarnings()
    case "log": try showLog(last: argument)
    case "diff": try showChange(of: argument)
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
    let path = try StatePath.path(target)
    var state = store.state
    do {
      if let value = try LuaReader.value(of: rest) {
        try state.set(value, at: path)
      } else if state.remove(at: path) == nil {
        throw ConsoleFailure("there is nothing at \(target) to remove")
      }
      try history.edit(state)
    } catch {
      throw ConsoleFailure(ScriptPaths.inMessage("\(error)"))
    }
  }

  private func showShared() {
    say(text.shared(host.sharedValues(shownBy: store)))
  }

  // MARK: Effects

  private func showEffects() {
    let effects = store.numberedEffects
    listed = effects.map(\.number)
    say(text.effects(effects.map(\.description)))
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
    guard let seconds = Double(argument), seconds >= 0, seconds < 1e9 else {
      throw ConsoleFailure("say how many seconds: :wait 1.5")
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

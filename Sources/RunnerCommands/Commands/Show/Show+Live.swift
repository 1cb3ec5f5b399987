import ArgumentParser
import LuaBridge
import ScriptView
import ScriptedStore
import ScriptedStoreTerminal

/// `runner show` on a terminal: the feature is alive until the person leaves.
extension Show {
  /// Whether the screen is used rather than printed.
  var isLive: Bool {
    format == nil && actions != "-" && StandardStreams.inputIsTerminal
      && StandardStreams.outputIsTerminal && StandardStreams.environment("TERM") != "dumb"
  }

  func runLive() throws {
    let overrides = try state.value()
    let input = try actions.map { path throws(ExitCode) in try InputFile(path) }
    let clock = dependencies.clock == .virtual ? VirtualClock() : nil
    let log = MessageLog()
    let messages = ScreenMessages { log.add($0) }
    let configuration = try feature.configuration(
      dependencies, limits.limits(over: .standard), on: clock
    ) { messages.add($0) }
    defer { log.print() }
    let isOverridden = overrides != nil || !dependencies.replacements.isEmpty
    let start = StartWatch(feature, "the screen", ConsoleEvents(), readsKeys: true) {
      feature.isBroken(configuration, isOverridden: isOverridden)
    }
    let opened = try start.opened {
      try feature.load(configuration, overriding: overrides, dependencies)
    }
    defer { opened.host.flush() }
    try requireView(of: opened.store, opened.host)
    if let input { try send(input, to: opened.store, clock, messages) }
    try use(opened, messages, log)
  }

  /// Sends the actions of a file while somebody looks.
  private func send(
    _ input: InputFile, to store: Store, _ clock: VirtualClock?, _ messages: ScreenMessages
  ) throws {
    let shown = ShownScreen(
      store, environment: screen.environment(columns: TerminalWindow.size.columns), clock: clock,
      messages)
    if try send(input, to: shown) { throw ExitCode.dataError }
  }

  private func use(
    _ opened: (host: ScriptHost, store: Store), _ messages: ScreenMessages, _ log: MessageLog
  ) throws {
    let errors = CapturedErrors { log.add(TerminalText($0)) }
    let observation = opened.store.onAction { messages.add($0) }
    // Without it saved scripts are not loaded; the screen can be used all the same.
    let watch = try? opened.host.watch { log.add($0) }
    TerminalInput.enter(keepsControlKeys: true)
    TerminalWindow.watch()
    let live = LiveScreen(opened.store, TerminalKeys()) { [screen] in
      screen.environment(columns: $0)
    }
    live.hasEvents = { log.hasMessage }
    live.takeEvents = { log.takeMessage() }
    let end = live.run()
    TerminalInput.restore()
    errors?.end()
    withExtendedLifetime((observation, watch)) {}
    guard case .interrupted = end, let status = Interruption.signalStatus else { return }
    throw ExitCode(status)
  }
}

extension MessageLog {
  /// Adds what came of scripts that were saved.
  func add(_ reload: Result<ReloadReport, ReloadError>) {
    switch reload {
    case .success(let report):
      guard report.hasChanges else { return say("the scripts are again those that run") }
      let tenths = (report.duration / .microseconds(100)).rounded() / 10
      say("reloaded \(report.reloaded.joined(separator: ", ")) in \(tenths) ms")
    case .failure(let error):
      add("error: \(ConsoleText.refusal(error))")
      let reason = error.errors.first.map { describe($0) } ?? ""
      say("not reloaded: \(reason.split(separator: "\n").first ?? "")")
    }
  }
}

import ArgumentParser
import RunnerShared
import ScriptedStore

/// Runs a store on the lines of an input, one after the other.
struct InputSession {
  /// The steps after the end of the input.
  struct End {
    /// Wait until no effect is in flight.
    var waits: Bool
    var listsEffects: Bool
    var printsState: Bool
  }

  let host: ScriptHost
  let store: Store
  /// The virtual clock; nil if time passes in real time.
  let clock: VirtualClock?
  let report: Report
  let end: End
  private var sent = 0

  init(host: ScriptHost, store: Store, clock: VirtualClock?, report: Report, end: End) {
    self.host = host
    self.store = store
    self.clock = clock
    self.report = report
    self.end = end
  }

  /// Runs until the input or the run ends, and returns the exit status.
  mutating func run(_ lines: inout InputLines) -> ExitCode {
    report.begin(with: store.state)
    let observation = store.onAction { [report] record in report.add(record) }
    while let line = lines.next() {
      switch line {
      case .blank: break
      case .action(let action): send(action)
      case .wait(let seconds): wait(seconds)
      }
    }
    if lines.hasReachedEnd && end.waits { waitForEffects() }
    // Before the report ends, which tells what could not be stored.
    host.flush()
    // Until the report is complete. A signal does not end this wait.
    try? Awaited { [store] in await store.waitForObservers() }.wait()
    let effects = store.effects
    if !effects.isEmpty {
      reportRemainingEffects(effects.count, isAtEnd: lines.hasReachedEnd)
    }
    report.close(effects: end.listsEffects ? effects : nil, printsState: end.printsState)
    observation.cancel()
    return status(lines)
  }

  private mutating func send(_ action: Action) {
    store.send(action)
    sent += 1
    report.waitForReducedActions(sent)
    settle()
  }

  private func wait(_ seconds: Double) {
    guard let clock else { return Interruption.wait(atMost: seconds) }
    clock.pass(seconds)
  }

  // MARK: Effects

  private func waitForEffects() {
    guard clock == nil else { return settle() }
    let isDone = WaitFlag { [store] in await store.finish() }
    isDone.wait(atMost: 1)
    guard !isDone.isSet else { return }
    if StandardStreams.errorIsTerminal && !Interruption.isRequested {
      StandardStreams.error(
        "waiting for \(count(store.effects.count, "effect")); Ctrl-C ends the run")
    }
    isDone.wait()
  }

  /// On a virtual clock, waits until no effect can continue without time passing. Otherwise the
  /// output would depend on real timing.
  private func settle() { clock?.settle() }

  private func reportRemainingEffects(_ number: Int, isAtEnd: Bool) {
    if Interruption.isBySignal {
      // A terminal shows Ctrl-C as `^C` and does not end the line.
      let start: TerminalText = StandardStreams.errorIsTerminal ? "\n" : ""
      StandardStreams.error("\(start)interrupted with \(count(number, "effect")) in flight")
    } else if clock != nil && isAtEnd && end.waits {
      StandardStreams.error(
        "note: \(count(number, "effect")) still in flight; on the virtual clock time passes only by "
          + #"{"wait": seconds} lines"#)
    }
  }

  private func status(_ lines: InputLines) -> ExitCode {
    if let message = report.outputFailure {
      return fail(.ioError, "standard output: \(message)")
    }
    if lines.isUnreadable { return .ioError }
    if lines.isMalformed { return .dataError }
    return report.hasErrors ? .failure : .success
  }
}

import ArgumentParser
import RunnerShared
import ScriptedStore

/// Runs a store on the lines of an input, one after the other.
struct InputSession {
  let host: ScriptHost
  let store: Store
  /// The virtual clock; nil if time passes in real time.
  let clock: VirtualClock?
  let report: Report
  /// Whether the end of the input waits until no effect is in flight.
  let waitsAtEnd: Bool
  let listsEffects: Bool
  let printsState: Bool
  /// Whether the store is in a journal, which may be unable to take an action.
  let isDurable: Bool

  /// Runs until the input or the run ends, and returns the exit status.
  func run(_ lines: inout InputLines) -> ExitCode {
    report.begin(with: store.state)
    // Of a durable store the report hears already.
    let observation = isDurable ? nil : store.onAction { [report] record in report.add(record) }
    var sent = 0
    /// Why the journal could not take what has happened.
    var failure: TerminalText?
    reading: while let line = lines.next() {
      switch line {
      case .action(let action):
        sent += 1
        store.send(action)
        if isDurable {
          // The record of an action that could not be written never comes.
          guard let error = store.settle(on: clock) else { continue }
          failure = "the journal could not take the action \(action.path): \(error.message)"
          break reading
        }
        report.waitForReducedActions(sent)
        // Otherwise the output would depend on real timing.
        clock?.settle()
      case .wait(let seconds):
        if let clock { clock.pass(seconds) } else { Interruption.wait(atMost: seconds) }
      }
    }
    if lines.hasReachedEnd && waitsAtEnd { waitForEffects() }
    // Before the report ends, which tells what could not be stored.
    host.flush()
    // Until the report is complete. A signal does not end this wait.
    let lateError = try? Awaited { [store] in await store.untilObserved() }.wait()
    failure = failure ?? lateError.map { "\($0.message)" }
    if let failure { StandardStreams.error("error: \(failure)") }
    let effects = store.effects
    if !effects.isEmpty {
      reportRemainingEffects(effects.count, isAtEnd: lines.hasReachedEnd)
    }
    report.close(effects: listsEffects ? effects : nil, printsState: printsState)
    observation?.cancel()
    return failure == nil ? status(lines) : report.reportFailure() ?? .ioError
  }

  // MARK: Effects

  private func waitForEffects() {
    if let clock { return clock.settle() }
    let isDone = WaitFlag { [store] in await store.finish() }
    isDone.wait(atMost: 1)
    guard !isDone.isSet else { return }
    if StandardStreams.errorIsTerminal && !Interruption.isRequested {
      StandardStreams.error(
        "waiting for \(count(store.effects.count, "effect")); Ctrl-C ends the run")
    }
    isDone.wait()
  }

  private func reportRemainingEffects(_ number: Int, isAtEnd: Bool) {
    if Interruption.signalStatus != nil {
      // A terminal shows Ctrl-C as `^C` and does not end the line.
      let start: TerminalText = StandardStreams.errorIsTerminal ? "\n" : ""
      StandardStreams.error("\(start)interrupted with \(count(number, "effect")) in flight")
    } else if clock != nil && isAtEnd && waitsAtEnd {
      StandardStreams.error(
        "note: \(count(number, "effect")) still in flight; on the virtual clock time passes only by "
          + #"{"wait": seconds} lines"#)
    }
  }

  private func status(_ lines: InputLines) -> ExitCode {
    if let status = report.reportFailure() { return status }
    if lines.isUnreadable { return .ioError }
    if lines.isMalformed { return .dataError }
    return report.hasErrors ? .failure : .success
  }
}

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
    let observation = store.onAction { [report] record in report.add(record) }
    var sent = 0
    var isRefused = false
    reading: while let line = lines.next() {
      switch line {
      case .action(let action):
        sent += 1
        store.send(action)
        // The record of an action that could not be written never comes.
        let isOver = isDurable ? WaitFlag { [store] in await store.untilObserved() } : nil
        guard report.waitForReducedActions(sent, unless: isOver) else {
          StandardStreams.error(
            "error: the journal could not take the action \(action.path), which did nothing")
          isRefused = true
          break reading
        }
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
    try? Awaited { [store] in await store.untilObserved() }.wait()
    let effects = store.effects
    if !effects.isEmpty {
      reportRemainingEffects(effects.count, isAtEnd: lines.hasReachedEnd)
    }
    report.close(effects: listsEffects ? effects : nil, printsState: printsState)
    observation.cancel()
    return isRefused ? report.reportFailure() ?? .ioError : status(lines)
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

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
    let (effects, alarms) = (store.effects, store.alarms)
    // A journal keeps the alarms for the next run.
    reportRest(effects.count, isDurable ? 0 : alarms.count, isAtEnd: lines.hasReachedEnd)
    report.close(rest: listsEffects ? (effects, alarms) : nil, printsState: printsState)
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

  /// Tells how many effects are in flight at the end, and how many alarms are set.
  private func reportRest(_ effects: Int, _ alarms: Int, isAtEnd: Bool) {
    func rest(_ still: String) -> TerminalText {
      let parts = [
        effects > 0 ? "\(count(effects, "effect")) \(still)in flight" : nil,
        alarms > 0 ? "\(count(alarms, "alarm")) \(still)set" : nil,
      ]
      return "\(parts.compactMap { $0 }.joined(separator: " and "))"
    }
    guard effects + alarms > 0 else { return }
    if Interruption.signalStatus != nil {
      // A terminal shows Ctrl-C as `^C` and does not end the line.
      let start: TerminalText = StandardStreams.errorIsTerminal ? "\n" : ""
      StandardStreams.error("\(start)interrupted with \(rest(""))")
    } else if isAtEnd && waitsAtEnd && clock != nil {
      StandardStreams.error(
        "note: \(rest("still ")); on the virtual clock time passes only by "
          + #"{"wait": seconds} lines"#)
    } else if isAtEnd && waitsAtEnd && alarms > 0 {
      StandardStreams.error(
        "note: \(rest("still ")); the run waits for effects alone at its end, and for alarms by "
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

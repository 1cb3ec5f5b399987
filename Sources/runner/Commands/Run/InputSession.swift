import ArgumentParser
import Dispatch
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
  let report: SharedReport
  /// Whether a person types the input: there is a prompt, and a typo does not end the run.
  let isConversation: Bool
  let keepGoing: Bool
  let end: End
  private(set) var sent = 0
  private(set) var hasReachedEnd = false
  private(set) var isMalformed = false
  private(set) var isUnreadable = false

  /// Runs until the input or the run ends, and returns the exit status.
  mutating func run(_ input: InputFile) -> ExitCode {
    report.begin(with: store.state)
    let observation = store.onAction { [report] record in report.add(record) }
    var lines = LineReader(input.descriptor)
    while take(next(&lines), of: &lines, named: input.name) {}
    if hasReachedEnd && end.waits { waitForEffects() }
    // Before the report ends, which tells what could not be stored.
    host.flush()
    waitForReports()
    let effects = store.effects
    if !effects.isEmpty { reportRemainingEffects(effects.count) }
    report.close(effects: end.listsEffects ? effects : nil, printsState: end.printsState)
    observation.cancel()
    return status
  }

  // MARK: Lines

  private func next(_ lines: inout LineReader) -> LineReader.Step {
    if isConversation { StandardStreams.prompt("› ") }
    return lines.advance()
  }

  /// Handles one line. Returns false if the run must stop reading.
  private mutating func take(
    _ step: LineReader.Step, of lines: inout LineReader, named name: String
  ) -> Bool {
    switch step {
    case .interrupted: return false
    case .end:
      hasReachedEnd = true
      return false
    case .failed(let number):
      StandardStreams.error("error: \(name): \(errorText(number))")
      isUnreadable = true
      return false
    case .tooLong:
      return refuse(
        InputLine.Malformed(message: "the line is too long"), at: lines.number, of: name)
    case .line:
      let line = lines.withLine { bytes in
        Result { () throws(InputLine.Malformed) in try InputLine(bytes) }
      }
      switch line {
      case .failure(let error): return refuse(error, at: lines.number, of: name)
      case .success(.blank): break
      case .success(.wait(let seconds)): wait(seconds)
      case .success(.action(let action)): send(action)
      }
      return true
    }
  }

  private mutating func refuse(
    _ error: InputLine.Malformed, at line: Int, of name: String
  ) -> Bool {
    if isConversation {
      StandardStreams.error("error: \(error.message)")
      return true
    }
    isMalformed = true
    let position = error.column.map { "\(name):\(line):\($0)" } ?? "\(name):\(line)"
    StandardStreams.error("error: \(position): \(error.message)")
    return keepGoing
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

  /// Waits until the report is complete. A signal does not end this wait.
  private func waitForReports() {
    let (store, isDone) = (store, DispatchSemaphore(value: 0))
    Task {
      await store.waitForObservers()
      isDone.signal()
    }
    isDone.wait()
  }

  private func reportRemainingEffects(_ number: Int) {
    if Interruption.isBySignal {
      // A terminal shows Ctrl-C as `^C` and does not end the line.
      let start: TerminalText = StandardStreams.errorIsTerminal ? "\n" : ""
      StandardStreams.error("\(start)interrupted with \(count(number, "effect")) in flight")
    } else if clock != nil && hasReachedEnd && end.waits {
      StandardStreams.error(
        "note: \(count(number, "effect")) still in flight; on the virtual clock time passes only by "
          + #"{"wait": seconds} lines"#)
    }
  }

  private var status: ExitCode {
    if let message = report.outputFailure {
      return fail(.ioError, "standard output: \(message)")
    }
    if isUnreadable { return .ioError }
    if isMalformed { return .dataError }
    return report.hasErrors ? .failure : .success
  }
}

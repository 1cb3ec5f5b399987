import ArgumentParser
import ScriptedStore

/// A store that gets the lines of an input, one by one.
struct Session {
  let store: Store
  let report: SharedReport
  let failFast: Bool
  let keepGoing: Bool
  private var isMalformed = false
  private var isUnreadable = false

  init(store: Store, report: SharedReport, failFast: Bool, keepGoing: Bool) {
    self.store = store
    self.report = report
    self.failFast = failFast
    self.keepGoing = keepGoing
  }

  /// Goes to the end of the input or to what ends it early, and says how it went.
  mutating func run(_ input: InputFile, printState: Bool) -> ExitCode {
    let observation = store.onAction { [report] record in report.add(record) }
    withExtendedLifetime(observation) {
      var lines = LineReader(input.descriptor)
      while send(lines.advance(), of: &lines, named: input.name) {}
    }
    if printState { report.finish(store.state) }
    return status
  }

  /// Returns whether to go on.
  private mutating func send(
    _ step: LineReader.Step, of lines: inout LineReader, named name: String
  ) -> Bool {
    switch step {
    case .end, .interrupted: return false
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
      case .success(.blank): return true
      case .success(.wait(let seconds)): Interruption.wait(seconds)
      case .success(.action(let action)): store.send(action)
      }
      return !report.isUnwritable && !(failFast && report.hasErrors)
    }
  }

  private mutating func refuse(
    _ error: InputLine.Malformed, at line: Int, of name: String
  ) -> Bool {
    isMalformed = true
    let place = error.column.map { "\(name):\(line):\($0)" } ?? "\(name):\(line)"
    StandardStreams.error("error: \(place): \(error.message)")
    return keepGoing
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

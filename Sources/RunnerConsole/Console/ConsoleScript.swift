import ArgumentParser
import Platform
import RunnerShared

/// Runs a console on the lines of a file or a pipe, until the input ends.
struct ConsoleScript {
  let console: Console
  let output: ConsoleOutput
  let isFailFast: Bool
  let waits: Bool

  func run() -> ExitCode {
    var lines = LineReader(STDIN_FILENO)
    var isUnreadable = false
    reading: while output.failure == nil {
      switch lines.advance() {
      case .interrupted: break reading
      case .end:
        if waits { console.finish() }
        break reading
      case .failed(let number):
        StandardStreams.error("error: standard input: \(errorText(number))")
        isUnreadable = true
        break reading
      case .tooLong: console.fail("line \(lines.number) is too long")
      case .line:
        guard let line = lines.withLine({ String(validating: $0, as: UTF8.self) }) else {
          console.fail("line \(lines.number): invalid UTF-8")
          break
        }
        guard console.take(line) else { break reading }
      }
      if isFailFast && console.hasFailed { break }
    }
    return status(isUnreadable: isUnreadable)
  }

  private func status(isUnreadable: Bool) -> ExitCode {
    if let status = output.reportFailure() { return status }
    if let failure = console.closeRecording() { return fail(.ioError, "\(failure)") }
    if isUnreadable { return .ioError }
    if let status = Interruption.signalStatus { return status }
    return console.hasFailed ? .failure : .success
  }
}

/// Writes the text of a console to standard output. On a terminal, the text goes above the line
/// that is being edited.
final class ConsoleOutput {
  private var stream = DescriptorWriter(STDOUT_FILENO)
  /// Returns the escape sequences that clear the live rows before text is written; nil while a view
  /// covers the screen. Text is then held until ``writeHeld()``.
  var makeRoom: () -> TerminalText? = { "" }
  private var held: TerminalText = ""

  var failure: Int32? { stream.failure }
  func reportFailure() -> ExitCode? { stream.reportFailure() }

  func write(_ text: TerminalText) {
    guard let room = makeRoom() else {
      held += text
      return
    }
    draw(room + held + text)
    held = ""
  }

  /// Writes the text that was held.
  func writeHeld() {
    if !held.isEmpty { write("") }
  }

  /// Writes escape sequences or rows directly; this output is never held.
  func draw(_ text: TerminalText) {
    if !text.isEmpty { stream.write(text) }
  }
}

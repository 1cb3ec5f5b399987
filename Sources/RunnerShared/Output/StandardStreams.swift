import ArgumentParser
import Platform
import ScriptedStore

package enum StandardStreams {
  /// Makes a closed pipe, and a file that is larger than `ulimit -f` allows, an error of `write`; by
  /// default, SIGPIPE and SIGXFSZ would end the process. Also opens
  /// any of the three standard streams that the parent process closed. Otherwise the next opened
  /// file would get that number, and output would go into the file.
  package static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    while true {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      guard descriptor <= STDERR_FILENO else {
        close(descriptor)
        return
      }
    }
  }

  /// Writes the whole output of a command. Prints an error and throws the exit status for it if
  /// that fails. A pipe that its reader has closed is no error.
  package static func output(_ bytes: [UInt8]) throws(ExitCode) {
    var stream = DescriptorWriter(STDOUT_FILENO)
    stream.write(bytes)
    if let status = stream.reportFailure() { throw status }
  }

  package static func output(_ text: TerminalText) throws(ExitCode) { try output(text.bytes) }

  /// Writes one line to standard error. A failure cannot be reported and is ignored.
  package static func error(_ message: TerminalText) { prompt(message + "\n") }

  /// Writes text to standard error without a line break, for a prompt.
  package static func prompt(_ text: TerminalText) {
    var stream = DescriptorWriter(STDERR_FILENO)
    stream.write(text)
  }

  /// Whether standard output accepts colours (https://no-color.org, https://force-color.org).
  package static var outputTakesColor: Bool {
    guard environment("NO_COLOR").isEmpty else { return false }
    switch environment("FORCE_COLOR") {
    case "": break
    case "0", "false": return false
    default: return true
    }
    return outputIsTerminal && !terminalIsDumb
  }

  /// The value of an environment variable; empty if it is not set.
  package static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  /// Whether the terminal obeys no escape sequences.
  package static var terminalIsDumb: Bool { environment("TERM") == "dumb" }

  package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// The exit statuses other than 0 for success and 1 for failure (an action raised, or a test
/// failed). Numbers and names are those of `sysexits.h`.
extension ExitCode {
  package static let usage = ExitCode(64)
  package static let dataError = ExitCode(65)
  package static let noInput = ExitCode(66)
  package static let cannotCreate = ExitCode(73)
  package static let ioError = ExitCode(74)
}

/// Prints an error and returns the status to throw. ArgumentParser then ends the program without
/// printing the usage.
package func fail(_ status: ExitCode, _ message: TerminalText) -> ExitCode {
  StandardStreams.error("error: \(message)")
  return status
}

/// Prints an error of a script, with its code, and returns the status to throw.
package func fail(_ status: ExitCode, _ error: ScriptError) -> ExitCode {
  StandardStreams.error(TerminalText(error))
  StandardStreams.hint(explaining: error.code)
  return status
}

/// Prints a `ScriptError` from `body`, and throws the exit status for it.
package func exitingOnScriptError<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as ScriptError {
    throw fail(.noInput, error)
  }
}

/// Prints a `JournalError` from `body`, and throws the exit status for it.
///
/// - Parameter isVerifying: whether `body` is what the message of a damage advises, so that it needs another remedy.
package func exitingOnJournalError<Result>(
  isVerifying: Bool = false, _ body: () throws(JournalError) -> Result
) throws(ExitCode) -> Result {
  do throws(JournalError) {
    return try body()
  } catch {
    let status: ExitCode =
      switch error.code {
      case .notAJournal, .damaged, .wentBack: .dataError
      case .inUse: .noInput
      case .name: .usage
      case .notWritten, .unknown, .tooLarge, .closed, .unusable: .ioError
      }
    var message = error.message
    if isVerifying, error.code == .damaged, let end = message.firstRange(of: "; restore a backup") {
      message.replaceSubrange(
        end.lowerBound...,
        with: "; not all of it can be looked at: keep a copy of the file, and restore a backup")
    }
    throw fail(status, "\(message)")
  }
}

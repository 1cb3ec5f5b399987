import ArgumentParser
import ScriptedStore

/// The exit statuses other than 0 for success and 1 for failure (an action raised, or a test
/// failed). Numbers and names are those of `sysexits.h`.
extension ExitCode {
  static let usage = ExitCode(64)
  static let dataError = ExitCode(65)
  static let noInput = ExitCode(66)
  static let cannotCreate = ExitCode(73)
  static let ioError = ExitCode(74)
}

/// Prints an error and returns the status to throw. ArgumentParser then ends the program without
/// printing the usage.
func fail(_ status: ExitCode, _ message: TerminalText) -> ExitCode {
  StandardStreams.error("error: \(message)")
  return status
}

/// Prints an error of a script, with its code, and returns the status to throw.
func fail(_ status: ExitCode, _ error: ScriptError) -> ExitCode {
  StandardStreams.error(TerminalText(error))
  StandardStreams.hint(explaining: error.code)
  return status
}

/// Prints a `ScriptError` from `body`, and throws the exit status for it.
func exitingOnScriptError<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as ScriptError {
    throw fail(.noInput, error)
  }
}

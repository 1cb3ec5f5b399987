import ArgumentParser

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

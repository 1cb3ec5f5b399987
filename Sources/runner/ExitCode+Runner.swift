import ArgumentParser

/// The exit statuses beside success and failure (an action raised, a test failed); numbers and names
/// are those of sysexits.h.
extension ExitCode {
  static let usage = ExitCode(64)
  static let dataError = ExitCode(65)
  static let noInput = ExitCode(66)
  static let cannotCreate = ExitCode(73)
  static let ioError = ExitCode(74)
}

/// An error that ends the program with a message of its own instead of the usage.
func fail(_ status: ExitCode, _ message: TerminalText) -> ExitCode {
  StandardStreams.error("error: \(message)")
  return status
}

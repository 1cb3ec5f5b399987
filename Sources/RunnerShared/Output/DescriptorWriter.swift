import ArgumentParser
import Platform

/// Writes to a file descriptor without a buffer. After a failure, further writes are ignored.
package struct DescriptorWriter {
  private let descriptor: Int32
  /// The `errno` of the write that failed.
  package private(set) var failure: Int32?

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file for writing, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - flags: `O_TRUNC`, `O_EXCL` or `O_APPEND`.
  ///   - mode: the permissions of a new file.
  package init(file path: String, _ flags: Int32, mode: mode_t = 0o666) throws(FileFault) {
    descriptor = try OrdinaryFile.openToWrite(path, flags, mode: mode)
  }

  /// True if the reader of a pipe has closed it. This is no error.
  package var isClosed: Bool { failure == EPIPE }

  /// The reason why output is missing; nil if nothing is, or if the reader of a pipe has closed it.
  package var failureText: String? {
    guard let failure, !isClosed else { return nil }
    return errorText(failure)
  }

  /// Prints the reason why standard output is missing, and returns the exit status for it; nil if
  /// there is none.
  package func reportFailure() -> ExitCode? {
    failureText.map { fail(.ioError, "standard output: \($0)") }
  }

  /// Closes the descriptor. The stream must not be used afterwards, as the system may reuse the
  /// number.
  package func close() { _ = Platform.close(descriptor) }

  package mutating func write(_ text: TerminalText) { write(text.bytes) }

  package mutating func write(_ bytes: [UInt8]) {
    if failure == nil { failure = OrdinaryFile.put(bytes, into: descriptor) }
  }
}

/// The system's message for a value of `errno`.
package func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

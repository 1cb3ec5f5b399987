#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

enum StandardStreams {
  /// Makes a closed reader an error of `write` instead of the end of the process, and sees to it
  /// that no file opened later takes the number of a stream that the parent closed: what is printed
  /// would go there.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    while true {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      guard descriptor <= STDERR_FILENO else {
        close(descriptor)
        return
      }
    }
  }

  /// One line to standard error. There is nobody to tell if that fails.
  static func error(_ message: TerminalText) {
    var stream = OutputStream(STDERR_FILENO)
    stream.write(message + "\n")
  }

  /// Whether colours are welcome on standard output (https://no-color.org, https://force-color.org).
  static var outputTakesColor: Bool {
    guard environment("NO_COLOR").isEmpty else { return false }
    if !["", "0", "false"].contains(environment("FORCE_COLOR")) { return true }
    return outputIsTerminal && environment("TERM") != "dumb"
  }

  /// Empty if it is not set.
  static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

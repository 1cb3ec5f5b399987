import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Single keys from the terminal, without waiting for the end of a line and without an echo.
enum TerminalInput {
  /// The address of how the terminal was, while it is not; else 0. What is there is never freed, as a signal
  /// handler may be at it.
  private static let before = Atomic<UInt>(0)

  /// Nothing happens if standard input is no terminal. Ctrl-C still sends its signal.
  static func enter() {
    guard before.load(ordering: .sequentiallyConsistent) == 0 else { return }
    let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    saved.initialize(to: termios())
    guard tcgetattr(STDIN_FILENO, saved) == 0 else {
      saved.deallocate()
      return
    }
    var settings = saved.pointee
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    before.store(UInt(bitPattern: saved), ordering: .sequentiallyConsistent)
    for number in [SIGQUIT, SIGHUP] {
      signal(number) { number in
        TerminalInput.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Makes the terminal what it was; in signal handlers too.
  static func restore() {
    let address = before.exchange(0, ordering: .sequentiallyConsistent)
    guard let saved = UnsafeMutablePointer<termios>(bitPattern: address) else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, saved)
  }
}

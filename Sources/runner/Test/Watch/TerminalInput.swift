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
  /// The address of a place for how the terminal was. It is never given back, as a signal handler may be at it.
  private static let place = UInt(
    bitPattern: UnsafeMutablePointer<termios>.allocate(capacity: 1))
  /// That address while the terminal is not as it was; else 0.
  private static let before = Atomic<UInt>(0)

  /// Nothing happens if standard input is no terminal. Ctrl-C still sends its signal.
  ///
  /// - Parameter keepsControlKeys: it, and all others with Control, are keys as well, for who edits lines.
  static func enter(keepsControlKeys: Bool = false) {
    var settings = termios()
    guard before.load(ordering: .sequentiallyConsistent) == 0,
      let saved = UnsafeMutablePointer<termios>(bitPattern: place),
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return }
    saved.initialize(to: settings)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    if keepsControlKeys { Self.keepControlKeys(&settings) }
    before.store(place, ordering: .sequentiallyConsistent)
    for number in [SIGQUIT, SIGHUP] {
      signal(number) { number in
        TerminalInput.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Whether Ctrl-C sends its signal, while something runs that it may end.
  static func setSignals(_ areSent: Bool) {
    var settings = termios()
    guard before.load(ordering: .sequentiallyConsistent) != 0,
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return }
    if areSent {
      settings.c_lflag |= tcflag_t(ISIG)
    } else {
      settings.c_lflag &= ~tcflag_t(ISIG)
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private static func keepControlKeys(_ settings: inout termios) {
    settings.c_lflag &= ~tcflag_t(ISIG | IEXTEN)
    // Ctrl-S stops nothing, and Enter is told from Ctrl-J.
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
  }

  /// Makes the terminal what it was; in signal handlers too.
  static func restore() {
    let address = before.exchange(0, ordering: .sequentiallyConsistent)
    guard let saved = UnsafeMutablePointer<termios>(bitPattern: address) else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, saved)
  }
}

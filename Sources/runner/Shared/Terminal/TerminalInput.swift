import Platform
import Synchronization

/// Switches the terminal between lines and single keys that are read at once and without an echo.
enum TerminalInput {
  /// The address of memory for the original settings of the terminal. It is never freed, because a
  /// signal handler may read it.
  private static let savedSettings = UInt(
    bitPattern: UnsafeMutablePointer<termios>.allocate(capacity: 1))
  /// That address while the terminal's settings are changed; else 0.
  private static let settingsToRestore = Atomic<UInt>(0)
  /// The address and the length of the escape sequences that end what a full screen has changed.
  private static let endOfScreen = Atomic<UInt>(0)
  private static let endOfScreenCount = Atomic<Int>(0)

  /// Switches to single keys. Does nothing if standard input is not a terminal or if the settings
  /// are changed already. Ctrl-C still sends its signal.
  ///
  /// - Parameter keepsControlKeys: whether Ctrl-C and the other control keys are read as keys
  ///   instead, as a line editor needs.
  static func enter(keepsControlKeys: Bool = false) {
    var settings = termios()
    guard settingsToRestore.load(ordering: .sequentiallyConsistent) == 0,
      let saved = UnsafeMutablePointer<termios>(bitPattern: savedSettings),
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return }
    saved.initialize(to: settings)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    if keepsControlKeys {
      settings.c_lflag &= ~tcflag_t(ISIG | IEXTEN)
      // Ctrl-S must not stop the output, and Enter must differ from Ctrl-J.
      settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    }
    settingsToRestore.store(savedSettings, ordering: .sequentiallyConsistent)
    for number in [SIGQUIT, SIGHUP] {
      signal(number) { number in
        TerminalInput.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Sets whether Ctrl-C sends its signal. It should while something runs that the signal may end.
  /// Does nothing unless the settings are changed.
  static func setSignals(_ areSent: Bool) {
    var settings = termios()
    guard settingsToRestore.load(ordering: .sequentiallyConsistent) != 0,
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return }
    if areSent {
      settings.c_lflag |= tcflag_t(ISIG)
    } else {
      settings.c_lflag &= ~tcflag_t(ISIG)
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Sets the escape sequences that ``restore()`` writes before it restores the settings; nil for
  /// none. They are written once.
  static func setEndOfScreen(_ text: StaticString?) {
    endOfScreenCount.store(text?.utf8CodeUnitCount ?? 0, ordering: .sequentiallyConsistent)
    endOfScreen.store(
      text.map { UInt(bitPattern: $0.utf8Start) } ?? 0, ordering: .sequentiallyConsistent)
  }

  /// Restores the original settings. Safe in a signal handler.
  static func restore() {
    writeEndOfScreen()
    let address = settingsToRestore.exchange(0, ordering: .sequentiallyConsistent)
    guard let saved = UnsafeMutablePointer<termios>(bitPattern: address) else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, saved)
  }

  private static func writeEndOfScreen() {
    let address = endOfScreen.exchange(0, ordering: .sequentiallyConsistent)
    guard let start = UnsafePointer<UInt8>(bitPattern: address) else { return }
    // A terminal that takes no bytes must not keep the process alive.
    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
    _ = write(STDOUT_FILENO, start, endOfScreenCount.load(ordering: .sequentiallyConsistent))
  }
}

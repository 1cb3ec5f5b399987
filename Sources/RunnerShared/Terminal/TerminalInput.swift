import Platform
import Synchronization

/// Switches the terminal between lines and single keys that are read at once and without an echo.
package enum TerminalInput {
  /// The address of memory for the original settings of the terminal. It is never freed, because a
  /// signal handler may read it.
  private static let savedSettings = UInt(
    bitPattern: UnsafeMutablePointer<termios>.allocate(capacity: 1))
  /// That address while the terminal's settings are changed; else 0.
  private static let settingsToRestore = Atomic<UInt>(0)
  /// The address and the length of the escape sequences that end what a full screen has changed.
  private static let endOfScreen = Atomic<UInt>(0)
  private static let endOfScreenCount = Atomic<Int>(0)
  /// The signals that end a process which does not handle them, but for those of ``Interruption``.
  private static let endingSignals = [
    SIGHUP, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGUSR1, SIGUSR2,
    SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
  ]
  /// The address of the actions that these signals had before, by their numbers. Never freed, as
  /// `savedSettings`.
  private static let actionsBefore = UInt(
    bitPattern: UnsafeMutablePointer<sigaction>.allocate(capacity: 64))
  /// Makes these signals restore the terminal and end the process. A handler that was there before,
  /// as that of Swift which reports crashes, is called in between, with the address of a fault. A signal
  /// that is ignored stays so.
  private static let handlesSignals: Void = {
    guard let actions = UnsafeMutablePointer<sigaction>(bitPattern: actionsBefore) else { return }
    for number in endingSignals {
      let before = actions + Int(number)
      before.initialize(to: sigaction())
      sigaction(number, nil, before)
      // Proof: both are C function pointers, which have the size of an Int, and neither is called: SIG_IGN is the number 1.
      if unsafeBitCast(before.pointee.handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
      {
        continue
      }
      var action = sigaction()
      // A stack that has overflowed has no room for the handler.
      action.sa_flags = SA_ONSTACK | SA_SIGINFO
      action.handler = { number, information, context in
        // Only async-signal-safe operations are allowed here.
        TerminalInput.restore()
        if let actions = UnsafeMutablePointer<sigaction>(bitPattern: TerminalInput.actionsBefore) {
          // A handler without SA_SIGINFO takes the number, and not the two others.
          actions[Int(number)].handler?(number, information, context)
        }
        // The signal is blocked in its handler, and comes when this returns.
        signal(number, SIG_DFL)
        raise(number)
      }
      sigaction(number, &action, nil)
    }
  }()

  /// Switches to single keys. Does nothing if standard input is not a terminal or if the settings
  /// are changed already. Ctrl-C still sends its signal.
  ///
  /// - Parameter keepsControlKeys: whether Ctrl-C and the other control keys are read as keys
  ///   instead, as a line editor needs.
  package static func enter(keepsControlKeys: Bool = false) {
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
    _ = handlesSignals
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Sets whether Ctrl-C sends its signal. It should while something runs that the signal may end.
  /// Does nothing unless the settings are changed.
  package static func setSignals(_ areSent: Bool) {
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
  package static func setEndOfScreen(_ text: StaticString?) {
    endOfScreenCount.store(text?.utf8CodeUnitCount ?? 0, ordering: .sequentiallyConsistent)
    endOfScreen.store(
      text.map { UInt(bitPattern: $0.utf8Start) } ?? 0, ordering: .sequentiallyConsistent)
  }

  /// Restores the original settings. Safe in a signal handler.
  package static func restore() {
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

extension sigaction {
  /// Nil for the default action. Systems have different names for the union that it is in.
  fileprivate var handler:
    (@convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void)?
  {
    get {
      #if canImport(Darwin)
      __sigaction_u.__sa_sigaction
      #elseif canImport(Musl)
      __sa_handler.sa_sigaction
      #else
      __sigaction_handler.sa_sigaction
      #endif
    }
    set {
      #if canImport(Darwin)
      __sigaction_u.__sa_sigaction = newValue
      #elseif canImport(Musl)
      __sa_handler.sa_sigaction = newValue
      #else
      __sigaction_handler.sa_sigaction = newValue
      #endif
    }
  }
}

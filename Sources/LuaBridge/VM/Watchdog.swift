import CLua

/// The thread of the process that looks at how long scripts take.
///
/// It signals the threads whose scripts took too long. The handler of that signal is in place as long as there is a VM
/// whose time is limited, and signals that somebody else sends go on to the handler that was there before, which is put back
/// after the last such VM.
///
/// In a child that a `fork` made, the watchdog is started anew by the first turn that begins there. The turn in which a
/// function of the host forked is not looked at in the child.
public enum Watchdog {
  /// The number of the signal: `SIGURG`, unless the host said something else. ``setSignal(_:)`` tells when it can.
  public static var signal: Int32 { sl_watch_signal() }

  /// Makes it another signal, for a process that needs `SIGURG` itself. Two uses of one signal get along, but a handler
  /// that is installed while scripts run, and does not call the one before it, ends all limits of time.
  ///
  /// What is sent by others while nothing handled the signal before has no effect, even if it would end the process elsewhere.
  ///
  /// - Throws: if the signal cannot be handled, or while there is a VM whose time is limited.
  public static func setSignal(_ signal: Int32) throws(ScriptError) {
    guard sl_choose_watch_signal(signal) else {
      throw ScriptError(
        "the watchdog cannot have signal \(signal): choose one that can be handled, and do so before there is a VM whose time is limited"
      )
    }
  }
}

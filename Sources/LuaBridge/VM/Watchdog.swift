import CLua

/// The thread of the process that checks how long scripts run.
///
/// It signals threads whose scripts take too long. The handler of that signal is installed while
/// there is a VM whose time is limited, or that has a ``LuaInterrupt``. Signals that others send
/// are passed on to the handler that was installed before; that one is restored after the last such
/// VM.
///
/// In a child that `fork` has made, the first turn that begins there starts the watchdog again. If
/// a function of the host has forked, the turn in which it did so is not watched in the child.
public enum Watchdog {
  /// The number of the signal: `SIGURG`, unless the host has chosen another one with
  /// ``setSignal(_:)``.
  public static var signal: Int32 { sl_watch_signal() }

  /// Chooses another signal, for a process that needs `SIGURG` itself. The signal can have another
  /// use as well, but a handler that is installed while scripts run, and does not call the previous
  /// handler, disables all limits of time.
  ///
  /// If the signal had no handler before, signals that others send have no effect while the
  /// watchdog's handler is installed, even if they would end the process otherwise.
  ///
  /// - Throws: if the signal cannot be handled, or while there is a VM whose time is limited, or
  ///   that has a ``LuaInterrupt``.
  public static func setSignal(_ signal: Int32) throws(ScriptError) {
    guard sl_choose_watch_signal(signal) else {
      throw ScriptError(
        "the watchdog cannot have signal \(signal): choose one that can be handled, and do so before there is a VM whose time is limited or that can be interrupted"
      )
    }
  }
}

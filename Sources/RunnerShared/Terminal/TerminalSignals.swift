import Platform
import ScriptedStoreTerminal
import Synchronization

/// Restores the terminal when the process is stopped, by Ctrl-Z or from outside, and knows when it
/// goes on.
enum TerminalStop {
  private static let resumed = Atomic<Bool>(false)

  /// Handles SIGTSTP and SIGCONT from now on.
  static func watch() {
    handleStop()
    signal(SIGCONT) { _ in
      let error = errno
      TerminalStop.handleStop()
      TerminalStop.resumed.store(true, ordering: .sequentiallyConsistent)
      Interruption.wake()
      errno = error
    }
  }

  private static func handleStop() {
    signal(SIGTSTP) { _ in
      let error = errno
      TerminalInput.restore()
      signal(SIGTSTP, SIG_DFL)
      // The signal is blocked in its handler, so that the process stops when this returns. One that
      // cannot be stopped, as its shell is gone, goes on.
      raise(SIGTSTP)
      TerminalStop.resumed.store(true, ordering: .sequentiallyConsistent)
      Interruption.wake()
      errno = error
    }
  }

  static func ignore() {
    signal(SIGTSTP, SIG_DFL)
    signal(SIGCONT, SIG_DFL)
  }

  /// Whether the process was stopped, and the terminal has to be set up again.
  static var wasResumed: Bool { resumed.load(ordering: .sequentiallyConsistent) }

  static func takeResumption() -> Bool {
    resumed.exchange(false, ordering: .sequentiallyConsistent)
  }
}

/// The size of the terminal, and whether it has changed.
package enum TerminalWindow {
  private static let changed = Atomic<Bool>(false)

  /// Installs a handler for SIGWINCH. It records the change and wakes the thread that waits in
  /// ``Interruption``.
  package static func watch() {
    signal(SIGWINCH) { _ in
      let error = errno
      TerminalWindow.changed.store(true, ordering: .sequentiallyConsistent)
      Interruption.wake()
      errno = error
    }
  }

  package static var hasChanged: Bool { changed.load(ordering: .sequentiallyConsistent) }

  /// Clears `hasChanged`. Read `size` only after this call, so that a change in between is not
  /// lost.
  package static func clearChange() { changed.store(false, ordering: .sequentiallyConsistent) }

  package static var size: TerminalSize { size(of: STDOUT_FILENO) }

  /// The size of the terminal of a descriptor; 80 columns if it is none.
  package static func size(of descriptor: Int32) -> TerminalSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return TerminalSize(columns: 80, rows: 24) }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

import Platform
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

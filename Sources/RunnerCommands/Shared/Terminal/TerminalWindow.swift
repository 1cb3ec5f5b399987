import Platform
import Synchronization

/// The size of the terminal, and whether it has changed.
enum TerminalWindow {
  struct Size: Equatable {
    var columns: Int
    var rows: Int
  }

  private static let changed = Atomic<Bool>(false)

  /// Installs a handler for SIGWINCH. It records the change and wakes the thread that waits in
  /// ``Interruption``.
  static func watch() {
    signal(SIGWINCH) { _ in
      let error = errno
      TerminalWindow.changed.store(true, ordering: .sequentiallyConsistent)
      Interruption.wake()
      errno = error
    }
  }

  static var hasChanged: Bool { changed.load(ordering: .sequentiallyConsistent) }

  /// Clears `hasChanged`. Read `size` only after this call, so that a change in between is not
  /// lost.
  static func clearChange() { changed.store(false, ordering: .sequentiallyConsistent) }

  static var size: Size {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return Size(columns: 80, rows: 24) }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

import Dispatch
import LuaBridge
import Platform

/// Redirects standard error while a console owns the terminal. Otherwise a script's output to
/// standard error would appear inside the edited line.
package struct CapturedErrors {
  private let terminal: Int32
  private let isRead = DispatchSemaphore(value: 0)

  /// Calls `handler` for each line, on a thread started for this. Returns nil if standard error is
  /// not a terminal, since it then does not disturb the edited line, or if the redirection fails.
  package init?(_ handler: @escaping @Sendable (String) -> Void) {
    guard StandardStreams.errorIsTerminal else { return nil }
    terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard terminal >= 0 else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      close(terminal)
      return nil
    }
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    // A separate thread reads, because the main thread may be waiting for a script that prints; the
    // pipe would fill up and block the script.
    let started: Void? = try? BlockingThread.run { [descriptor = ends[0], isRead] in
      Self.read(descriptor, handler)
      isRead.signal()
    }
    guard started != nil else {
      for descriptor in ends + [terminal] { close(descriptor) }
      return nil
    }
    dup2(ends[1], STDERR_FILENO)
    close(ends[1])
  }

  /// Restores standard error, and returns when all captured lines have been handled.
  package func end() {
    dup2(terminal, STDERR_FILENO)
    close(terminal)
    isRead.wait()
  }

  private static func read(_ descriptor: Int32, _ handler: (String) -> Void) {
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = Platform.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      pending += chunk[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        handler(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeSubrange(...end)
      }
    }
    if !pending.isEmpty { handler(String(decoding: pending, as: UTF8.self)) }
    close(descriptor)
  }
}

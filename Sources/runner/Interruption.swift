import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ctrl-C as a request to come to an end. The handler writes to a pipe, which whoever waits polls
/// beside what it waits for, so that no signal is missed between a look at the flag and the wait.
enum Interruption {
  private static let requested = Atomic<Bool>(false)
  private static let reading = Atomic<Int32>(-1)
  private static let writing = Atomic<Int32>(-1)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// From now on the first Ctrl-C is noted and the second ends the process.
  static func install() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading.store(ends[0], ordering: .relaxed)
    writing.store(ends[1], ordering: .relaxed)
    signal(SIGINT) { _ in
      // Nothing but atomics and `write`: this runs in the middle of anything.
      if Interruption.requested.exchange(true, ordering: .relaxed) { _exit(128 + SIGINT) }
      let number = errno
      _ = write(Interruption.writing.load(ordering: .relaxed), "\n", 1)
      errno = number
    }
  }

  /// Returns when the descriptor can be read (or has ended, or failed) or Ctrl-C was pressed.
  static func waitForInput(_ descriptor: Int32) {
    var places = [entry(reading.load(ordering: .relaxed)), entry(descriptor)]
    while !isRequested, poll(&places, 2, -1) < 0, errno == EINTR {}
  }

  /// Returns after the time, or when Ctrl-C was pressed.
  static func wait(_ seconds: Double) {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var place = entry(reading.load(ordering: .relaxed))
    while !isRequested {
      let left = (end - clock.now) / .milliseconds(1)
      guard left > 0 else { return }
      poll(&place, 1, Int32(min(left.rounded(.up), 1_000_000)))
    }
  }

  private static func entry(_ descriptor: Int32) -> pollfd {
    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}

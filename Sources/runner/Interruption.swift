import ArgumentParser
import LuaBridge
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How the thread that reads the input waits, and what ends that early: Ctrl-C, SIGTERM, or somebody who
/// sees no point in going on.
///
/// It polls a pipe beside what it waits for. The signal handler writes to that, so that no signal is missed
/// between a look at the flag and the wait.
enum Interruption {
  /// The number of the signal that came, or 0.
  private static let signalled = Atomic<Int32>(0)
  /// When it came, in nanoseconds of the monotonic clock; 0 before.
  private static let signalTime = Atomic<UInt64>(0)
  /// `timeout` and other supervisors signal a program and its group: what follows within so many nanoseconds is
  /// the same signal.
  private static let oneSignal: UInt64 = 200_000_000
  /// Nanoseconds of processors that a run has for its end after a signal, and how long it may take to get them on a busy
  /// machine. Whatever scripts do, the process ends then.
  private static let grace: UInt64 = 1_000_000_000
  private static let longestGrace: UInt64 = 4_000_000_000
  /// Where the thread is told of a signal that ends the process.
  private static let watched = Atomic<Int32>(-1)
  private static let requested = Atomic<Bool>(false)
  private static let isWaiting = Atomic<Bool>(false)
  private static let reading = Atomic<Int32>(-1)
  private static let writing = Atomic<Int32>(-1)

  /// The run is to end.
  static var isRequested: Bool { requested.load(ordering: .relaxed) }
  static var isBySignal: Bool { signalled.load(ordering: .relaxed) != 0 }
  /// What shells say of a program that a signal ended; nil if none came.
  static var signalStatus: Int32? {
    let number = signalled.load(ordering: .relaxed)
    return number == 0 ? nil : 128 + number
  }

  private static func makePipe() throws(ExitCode) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw fail(.ioError, "\(errorText(errno))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// From now on the first Ctrl-C or SIGTERM is noted. The next one, a moment later, ends the process, and so do a
  /// few seconds in which the run has not ended: scripts may keep the threads that it needs for that.
  static func install() throws(ExitCode) {
    let ends = try makePipe()
    for end in [ends.reading, ends.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    reading.store(ends.reading, ordering: .relaxed)
    writing.store(ends.writing, ordering: .relaxed)
    let signals = try makePipe()
    _ = fcntl(signals.writing, F_SETFL, O_NONBLOCK)
    watched.store(signals.writing, ordering: .relaxed)
    // The thread that watches takes them, as one that runs a script would be in the middle of anything.
    mask(SIG_BLOCK)
    do throws(ScriptError) {
      try OwnThread.run {
        mask(SIG_UNBLOCK)
        watch(signals.reading)
      }
    } catch {
      throw fail(.ioError, "\(error.message)")
    }
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Nothing but atomics, the clock and `write`: this runs in the middle of anything.
        let now = Interruption.now
        let (isFirst, first) = Interruption.signalTime.compareExchange(
          expected: 0, desired: now, ordering: .relaxed)
        guard isFirst else {
          if now < first + Interruption.oneSignal { return }
          TerminalInput.restore()
          _exit(128 + number)
        }
        Interruption.signalled.store(number, ordering: .relaxed)
        let error = errno
        Interruption.requested.store(true, ordering: .relaxed)
        Interruption.knock()
        Interruption.writeByte(to: Interruption.watched.load(ordering: .relaxed))
        errno = error
      }
    }
  }

  /// Blocks them for the calling thread and those that it starts from now on, or takes them on the calling thread.
  private static func mask(_ how: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(how, &signals, nil)
  }

  /// Ends the process when a run had its time for an end after a signal. A thread does so, as a signal handler may come
  /// in the middle of an allocation.
  private static func watch(_ signals: Int32) {
    var byte: UInt8 = 0
    while true {
      guard read(signals, &byte, 1) == 1 else {
        if errno == EINTR { continue }
        return
      }
      let asked = signalTime.load(ordering: .relaxed)
      let used = time(CLOCK_PROCESS_CPUTIME_ID)
      while now < asked + longestGrace, time(CLOCK_PROCESS_CPUTIME_ID) < used + grace {
        usleep(10_000)
      }
      // It may have been forgotten meanwhile.
      guard asked != 0, asked == signalTime.load(ordering: .relaxed), let status = signalStatus
      else { continue }
      TerminalInput.restore()
      // Not where nobody reads it, which would keep the process.
      var place = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      if poll(&place, 1, 0) == 1 {
        StandardStreams.error("error: interrupted, but the scripts went on; the run was ended")
      }
      _exit(status)
    }
  }

  /// Ends the run from any thread, as a signal does.
  static func request() {
    requested.store(true, ordering: .sequentiallyConsistent)
    wake()
  }

  /// Ctrl-C has ended what it was meant for: the run goes on, and the next one is a first one again.
  static func forget() {
    signalled.store(0, ordering: .relaxed)
    requested.store(false, ordering: .relaxed)
    signalTime.store(0, ordering: .relaxed)
  }

  /// Lets who waits look again whether what it waits for is there.
  static func wake() {
    if isWaiting.load(ordering: .sequentiallyConsistent) { knock() }
  }

  private static var now: UInt64 { time(CLOCK_MONOTONIC) }

  private static func time(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func knock() { writeByte(to: writing.load(ordering: .relaxed)) }

  /// For the signal handler too: a string literal in place of the variable would be an allocation, which waits for ever
  /// where the signal came in the middle of one.
  private static func writeByte(to descriptor: Int32) {
    var byte: UInt8 = 0x0A
    _ = write(descriptor, &byte, 1)
  }

  /// Returns when `isDone` says so, which is asked after each ``wake()``; when one of the descriptors can be
  /// read, or has ended or failed; when the seconds have passed; or when the run is to end.
  static func wait(
    for descriptors: Int32..., atMost seconds: Double? = nil,
    until isDone: () -> Bool = { false }
  ) {
    if isRequested || isDone() { return }
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    defer { isWaiting.store(false, ordering: .relaxed) }
    let clock = ContinuousClock()
    let end = seconds.map { clock.now + .seconds($0) }
    // Poll passes over descriptors below 0.
    var places = ([reading.load(ordering: .relaxed)] + descriptors).map(entry)
    while !isRequested && !isDone() {
      var timeout: Int32 = -1
      if let end {
        let left = (end - clock.now) / .milliseconds(1)
        guard left > 0 else { return }
        timeout = Int32(min(left.rounded(.up), 1_000_000))
      }
      guard poll(&places, nfds_t(places.count), timeout) > 0 else { continue }
      if places.dropFirst().contains(where: { $0.revents != 0 }) { return }
      takeKnocks()
    }
  }

  private static func entry(_ descriptor: Int32) -> pollfd {
    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }

  private static func takeKnocks() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reading.load(ordering: .relaxed), &bytes, bytes.count) == bytes.count {}
  }
}

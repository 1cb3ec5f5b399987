// Interruption: how one thread waits for input or a condition, and how SIGINT and SIGTERM end the
// process.
//
//                first signal
//     running ------------------> ending
//        ^                          |
//        |        reset()           +-- the run ends by itself ------------> normal exit
//        +--------------------------+-- second signal after 200 ms --------> _exit in the handler
//                                   +-- 1 s of CPU time or 4 s pass -------> _exit in the watcher
//
// `request()` also asks the run to end, but without a signal and without a time limit.
//
// 1. The signal handler may interrupt an allocation. It uses only atomics, the clock, `write`, and,
//    before the process ends, `tcsetattr` and `_exit`.
// 2. The watcher thread receives SIGINT and SIGTERM. They are blocked in the thread that calls
//    `install()` and in the threads that it starts later.
// 3. No wakeup is lost: a waker changes the condition before it reads `isWaiting`, and a waiter
//    sets `isWaiting` before it reads the condition. The atomics of a condition must therefore be
//    sequentially consistent. A wakeup is a byte in a pipe, which `wait` polls together with its
//    other descriptors. The signal handler always writes it.
// 4. Only one thread at a time calls `wait`.
// 5. `watcherPipe`, `wakePipeReadEnd` and `wakePipeWriteEnd` are -1 until `install()`; a `write` to
//    -1 fails without effect.

import ArgumentParser
import LuaBridge
import Platform
import Synchronization

/// Waiting that a signal, ``request()`` or ``wake()`` ends early. The invariants are at the top of
/// this file.
package enum Interruption {
  /// The number of the first signal; 0 before it.
  private static let firstSignal = Atomic<Int32>(0)
  /// The time of the first signal, in nanoseconds of the monotonic clock; 0 before it.
  private static let signalTime = Atomic<UInt64>(0)
  /// Signals within this time after the first one, in nanoseconds, count as the same signal.
  /// `timeout` and other supervisors signal a process and also its process group.
  private static let duplicateSignalWindow: UInt64 = 200_000_000
  /// Limits in nanoseconds for ending a run after a signal: `grace` is CPU time of the process, and
  /// `longestGrace` is real time, in case a busy machine gives the process too little CPU time. The
  /// process ends when either has passed, whatever the scripts do.
  private static let grace: UInt64 = 1_000_000_000
  private static let longestGrace: UInt64 = 4_000_000_000
  /// The write end of the pipe that notifies the watcher thread of a signal.
  private static let watcherPipe = Atomic<Int32>(-1)
  private static let requested = Atomic<Bool>(false)
  private static let isWaiting = Atomic<Bool>(false)
  /// The ends of the pipe that wakes ``wait(for:atMost:until:)``.
  private static let wakePipeReadEnd = Atomic<Int32>(-1)
  private static let wakePipeWriteEnd = Atomic<Int32>(-1)

  /// True if the run must end.
  package static var isRequested: Bool { requested.load(ordering: .sequentiallyConsistent) }
  /// 128 plus the signal's number, as shells report a process that a signal ended; nil before a
  /// signal.
  package static var signalStatus: ExitCode? {
    let number = firstSignal.load(ordering: .relaxed)
    return number == 0 ? nil : ExitCode(128 + number)
  }

  private static func makePipe() throws(ExitCode) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw fail(.ioError, "\(errorText(errno))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts to handle SIGINT and SIGTERM. The first signal requests the end of the run. The process
  /// ends at once on a later signal, or when the run has not ended within its time limits; scripts
  /// may occupy the threads that a regular end needs.
  package static func install() throws(ExitCode) {
    let ends = try makePipe()
    for end in [ends.reading, ends.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    wakePipeReadEnd.store(ends.reading, ordering: .relaxed)
    wakePipeWriteEnd.store(ends.writing, ordering: .relaxed)
    let signals = try makePipe()
    _ = fcntl(signals.writing, F_SETFL, O_NONBLOCK)
    watcherPipe.store(signals.writing, ordering: .relaxed)
    // The watcher thread receives the signals. A thread that runs a script must not, because the
    // handler would interrupt it anywhere.
    mask(SIG_BLOCK)
    do throws(ScriptError) {
      try BlockingThread.run {
        mask(SIG_UNBLOCK)
        watch(signals.reading)
      }
    } catch {
      throw fail(.ioError, "\(error.message)")
    }
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Only async-signal-safe operations are allowed here (invariant 1).
        let now = Interruption.now
        let (isFirst, first) = Interruption.signalTime.compareExchange(
          expected: 0, desired: now, ordering: .relaxed)
        guard isFirst else {
          if now < first + Interruption.duplicateSignalWindow { return }
          TerminalInput.restore()
          _exit(128 + number)
        }
        Interruption.firstSignal.store(number, ordering: .relaxed)
        let error = errno
        Interruption.requested.store(true, ordering: .relaxed)
        Interruption.writeWakeByte()
        Interruption.writeByte(to: Interruption.watcherPipe.load(ordering: .relaxed))
        errno = error
      }
    }
  }

  /// Changes whether the calling thread, and threads that it starts later, block SIGINT and
  /// SIGTERM.
  private static func mask(_ how: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(how, &signals, nil)
  }

  /// The watcher thread: ends the process when the run has not ended within its time limits after a
  /// signal. This is not done in the signal handler, because printing allocates (invariant 1).
  private static func watch(_ signals: Int32) {
    var byte: UInt8 = 0
    while true {
      guard read(signals, &byte, 1) == 1 else {
        if errno == EINTR { continue }
        return
      }
      let asked = signalTime.load(ordering: .relaxed)
      let used = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
      while now < asked + longestGrace, nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) < used + grace {
        usleep(10_000)
      }
      // Another thread may have called `reset()` in the meantime.
      guard asked != 0, asked == signalTime.load(ordering: .relaxed), let status = signalStatus
      else { continue }
      TerminalInput.restore()
      // Skip the message if standard error cannot be written now: a blocked write would keep the
      // process alive.
      var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      if poll(&output, 1, 0) == 1 {
        StandardStreams.error("error: interrupted, but the scripts went on; the run was ended")
      }
      _exit(status.rawValue)
    }
  }

  /// Asks the run to end, from any thread and without a signal.
  package static func request() {
    requested.store(true, ordering: .sequentiallyConsistent)
    wake()
  }

  /// Resets the state after Ctrl-C has ended one command. The run goes on, and the next signal
  /// counts as a first one.
  package static func reset() {
    firstSignal.store(0, ordering: .relaxed)
    requested.store(false, ordering: .relaxed)
    signalTime.store(0, ordering: .relaxed)
  }

  /// Wakes the waiting thread, so that it checks its condition again. Callable from any thread.
  package static func wake() {
    if isWaiting.load(ordering: .sequentiallyConsistent) { writeWakeByte() }
  }

  private static var now: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

  private static func writeWakeByte() { writeByte(to: wakePipeWriteEnd.load(ordering: .relaxed)) }

  /// Also called in the signal handler. The byte is a variable, because a string literal would
  /// allocate, which deadlocks if the signal interrupted an allocation.
  private static func writeByte(to descriptor: Int32) {
    var byte: UInt8 = 0x0A
    _ = write(descriptor, &byte, 1)
  }

  /// Waits until one of these is true: `isDone` returns true, which is called after each
  /// ``wake()``; a descriptor is readable, closed or in error; the time has passed; or the run must
  /// end.
  ///
  /// - Parameters:
  ///   - descriptors: descriptors to poll; negative ones are ignored.
  ///   - seconds: the longest time to wait; nil for no limit.
  ///   - isDone: called on the waiting thread.
  package static func wait(
    for descriptors: Int32..., atMost seconds: Double? = nil,
    until isDone: () -> Bool = { false }
  ) {
    if isRequested || isDone() { return }
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    defer { isWaiting.store(false, ordering: .relaxed) }
    let clock = ContinuousClock()
    let end = seconds.map { clock.now + .seconds($0) }
    // `poll` ignores negative descriptors.
    var polled = ([wakePipeReadEnd.load(ordering: .relaxed)] + descriptors).map(entry)
    while !isRequested && !isDone() {
      var timeout: Int32 = -1
      if let end {
        let left = (end - clock.now) / .milliseconds(1)
        guard left > 0 else { return }
        timeout = Int32(min(left.rounded(.up), 1_000_000))
      }
      guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { continue }
      if polled.dropFirst().contains(where: { $0.revents != 0 }) { return }
      drainWakePipe()
    }
  }

  private static func entry(_ descriptor: Int32) -> pollfd {
    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }

  private static func drainWakePipe() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakePipeReadEnd.load(ordering: .relaxed), &bytes, bytes.count) == bytes.count {}
  }
}

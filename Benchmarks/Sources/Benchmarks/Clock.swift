#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Nanoseconds, of the kind that a measurement needs.
enum Clock {
  /// What this thread has computed: on a machine that does something else as well, that is steadier
  /// than the time of day.
  case thread
  /// All threads of this process.
  case process
  case wall

  func now() -> Double {
    var time = timespec()
    switch self {
    case .thread: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    case .process: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    case .wall: clock_gettime(CLOCK_MONOTONIC, &time)
    }
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The time that `body` takes, without that of asking for it.
  func time(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return max(now() - start - Clock.cost, 0)
  }

  /// What reading the thread's clock takes, which is a call of the kernel.
  private static let cost: Double = {
    let readings = (0..<1001).map { _ in Clock.thread.now() }
    return zip(readings.dropFirst(), readings).map { $0 - $1 }.median
  }()
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

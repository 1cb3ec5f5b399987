import CLua

/// Stops scripts that run for too long, or that are interrupted from another thread.
package final class TimeoutWatch: Sendable {
  // Proof: the pointer never changes, and it is freed in `deinit`. The fields that threads share
  // behind it are atomic, or are protected by the lock of `clock_thread.c`.
  nonisolated(unsafe) private let core: OpaquePointer

  /// How many nanoseconds scripts may take; 0 for any number.
  private let allowance: Int64
  private let isGuarded: Bool

  /// - Parameters:
  ///   - time: how long scripts may take until they are stopped, counted from each
  ///     ``restart()``; nil for any time.
  ///   - isGuarded: whether only calls that the test framework protects are stopped.
  package init(time: Duration?, isGuarded: Bool = true) throws(ScriptError) {
    guard let core = sl_watch_new() else { throw ScriptError("not enough memory", kind: .memory) }
    self.core = core
    self.isGuarded = isGuarded
    allowance = TurnLimits.nanoseconds(time)
  }

  /// The same with a time in seconds.
  package convenience init(seconds: Double?) throws(ScriptError) {
    // A `Duration` cannot have any number of seconds.
    try self.init(time: seconds.map { .seconds(min($0, 1e9)) })
  }

  deinit { sl_watch_free(core) }

  /// Runs `body` and watches what this thread runs in `vm` meanwhile. A thread can have one watch
  /// at a time.
  package func watching<R>(
    _ vm: LuaVM, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    guard sl_watch_begin(core, vm.core, allowance, isGuarded) else {
      throw ScriptError("no thread can be had that looks at the time")
    }
    defer {
      sl_watch_end(core)
      vm.releaseDeferred()
    }
    return try body()
  }

  /// Counts the time from now on.
  package func restart() { sl_watch_restart(core) }

  /// Stops what runs under this watch, and all that will run under it. May be called from any
  /// thread.
  package func interrupt() { sl_watch_interrupt(core) }

  package var isInterrupted: Bool { sl_watch_is_interrupted(core) }

  /// The message for scripts whose time is over.
  package var overrun: String {
    let seconds = Double(allowance) / 1e9
    let text = seconds == seconds.rounded() ? String(Int64(seconds)) : String(seconds)
    return "this takes longer than \(text) s"
  }

  /// Nanoseconds until the time is over, at least 0; nil if there is no deadline.
  package var remaining: Int64? {
    let deadline = sl_watch_deadline(core)
    return deadline == .max ? nil : max(0, deadline - sl_now())
  }
}

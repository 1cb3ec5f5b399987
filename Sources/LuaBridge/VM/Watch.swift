import CLua

/// Sees to it that scripts which run too long, or that somebody interrupts, are stopped.
package final class Watch: Sendable {
  // Proof: the pointer never changes and is freed when nobody has this any more; what several threads share behind it
  // is atomic or behind the lock of `interrupt.c`.
  nonisolated(unsafe) private let core: OpaquePointer

  /// Nanoseconds, for a time that scripts may take; nil for any.
  private let allowance: Int64
  private let isGuarded: Bool

  /// - Parameters:
  ///   - seconds: what scripts may take until they are stopped, counted from each ``restart()``.
  ///   - isGuarded: stops only what the test framework protects.
  package init(seconds: Double?, isGuarded: Bool = true) throws(ScriptError) {
    guard let core = sl_watch_new() else { throw ScriptError("not enough memory", kind: .memory) }
    self.core = core
    self.isGuarded = isGuarded
    allowance = seconds.map { Int64(max(1, min($0 * 1e9, 9e18))) } ?? 0
  }

  deinit { sl_watch_free(core) }

  /// Watches what this thread runs in a VM while `body` does so.
  package func watching<R>(
    _ vm: LuaVM, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    guard sl_watch_begin(core, vm.core, allowance, isGuarded) else {
      throw ScriptError("no thread can be had that looks at the time")
    }
    defer {
      sl_watch_end(core)
      vm.settle()
    }
    return try body()
  }

  /// The time counts anew.
  package func restart() { sl_watch_restart(core) }

  /// Stops what runs, from any thread.
  package func interrupt() { sl_watch_interrupt(core) }

  package var isInterrupted: Bool { sl_watch_is_interrupted(core) }

  /// What is said of scripts whose time is over.
  package var overrun: String {
    let seconds = Double(allowance) / 1e9
    let text = seconds == seconds.rounded() ? String(Int64(seconds)) : String(seconds)
    return "this takes longer than \(text) s"
  }

  /// Nanoseconds until the time is over, not less than 0; nil where it never is.
  package var remaining: Int64? {
    let deadline = sl_watch_deadline(core)
    return deadline == .max ? nil : max(0, deadline - sl_now())
  }
}

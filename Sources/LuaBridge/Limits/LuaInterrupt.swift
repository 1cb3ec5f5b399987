import CLua

/// Stops what a VM runs, from any thread: a cancel button.
///
/// ```swift
/// let interrupt = try lua.interrupt
/// button.action = { interrupt.cancel() }
/// do {
///   try lua.evaluate(text)
/// } catch where error.kind == .interrupted {
///   // The VM can be used again.
/// }
/// ```
///
/// It does not retain its VM, and may outlive it.
public final class LuaInterrupt: Sendable {
  // Proof: the pointer never changes, and it is freed in `deinit`. The fields that threads share
  // behind it are atomic.
  nonisolated(unsafe) private let core: OpaquePointer

  fileprivate init(_ vm: LuaVM) throws(ScriptError) {
    guard let core = sl_cancel_new() else {
      throw ScriptError("not enough memory", kind: .memory)
    }
    self.core = core
    guard sl_set_cancel(vm.core, core) else { throw .hasNoWatchdog }
  }

  deinit { sl_cancel_free(core) }

  /// Stops the call of the host that runs in the VM at this moment, with all that it calls: the
  /// next Lua instruction raises an error that scripts cannot catch, whose kind is
  /// ``ScriptError/Kind/interrupted``. A function of the host is not stopped; the script is when it
  /// returns, and ``LuaVM/isStopping`` lets it return early.
  ///
  /// If nothing runs, this does nothing: a later call is not affected. May be called from any
  /// thread, but not in a signal handler.
  public func cancel() { sl_request_cancel(core) }
}

extension LuaVM {
  /// What stops this VM from other threads. Each access returns the same object. Calls take some 20
  /// nanoseconds longer once it exists.
  ///
  /// - Throws: if the watchdog's thread cannot be started, or there is no memory.
  public var interrupt: LuaInterrupt {
    get throws(ScriptError) {
      if let interruptToken { return interruptToken }
      let token = try LuaInterrupt(self)
      interruptToken = token
      return token
    }
  }

  /// Whether scripts are being stopped: by a limit, or because they were interrupted. A function of
  /// the host that takes long asks for this from time to time, and returns when it is true; then
  /// the script is stopped. Only useful in such a function. O(1).
  public var isStopping: Bool { core.pointee.stop.reason != SL_STOP_NONE }

  /// The kind of the error by which scripts are being stopped; nil if they are not.
  package var stoppingKind: ScriptError.Kind? {
    isStopping ? ScriptError.Kind(core.pointee.stop.reason) : nil
  }
}

extension ScriptError {
  static var hasNoWatchdog: ScriptError {
    ScriptError("cannot start the thread that stops scripts")
  }
}

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

  deinit { sl_watch_free(core) }

  /// Runs `body` and watches what this thread runs in `vm` meanwhile. A thread can have one watch
  /// at a time.
  package func watching<R>(
    _ vm: LuaVM, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    guard sl_watch_begin(core, vm.core, allowance, isGuarded) else { throw .hasNoWatchdog }
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

/// The thread of the process that checks how long scripts run.
///
/// It signals threads whose scripts take too long. The handler of that signal is installed while
/// there is a VM whose time is limited, or that has a ``LuaInterrupt``. Signals that others send
/// are passed on to the handler that was installed before; that one is restored after the last such
/// VM.
///
/// In a child that `fork` has made, the first turn that begins there starts the watchdog again. If
/// a function of the host has forked, the turn in which it did so is not watched in the child.
public enum Watchdog {
  /// The number of the signal: `SIGURG`, unless the host has chosen another one with
  /// ``setSignal(_:)``.
  public static var signal: Int32 { sl_watch_signal() }

  /// Chooses another signal, for a process that needs `SIGURG` itself. The signal can have another
  /// use as well, but a handler that is installed while scripts run, and does not call the previous
  /// handler, disables all limits of time.
  ///
  /// If the signal had no handler before, signals that others send have no effect while the
  /// watchdog's handler is installed, even if they would end the process otherwise.
  ///
  /// - Throws: if the signal cannot be handled, or while there is a VM whose time is limited, or
  ///   that has a ``LuaInterrupt``.
  public static func setSignal(_ signal: Int32) throws(ScriptError) {
    guard sl_choose_watch_signal(signal) else {
      throw ScriptError(
        "the watchdog cannot have signal \(signal): choose one that can be handled, and do so before there is a VM whose time is limited or that can be interrupted"
      )
    }
  }
}

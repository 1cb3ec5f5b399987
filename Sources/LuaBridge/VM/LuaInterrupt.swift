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
    guard sl_set_cancel(vm.core, core) else {
      throw ScriptError("no thread can be had that interrupts scripts")
    }
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
}

import CLua

/// Failures of protected calls, and the Swift errors that caused them.
extension LuaVM {
  /// Throws the failure that a protected call has left in the VM, unless `status` is `LUA_OK`.
  func check(_ status: Int32) throws(ScriptError) {
    try check(status) { () throws(ScriptError) in }
  }

  /// Like ``check(_:)``, for a call that has left values on the tape, which `read` decodes.
  func check<R>(
    _ status: Int32, reading read: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    defer {
      releaseDeferred()
      releasePending()
    }
    if status != LUA_OK { throw ScriptError(status: status, in: self) }
    return try read()
  }

  /// The registry reference (owned) that a protected call stores in its argument.
  func reference(_ make: (inout Int32) -> Int32) throws(ScriptError) -> Int32 {
    var reference: Int32 = 0
    try check(make(&reference))
    return reference
  }

  /// Records the error that a host function threw, as the cause of the ``ScriptError`` that may
  /// follow. C raises it as the next string.
  func record(cause: any Error) {
    exchangeCause(for: cause)
    sl_set_thrown(&core.pointee.error, true)
  }

  /// Releases the old error after the access to `lastCause` has ended, as its `deinit` may call
  /// this VM.
  @discardableResult
  func exchangeCause(for new: (any Error)?) -> (any Error)? {
    var cause = new
    swap(&cause, &lastCause)
    return cause
  }

  /// Drops the recorded error before scripts run: what an earlier call threw and caught is not the
  /// cause of a later failure.
  @inline(__always)
  func forgetCause() {
    if hostCalls == 0 && lastCause != nil {
      exchangeCause(for: nil)
      sl_set_thrown(&core.pointee.error, false)
    }
  }

  /// The Swift error that caused the failure in the VM: scripts have not caught it, or have raised
  /// its message again.
  func takeCause() -> (any Error)? {
    let cause = exchangeCause(for: nil)
    return core.pointee.failure.is_thrown ? cause : nil
  }
}

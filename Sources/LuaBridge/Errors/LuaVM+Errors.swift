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
    // The error that was recorded before goes first: what its `deinit` does with this VM may take the cause.
    exchangeCause(for: nil)
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

/// Where scripts define functions, and where they are when they call the host.
extension LuaVM {
  /// Where a script defined the function that a thread runs; nil before it runs.
  package func definition(of thread: BodyThread) -> (script: String, line: Int)? {
    var line: Int32 = 0
    guard let script = sl_body_definition(thread.thread, &line) else { return nil }
    return (ScriptError.chunkName(script), Int(line))
  }

  /// `script:line` of the innermost script function, while a script calls the host; nil if there is
  /// none.
  package var scriptLocation: String? {
    sl_locate(&core.pointee.failure, core.pointee.L, 0)
    let failure = core.pointee.failure
    return failure.line > 0 ? "\(failure.script.string):\(failure.line)" : nil
  }

  /// Where a script defined the function of a body that has not started; nil for a host function.
  package func definition(of functions: BodyFunctions) -> (script: String, line: Int)? {
    let slot =
      switch functions {
      case .shared(let function, _): function.slot
      case .own(let run): run.function
      }
    return definition(ofSlot: slot).map { ($0.script, $0.line) }
  }

  func definition(ofSlot slot: Int32) -> (script: String, line: Int, parameters: Int?)? {
    var line: Int32 = 0
    var script: UnsafePointer<CChar>?
    let parameters = sl_parameters(core, slot, &line, &script)
    guard parameters != 255, let script else { return nil }
    return (ScriptError.chunkName(script), Int(line), parameters < 0 ? nil : Int(parameters))
  }
}

import CLua

/// What a host function does with its values.
public enum HostResult {
  /// Returns the values to the script.
  case values([LuaValue])
  /// Suspends the calling coroutine. ``LuaCoroutine/resume(_:)`` returns these values to the host.
  case yield([LuaValue])
}

/// A Swift function that scripts can call. If it throws, the script gets a Lua error with the
/// position of the call.
public typealias HostBody = ([LuaValue]) throws -> HostResult

/// The object in the box that a host function's closure in Lua holds.
final class HostFunction {
  let body: HostBody

  init(_ body: @escaping HostBody) { self.body = body }
}

extension LuaVM {
  /// Runs a host function for the C trampoline, and writes its results to `sl_vm.tapes.to_lua`.
  /// Never raises and never yields; the trampoline does so after this frame has returned.
  ///
  /// - Returns: the number of results, `SL_RAISE` or `SL_YIELD`.
  func call(_ function: HostFunction, tape: UnsafePointer<sl_value>?, arguments: Int) -> Int32 {
    hostCalls += 1
    let before = lent
    defer {
      hostCalls -= 1
      sl_subtract_temporary_memory(core, before)
    }
    var reader = TapeReader(vm: self, items: tape)
    var values: [LuaValue] = []
    values.reserveCapacity(arguments)
    do {
      for _ in 0..<arguments { values.append(try reader.next()) }
      // Releases collected objects and references now, as a script that calls host functions in a
      // loop would let them pile up.
      releaseDeferred()
      releasePending()
      switch try function.body(values) {
      case .values(let results):
        if let problem = writeResults(results) { return refuse(problem) }
        return Int32(results.count)
      case .yield(let results):
        if let problem = writeResults(results) { return refuse(problem) }
        sl_set_yielded(&core.pointee.tapes, Int32(results.count))
        return SL_YIELD
      }
    } catch {
      return raise(error)
    }
  }

  private func refuse(_ problem: TapeWriter.Problem) -> Int32 {
    sl_discard_tape_to_lua(&core.pointee.tapes)
    setError(problem.rawValue)
    return SL_RAISE
  }

  /// Prepares a Swift error for the trampoline to raise. Returns `SL_RAISE`.
  func raise(_ error: any Error) -> Int32 {
    retainUntilPushed(error)
    sl_begin_tape_to_lua(&core.pointee.tapes)
    if error is Cancelled {
      var writer = TapeWriter(core: core)
      writer.addCancelled()
      return SL_RAISE
    }
    guard let script = error as? ScriptError else {
      let message = String(describing: error)
      record(cause: error)
      setError(message)
      return SL_RAISE
    }
    if let value = script.value {
      if let problem = write([.value(value)]) { return refuse(problem) }
    } else if script.script != nil {
      // The error has its own position, so it is raised as a value, without the position of this
      // call.
      if let problem = write([.string(script.description)]) { return refuse(problem) }
      record(cause: script)
    } else {
      record(cause: script)
      setError(script)
    }
    return SL_RAISE
  }

  /// Stores the message that the trampoline raises with the position of the call. If the error is
  /// about a limit that the host counts (`actions`, `effects`), stops the scripts, so that they
  /// cannot catch it.
  func setError(_ error: ScriptError) {
    setError(error.message)
    guard let reason = error.kind.stop, let exceeded = error.exceeded,
      sl_can_stop(&core.pointee.turn)
    else {
      return
    }
    error.message.withChars { sl_stop_at_limit(core, reason, exceeded.allowed, $0, $1) }
  }

  func setError(_ message: String) { core.setError(message) }
}

extension UnsafeMutablePointer<sl_vm> {
  /// Stores the message that C raises.
  func setError(_ message: String) { message.withChars { sl_set_error(self, $0, $1) } }
}

extension String {
  /// Calls `body` with the UTF-8 bytes and their number.
  func withChars(_ body: (UnsafePointer<CChar>?, Int) -> Void) {
    var text = self
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
    }
  }
}

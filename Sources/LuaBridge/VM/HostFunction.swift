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
  /// What words the errors about arguments; nil if the function takes any.
  let typed: TypedFunction?
  /// Reads the arguments and writes the results. Returns what ``LuaVM/call(_:tape:arguments:)`` returns.
  let body: (inout HostCall) throws -> Int32

  init(_ typed: TypedFunction? = nil, _ body: @escaping (inout HostCall) throws -> Int32) {
    self.typed = typed
    self.body = body
  }
}

extension LuaVM {
  /// A function that scripts can call, with any number of arguments and results.
  ///
  /// - Parameters:
  ///   - name: the function's name in messages.
  ///   - tablesAsValues: passes plain tables to `body` as ``LuaValue/value(_:)``, checked as state
  ///     is, instead of by reference.
  ///   - body: the function. The VM retains `body`, so neither is ever released if `body` retains
  ///     this VM or one of its references: let it get the VM, or capture them `unowned` or `weak`.
  public func makeFunction(
    _ name: String, tablesAsValues: Bool = false,
    _ body: @escaping (LuaVM, [LuaValue]) throws -> HostResult
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(name, tablesAsValues: tablesAsValues, takesBytes: !tablesAsValues, body)
  }

  /// - Parameter takesBytes: whether an argument may be a string that is not UTF-8.
  package func makeFunction(
    _ name: String, tablesAsValues: Bool, takesBytes: Bool,
    _ body: @escaping (LuaVM, [LuaValue]) throws -> HostResult
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(
      name, tablesAsValues: tablesAsValues,
      body: HostFunction { call in
        let arguments = try call.values()
        call.releaseDeferred()
        if !takesBytes, arguments.contains(where: { if case .bytes = $0 { true } else { false } }) {
          throw ScriptError("\(name): a string that is not UTF-8 cannot be stored in state")
        }
        switch try body(call.vm, arguments) {
        case .values(let results): return call.finish(results)
        case .yield(let results): return call.yield(results)
        }
      })
  }

  /// The same for a body that does not need the VM.
  public func makeFunction(
    _ name: String, tablesAsValues: Bool = false, _ body: @escaping HostBody
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(name, tablesAsValues: tablesAsValues) { _, arguments in try body(arguments) }
  }

  func makeFunction(
    _ name: String, tablesAsValues: Bool = false, body function: HostFunction
  ) throws(ScriptError) -> LuaFunction {
    let slot = try reference { slot in
      withExtendedLifetime(function) {
        sl_new_function(
          core, Unmanaged.passUnretained(function).toOpaque(), name, tablesAsValues, &slot)
      }
    }
    return LuaFunction(vm: self, slot: slot)
  }

  /// Runs a host function for the C function that scripts call, and writes its results to `sl_vm.tapes.to_lua`.
  /// Never raises and never yields; C does so after this frame has returned.
  ///
  /// - Returns: the number of results, `SL_RAISE` or `SL_YIELD`.
  func call(_ function: HostFunction, tape: UnsafePointer<sl_value>?, arguments: Int) -> Int32 {
    hostCalls += 1
    let before = lent
    defer {
      hostCalls -= 1
      returnLent(downTo: before)
    }
    var call = HostCall(vm: self, tape: tape, count: arguments)
    do {
      return try function.body(&call)
    } catch {
      return raise(function.typed?.described(error) ?? error)
    }
  }

  /// Lets C raise the reason why values cannot be pushed. Returns `SL_RAISE`.
  func refuse(_ problem: TapeWriter.Problem) -> Int32 {
    sl_begin_tape_to_lua(&core.pointee.tapes)
    sl_set_thrown(&core.pointee.error, false)
    setError(problem.rawValue)
    return SL_RAISE
  }

  /// Prepares a Swift error for C to raise. Returns `SL_RAISE`.
  func raise(_ error: any Error) -> Int32 {
    retainUntilPushed(error)
    let script = error as? ScriptError
    let message = script?.message ?? String(describing: error)
    if !(error is Cancelled), script?.value == nil { record(cause: error) }
    // Only now: the description of an error, and the `deinit` of the one that was recorded before, may use the VM and
    // with it the tape.
    sl_begin_tape_to_lua(&core.pointee.tapes)
    if error is Cancelled {
      var writer = TapeWriter(core: core)
      writer.addCancelled()
    } else if let value = script?.value {
      if let problem = write([.value(value)]) { return refuse(problem) }
    } else if let script, script.script != nil {
      // The error has its own position, so it is raised as a value, without the position of this
      // call.
      let text = script.isBare ? message : script.description
      if let problem = write([.string(text)]) { return refuse(problem) }
    } else if let script {
      setError(script)
    } else {
      setError(message)
    }
    return SL_RAISE
  }

  /// Stores the message that C raises with the position of the call. If the error is
  /// about a limit that the host counts (`actions`, `effects`), stops the scripts, so that they
  /// cannot catch it.
  func setError(_ error: ScriptError) {
    setError(error.message)
    guard let reason = error.kind.stop, let exceeded = error.exceeded,
      sl_can_stop(&core.pointee.turn)
    else {
      return
    }
    error.message.withChars { sl_stop(core, reason, exceeded.allowed, $0, $1) }
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

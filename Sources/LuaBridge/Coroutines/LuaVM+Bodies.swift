import CLua
import ScriptValue

// Runs the bodies of effects on Lua threads.
//
// States of a ``BodyThread``:
//
// ```
//  idle ──start──▶ running ──.waits, .suspended──▶ waiting ──resume──▶ running
//                     │                               └──stop──▶ released
//                     └──.finished, .cancelled, .failed──▶ ended ──recycle──▶ idle
//                                                            └──stop──▶ released
// ```
//
// Invariants:
// 1. A thread runs one body at a time. ``LuaVM/takeThread()`` returns an idle thread, or makes one.
// 2. A thread whose body failed for lack of memory, or was stopped, is not recycled.
// 3. The references in ``RunFunctions`` have one owner. Starting the body consumes them; if it
//    never starts, ``LuaVM/release(_:)`` releases them.

extension LuaVM {
  private static let mostIdleThreads = 256

  /// An idle thread for a body. When the body has ended, the caller must pass the thread to
  /// ``recycle(_:)`` or ``stop(_:)``.
  package func takeThread() throws(ScriptError) -> BodyThread {
    if let idle = idleThreads.popLast() { return idle }
    let (thread, reference) = try makeThread()
    return BodyThread(thread: thread, reference: reference)
  }

  /// Makes a thread idle after its body has ended, or releases it if there are enough idle threads.
  package func recycle(_ thread: BodyThread) {
    if idleThreads.count < LuaVM.mostIdleThreads {
      idleThreads.append(thread)
    } else {
      sl_release(core, thread.reference)
    }
  }

  /// Ends a waiting body and releases its thread. Its `<close>` variables are closed, and cannot
  /// wait.
  package func stop(_ thread: BodyThread) {
    _ = sl_thread_close(core, thread.thread)
    sl_release(core, thread.reference)
  }

  /// Starts a body as `function(send, deps)`, and runs it to its first wait or to the end of its
  /// slice. It reads views of `generation`.
  ///
  /// - Parameters:
  ///   - functions: consumed if they are `.own`.
  ///   - serial: identifies the body in calls of its `send`; 0 for a function without arguments.
  ///   - dependencies: the value of `deps`.
  package func start(
    _ thread: BodyThread, _ functions: BodyFunctions, dependencies: LuaReference?, serial: UInt64,
    generation: UInt64
  ) -> BodyOutcome {
    var body = sl_body()
    switch functions {
    case .shared(let function, let catching):
      body.function = function.slot
      body.catching = catching?.slot ?? LUA_NOREF
    case .own(let run):
      (body.function, body.catching, body.owns) = (run.function, run.catching, true)
    }
    body.dependencies = dependencies?.slot ?? LUA_NOREF
    body.serial = serial
    return withViews(of: generation) {
      var (outcome, raised): (Int32, Int32) = (0, LUA_NOREF)
      let status = sl_body_start(core, thread.thread, &body, &outcome, &raised)
      return read(status, outcome, raised)
    }
  }

  /// Continues a body after a wait or a suspension, to its next wait or to the end of its slice.
  package func resume(
    _ thread: BodyThread, _ resumption: BodyResumption, generation: UInt64
  ) -> BodyOutcome {
    withViews(of: generation) {
      sl_begin_tape_to_lua(&core.pointee.tapes)
      var mode = SL_RESUME_VALUES
      var count = 0
      var problem: TapeWriter.Problem?
      switch resumption {
      case .values(let values):
        if !values.isEmpty { problem = write(values) }
        count = values.count
      case .raise(let reference):
        problem = write([.other(reference)])
        (mode, count) = (SL_RESUME_ERROR_VALUE, 1)
      case .goOn: break
      case .cancel: mode = SL_RESUME_CANCELLED
      case .stop(let error):
        setError(error.message)
        mode = SL_RESUME_ERROR
      case .error(let error):
        _ = raise(error)
        mode = core.pointee.tapes.to_lua.count > 0 ? SL_RESUME_ERROR_VALUE : SL_RESUME_ERROR
        // One value, even if it takes several entries of the tape.
        count = mode == SL_RESUME_ERROR_VALUE ? 1 : 0
      }
      if let problem {
        setError(problem.rawValue)
        (mode, count) = (SL_RESUME_ERROR, 0)
      }
      var (outcome, raised): (Int32, Int32) = (0, LUA_NOREF)
      let status = withExtendedLifetime(resumption) {
        sl_body_resume(
          core, thread.thread, mode, core.pointee.tapes.to_lua.items, Int32(count), &outcome,
          &raised)
      }
      return read(status, outcome, raised)
    }
  }

  /// Runs `body` with the views of `generation` valid.
  @inline(__always)
  private func withViews<R, Failure: Error>(
    of generation: UInt64, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    forgetCause()
    let outer = sl_set_valid_views(&core.pointee.drafts, generation)
    defer { _ = sl_set_valid_views(&core.pointee.drafts, outer) }
    return try body()
  }

  /// Calls a function that belongs to an effect, outside of a body, with `value` as its argument.
  /// Returns the first result.
  package func call(
    _ function: FunctionToken, _ value: Value, generation: UInt64
  ) throws(ScriptError) -> LuaValue {
    try withViews(of: generation) { () throws(ScriptError) in
      let status = try withTape([LuaValue(value)]) {
        sl_call(core, core.pointee.L, function.slot, $0, 1, true)
      }
      return try readResults(after: status).first ?? .nil
    }
  }

  /// Converts the outcome of C. `raised` is a reference (owned) to the raised value, or
  /// `LUA_NOREF`.
  @inline(__always)
  private func read(_ status: Int32, _ outcome: Int32, _ raised: Int32) -> BodyOutcome {
    defer {
      releaseDeferred()
      releasePending()
    }
    if status == LUA_OK {
      switch outcome {
      case SL_BODY_WAITING: return .waits
      case SL_BODY_FINISHED: return .finished
      case SL_BODY_CANCELLED: return .cancelled
      case SL_BODY_SUSPENDED: return .suspended(BodyUse(core: core.pointee.body.use))
      default: break
      }
    }
    let value = raised == LUA_NOREF ? nil : LuaReference(vm: self, slot: raised)
    return .failed(ScriptError(status: status == LUA_OK ? LUA_ERRRUN : status, in: self), value)
  }

  /// Whether bodies that compute for long are suspended at the end of their time slice.
  package var timesSlices: Bool {
    get { core.pointee.body.slice.is_timed }
    set { sl_time_slices(&core.pointee.body, newValue) }
  }

  /// Throws unless the script that calls a host function may wait: it must run in a body, and not
  /// in a callback of a library function.
  ///
  /// - Parameter name: the host function's name, for the message.
  package func checkCanWait(_ name: String) throws(ScriptError) {
    guard !sl_can_wait(core.pointee.L, name) else { return }
    throw ScriptError(core.pointee.error.message.string)
  }

  /// Whether a function is the `sleep` of a clock, and that clock; nil is the store's clock.
  package func clock(ofSleep function: LuaFunction) -> (isSleep: Bool, clock: AnyObject?) {
    var clock: UnsafeMutableRawPointer?
    let isSleep = sl_is_clock_sleep(core, function.slot, &clock)
    return (isSleep, clock.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() })
  }

  /// Whether a handler runs. Nothing but its drafts may change the state meanwhile.
  package var isHandling: Bool { core.pointee.drafts.valid.generation != 0 }

  /// The generation that the views of the next handler call will have.
  @inline(__always)
  package var nextGeneration: UInt64 { core.pointee.drafts.last_generation + 1 }

  /// Releases the functions of a body that will not be started. Must not be called while Lua
  /// collects garbage.
  package func release(_ functions: RunFunctions) {
    sl_release(core, functions.function)
    sl_release(core, functions.catching)
  }

  /// Converts functions for an effect that may be started again. Consumes `functions`.
  package func tokens(
    of functions: RunFunctions
  ) -> (function: FunctionToken, catching: FunctionToken?) {
    let catching = functions.catching == LUA_NOREF ? nil : token(of: functions.catching)
    return (token(of: functions.function), catching)
  }

  /// Consumes a registry reference.
  func token(of slot: Int32) -> FunctionToken { FunctionToken(slot: slot, of: self) }
}

/// The functions of one `effect.run`, as references (owned). See invariant 3 in LuaVM+Bodies.swift.
package struct RunFunctions {
  let function: Int32
  /// The function that gets an error that the body raises. `LUA_NOREF` if there is none.
  let catching: Int32
}

/// The result of `effect.run`, as a handler returned it.
package struct ScriptRun {
  package let functions: RunFunctions
  /// The id by which the effect can be cancelled; always a scalar.
  package let id: Value?
  package let cancelInFlight: Bool
}

/// The function of a body, and the function that gets an error that the body raises.
package enum BodyFunctions {
  /// Of an effect that may be started more than once.
  case shared(FunctionToken, catching: FunctionToken?)
  /// Of an effect that is started at most once. Starting consumes the references.
  case own(RunFunctions)
}

/// A Lua thread that runs bodies, one after the other, and its registry reference (owned).
package struct BodyThread {
  let thread: OpaquePointer
  let reference: Int32
}

/// How far a body ran.
package enum BodyOutcome {
  case waits
  /// At the end of its slice.
  case suspended(BodyUse)
  case finished
  /// By `effect.cancelled`, which the body did not catch.
  case cancelled
  /// The error, and the raised Lua value if there is one.
  case failed(ScriptError, LuaReference?)
}

/// What a suspended body has used of the limits of its turn so far.
package struct BodyUse {
  let core: sl_use
}

/// How a waiting or suspended body continues.
package enum BodyResumption {
  case values([LuaValue])
  /// Raises the error in the body, as if the function that waits had thrown it.
  case error(any Error)
  /// Raises a Lua value in the body.
  case raise(LuaReference)
  case cancel
  /// Continues to compute after a suspension.
  indirect case goOn(BodyUse)
  /// Raises the error because a part of the body, such as one of `effect.all`, was stopped.
  case stop(ScriptError)
}

/// A host function throws this to raise `effect.cancelled`.
package struct Cancelled: Error { package init() {} }

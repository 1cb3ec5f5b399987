import CLua

/// What makes effects and runs them: a store's side of the functions that scripts use for effects.
package protocol EffectHost: AnyObject {
  /// The effect of an operation `SL_EFFECT_…`.
  func makeEffect(
    _ operation: Int32, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect

  /// What a body's `send` does.
  func send(from body: UInt64, _ arguments: inout EffectArguments) throws(ScriptError)

  /// The same with an effect (+0) that sends the same; why it is refused, if it is.
  func send(from body: UInt64, _ effect: Unmanaged<BoxedEffect>) -> ScriptError?

  /// Makes the running body wait on a clock, nil for the store's; false if it was cancelled.
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool
}

/// The arguments of such a function, one after the other.
package struct EffectArguments {
  private var reader: TapeReader

  init(vm: LuaVM, items: UnsafePointer<sl_value>?) {
    reader = TapeReader(vm: vm, items: items)
  }

  /// An effect, nil if it is something else.
  package mutating func effect() -> BoxedEffect? { reader.nextEffect() }

  /// What `effect.run` made, nil if it is something else.
  package mutating func run() -> (
    function: FunctionToken, catching: FunctionToken?, id: Value?, cancelInFlight: Bool
  )? {
    guard let run = reader.nextRun() else { return nil }
    let (function, catching) = (run.functions.function, run.functions.catching)
    return (
      reader.vm.token(of: function), catching == LUA_NOREF ? nil : reader.vm.token(of: catching),
      run.id, run.cancelInFlight
    )
  }

  /// A function, nil if it is absent.
  package mutating func function() -> FunctionToken? { reader.nextFunction() }

  /// A value of state, nil if it is absent.
  package mutating func value() throws(ScriptError) -> Value? {
    if reader.skipsAbsent() { return nil }
    return try reader.nextValue()
  }

  package mutating func flag() -> Bool { reader.nextFlag() }
  package mutating func number() -> Double { reader.nextNumber() }
}

/// The functions of a run in the registry. Whoever has them starts them, or lets go of them by
/// ``LuaVM/forget(_:)-(RunFunctions)``.
package struct RunFunctions {
  let function: Int32
  /// `LUA_NOREF` if there is none.
  let catching: Int32
}

/// What `effect.run` made, as a handler returned it.
package struct ScriptRun {
  package let functions: RunFunctions
  /// By which it can be cancelled; always a scalar.
  package let id: Value?
  package let cancelInFlight: Bool
}

/// The function of a body and that which catches what it raises.
package enum BodyFunctions {
  /// Of an effect that may be started again.
  case shared(FunctionToken, catching: FunctionToken?)
  /// Of one that is started now, or never.
  case own(RunFunctions)
}

/// A Lua thread that runs the bodies of effects, one after the other.
package struct BodyThread {
  let thread: OpaquePointer
  let reference: Int32
}

/// How far a body came.
package enum BodyOutcome {
  case waits
  /// Where its slice ended.
  case suspended(BodyUse)
  case finished
  /// By `effect.cancelled`, which nothing caught.
  case cancelled
  /// What was raised, and the same as the value that Lua has.
  case failed(ScriptError, LuaReference?)
}

/// What a suspended body has used of its turn's limits so far.
package struct BodyUse {
  let core: sl_use
}

/// How a wait ends.
package enum BodyResumption {
  case values([LuaValue])
  /// Raises the error, as if the function that waits had thrown it.
  case error(any Error)
  /// Raises a value of Lua's.
  case raise(LuaReference)
  case cancel
  /// It was suspended, and goes on computing.
  indirect case goOn(BodyUse)
  /// A part of it was stopped, and so is it.
  case stop(ScriptError)
}

/// Thrown by a host function to raise `effect.cancelled`.
package struct Cancelled: Error { package init() {} }

extension LuaVM {
  private static let mostIdleThreads = 256

  /// A thread for a body, to be given back to ``recycle(_:)`` when it has ended, or to ``stop(_:)``.
  package func takeThread() throws(ScriptError) -> BodyThread {
    if let idle = idleThreads.pointee.popLast() { return idle }
    var reference: Int32 = 0
    var thread: OpaquePointer?
    try check(sl_body_thread(core, &reference, &thread))
    guard let thread else { throw ScriptError("not enough memory", kind: .memory) }
    return BodyThread(thread: thread, reference: reference)
  }

  package func recycle(_ thread: BodyThread) {
    if idleThreads.pointee.count < LuaVM.mostIdleThreads {
      idleThreads.pointee.append(thread)
    } else {
      sl_release(core, thread.reference)
    }
  }

  /// Ends a waiting body for good: its `<close>` variables are closed, and cannot wait.
  package func stop(_ thread: BodyThread) {
    _ = sl_thread_close(core, thread.thread)
    sl_release(core, thread.reference)
  }

  /// Starts a body: `function(send, deps)`, up to its first wait or the end of its slice. Its views are those of `generation`.
  ///
  /// - Parameters:
  ///   - functions: let go of here, if they are the body's own.
  ///   - serial: what its `send` says it is; 0 for a function without arguments.
  ///   - dependencies: what `deps` is.
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

  /// Goes on after a wait or a slice.
  package func resume(
    _ thread: BodyThread, _ resumption: BodyResumption, generation: UInt64
  ) -> BodyOutcome {
    withViews(of: generation) {
      core.pointee.results.count = 0
      core.pointee.text.count = 0
      var mode = SL_RESUME_VALUES
      var count = 0
      var problem: TapeWriter.Problem?
      switch resumption {
      case .values(let values):
        if !values.isEmpty { problem = write(values) }
        count = values.count
      case .raise(let reference):
        problem = write([.other(reference)])
        (mode, count) = (SL_RESUME_VALUE, 1)
      case .goOn: break
      case .cancel: mode = SL_RESUME_CANCELLED
      case .stop(let error):
        setError(error.message)
        mode = SL_RESUME_ERROR
      case .error(let error):
        _ = raise(error)
        mode = core.pointee.results.count > 0 ? SL_RESUME_VALUE : SL_RESUME_ERROR
        // One value, however long it is on the tape.
        count = mode == SL_RESUME_VALUE ? 1 : 0
      }
      if let problem {
        setError(problem.rawValue)
        (mode, count) = (SL_RESUME_ERROR, 0)
      }
      var (outcome, raised): (Int32, Int32) = (0, LUA_NOREF)
      let status = withExtendedLifetime(resumption) {
        sl_body_resume(
          core, thread.thread, mode, core.pointee.results.items, Int32(count), &outcome, &raised)
      }
      return read(status, outcome, raised)
    }
  }

  @inline(__always)
  private func withViews<R, Failure: Error>(
    of generation: UInt64, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    forgetCause()
    let outer = core.pointee.view_generation
    core.pointee.view_generation = generation
    defer { core.pointee.view_generation = outer }
    return try body()
  }

  /// Calls a function of an effect outside of a body, with values for arguments; for its first result.
  package func call(
    _ function: FunctionToken, _ value: Value, generation: UInt64
  ) throws(ScriptError) -> LuaValue {
    try withViews(of: generation) { () throws(ScriptError) in
      var count: Int32 = 0
      let status = try withTape([LuaValue(value)]) {
        sl_call(core, core.pointee.L, function.slot, $0, 1, true, &count)
      }
      return try readResults(Int(count), after: status).first ?? .nil
    }
  }

  @inline(__always)
  private func read(_ status: Int32, _ outcome: Int32, _ raised: Int32) -> BodyOutcome {
    defer {
      settle()
      releaseForgotten()
    }
    if status == LUA_OK {
      switch outcome {
      case SL_BODY_WAITING: return .waits
      case SL_BODY_FINISHED: return .finished
      case SL_BODY_CANCELLED: return .cancelled
      case SL_BODY_SUSPENDED: return .suspended(BodyUse(core: core.pointee.use))
      default: break
      }
    }
    let value = raised == LUA_NOREF ? nil : LuaReference(vm: self, slot: raised)
    return .failed(ScriptError(status: status == LUA_OK ? LUA_ERRRUN : status, in: self), value)
  }

  /// Whether bodies that take long are suspended at the end of their time slice.
  package var timesSlices: Bool {
    get { core.pointee.times_slices }
    set { core.pointee.times_slices = newValue }
  }

  /// Throws unless the function that a host function is called by may wait: that is inside of a body, where no
  /// library function runs a callback.
  package func checkCanWait(_ name: String) throws(ScriptError) {
    guard !sl_can_wait(core.pointee.L, name) else { return }
    throw ScriptError(core.pointee.error.string)
  }

  /// Where a script defined the function that a thread runs; nil before it does.
  package func definition(of thread: BodyThread) -> (script: String, line: Int)? {
    var line: Int32 = 0
    guard let script = sl_body_definition(thread.thread, &line) else { return nil }
    return (ScriptError.chunkName(script), Int(line))
  }

  /// `script:line` of the innermost function that is a script's, while a script calls the host.
  package var place: String? {
    sl_locate(core, core.pointee.L, 0)
    let failure = core.pointee.failure
    return failure.line > 0 ? "\(failure.script.string):\(failure.line)" : nil
  }

  /// Whether a function is the `sleep` of a clock, and of which: nil is the store's.
  package func clock(ofSleep function: LuaFunction) -> (isSleep: Bool, clock: AnyObject?) {
    var clock: UnsafeMutableRawPointer?
    let isSleep = sl_sleeps(core, function.slot, &clock)
    return (isSleep, clock.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() })
  }

  /// Whether a handler runs, whose state nothing else may change.
  package var isHandling: Bool { core.pointee.generation != 0 }

  /// The generation that the views of the next call of a handler will have.
  @inline(__always)
  package var nextGeneration: UInt64 { core.pointee.last_generation + 1 }

  /// Where a script defined the function of a body that has not started; nil for one of the host's.
  package func definition(of functions: BodyFunctions) -> (script: String, line: Int)? {
    let slot =
      switch functions {
      case .shared(let function, _): function.slot
      case .own(let run): run.function
      }
    return definition(ofSlot: slot).map { ($0.script, $0.line) }
  }

  /// Lets go of what is not going to be started. Not while Lua collects garbage.
  package func forget(_ functions: RunFunctions) {
    sl_release(core, functions.function)
    sl_release(core, functions.catching)
  }

  /// The same for an effect that may be started again; takes them over.
  package func tokens(
    of functions: RunFunctions
  ) -> (function: FunctionToken, catching: FunctionToken?) {
    let catching = functions.catching == LUA_NOREF ? nil : token(of: functions.catching)
    return (token(of: functions.function), catching)
  }

  fileprivate func token(of slot: Int32) -> FunctionToken { FunctionToken(slot: slot, of: self) }

  /// The run that a handler has returned is on the tape.
  func takeRun() -> ScriptRun? {
    var reader = TapeReader(vm: self, items: core.pointee.tape.items)
    return reader.nextRun()
  }
}

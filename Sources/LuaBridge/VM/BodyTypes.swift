import CLua
import ScriptValue

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

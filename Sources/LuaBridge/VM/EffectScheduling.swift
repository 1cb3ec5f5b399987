import CLua
import ScriptValue

/// Makes effects for scripts, and does what their running bodies ask for.
package protocol EffectScheduling: AnyObject {
  /// Makes the effect of an operation.
  func makeEffect(
    _ operation: EffectOperation, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect

  /// Sends an action for a body's `send(action, payload?)`. `body` is the serial of the body.
  ///
  /// - Parameter waits: whether the body can wait.
  /// - Returns: whether it must wait, for the action to be durable.
  func send(
    from body: UInt64, _ arguments: inout EffectArguments, waits: Bool
  ) throws(ScriptError) -> Bool

  /// The same for the action of `effect` (+0), which was made for the same path.
  func send(
    from body: UInt64, _ effect: Unmanaged<BoxedEffect>, waits: Bool
  ) throws(ScriptError) -> Bool

  /// Suspends the running body on a clock, nil for the store's, for a number of seconds or until a
  /// time. Returns false if the body was cancelled.
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool
}

/// What makes an effect: a function of scripts. The raw values are C's `SL_EFFECT_…`.
package enum EffectOperation: Int32, CaseIterable {
  case send, run, cancellable, cancel, debounce, throttle, map, transaction, animation, dismiss
  case alarm, cancelAlarm
}

/// The base class of Swift objects that scripts see as effects.
// `@unchecked`, because the conformance of a class that is not final cannot be checked. Proof: this
// class stores nothing; a subclass is responsible for what it adds.
open class BoxedEffect: @unchecked Sendable {
  public init() {}
}

/// Reads the arguments of an effect operation one after the other.
package struct EffectArguments {
  private var reader: TapeReader

  init(vm: LuaVM, items: UnsafePointer<sl_value>?) {
    reader = TapeReader(vm: vm, items: items)
  }

  /// The next argument as an effect; nil if it is something else.
  package mutating func effect() -> BoxedEffect? { reader.nextEffect() }

  /// The next argument as the result of `effect.run`; nil if it is something else.
  package mutating func run() -> (
    function: FunctionToken, catching: FunctionToken?, id: Value?, cancelInFlight: Bool
  )? {
    guard let run = reader.nextRun() else { return nil }
    let (function, catching) = reader.vm.tokens(of: run.functions)
    return (function, catching, run.id, run.cancelInFlight)
  }

  /// The next argument as a function; nil if it is absent.
  package mutating func function() -> FunctionToken? { reader.nextFunction() }

  /// The next argument as a value of state; nil if it is absent.
  package mutating func value() throws(ScriptError) -> Value? {
    if reader.skipsAbsent() { return nil }
    return try reader.nextValue()
  }

  package mutating func flag() -> Bool { reader.nextFlag() }
  package mutating func number() -> Double { reader.nextNumber() }
}

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

/// What makes an effect: a function of scripts, by the number `SL_EFFECT_…` that C has for it.
package enum EffectOperation {
  case send, run, cancellable, cancel, debounce, throttle, map, transaction, animation, dismiss
  case alarm, cancelAlarm

  init(_ number: Int32) {
    self =
      switch number {
      case SL_EFFECT_SEND: .send
      case SL_EFFECT_RUN: .run
      case SL_EFFECT_CANCELLABLE: .cancellable
      case SL_EFFECT_CANCEL: .cancel
      case SL_EFFECT_DEBOUNCE: .debounce
      case SL_EFFECT_THROTTLE: .throttle
      case SL_EFFECT_MAP: .map
      case SL_EFFECT_TRANSACTION: .transaction
      case SL_EFFECT_ANIMATION: .animation
      case SL_EFFECT_DISMISS: .dismiss
      case SL_EFFECT_ALARM: .alarm
      case SL_EFFECT_CANCEL_ALARM: .cancelAlarm
      default: preconditionFailure("C has no effect operation \(number)")
      }
  }
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
    let (function, catching) = (run.functions.function, run.functions.catching)
    return (
      reader.vm.token(of: function), catching == LUA_NOREF ? nil : reader.vm.token(of: catching),
      run.id, run.cancelInFlight
    )
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

import CLua

/// Makes effects for scripts, and does what their running bodies ask for.
package protocol EffectScheduling: AnyObject {
  /// Makes the effect of an operation.
  func makeEffect(
    _ operation: EffectOperation, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect

  /// Sends an action for a body's `send(action, payload?)`. `body` is the serial of the body.
  func send(from body: UInt64, _ arguments: inout EffectArguments) throws(ScriptError)

  /// Sends the action of `effect` (+0), which was made for the same path. Returns the error if the
  /// action is refused.
  func send(from body: UInt64, _ effect: Unmanaged<BoxedEffect>) -> ScriptError?

  /// Suspends the running body on a clock, nil for the store's, for a number of seconds or until a
  /// time. Returns false if the body was cancelled.
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool
}

/// What makes an effect: a function of scripts, by the number `SL_EFFECT_…` that C has for it.
package enum EffectOperation {
  case send, run, cancellable, cancel, debounce, throttle, map, transaction, animation, dismiss

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
      default: preconditionFailure("C has no effect operation \(number)")
      }
  }
}

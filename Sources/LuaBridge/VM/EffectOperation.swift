import CLua

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

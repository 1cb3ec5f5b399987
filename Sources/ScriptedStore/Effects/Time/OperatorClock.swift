import LuaBridge

/// The clock for the waits that operators make themselves: `debounce`, `throttle` and
/// `effect.timeout`. It is the clock in the feature's `deps`.
enum OperatorClock {
  /// The store's clock.
  case store
  case clock(SchedulerClock)
  /// A test has given the feature no clock.
  case unimplemented
}

extension EffectRunner {
  /// The clock for the waits that operators of effects with this ``EffectOwner`` make. Throws and
  /// reports it if a test has given none.
  ///
  /// - Parameters:
  ///   - use: what waits, for messages.
  ///   - origin: the source line of the effect.
  func clock(
    of owner: EffectOwner?, for use: String, at origin: @autoclosure () -> String?
  ) throws(ScriptError) -> SchedulerClock {
    guard let owner else { return clock }
    switch owner.scope.timing {
    case .store: return clock
    case .clock(let clock): return clock
    case .unimplemented:
      throw report(UnimplementedCall(forWaitOf: use, by: owner.feature, origin: origin()))
    }
  }

  /// Reports a call of a dependency that has no value in tests. Returns the error to raise.
  func report(_ call: UnimplementedCall) -> ScriptError {
    engine.tests?.report(call)
    return ScriptError(call.message, cause: call)
  }
}

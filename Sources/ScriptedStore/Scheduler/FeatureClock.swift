import LuaBridge

/// What the effects of a feature wait on where they do so by themselves, in `debounce`, `throttle` and
/// `effect.timeout`: the clock that it has in `deps`.
enum Timing {
  /// The store's clock.
  case store
  case clock(SchedulerClock)
  /// In a test, which has to give it one.
  case unimplemented
}

extension EffectRunner {
  /// What an owner's effects wait on by themselves. Throws where that is unimplemented, and reports it.
  ///
  /// - Parameters:
  ///   - use: what waits, for messages.
  ///   - origin: the line at which it does.
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

  /// Tells who wants to know of a call of something that has no value in tests; the error that it raises.
  func report(_ call: UnimplementedCall) -> ScriptError {
    onUnimplemented?(call)
    return ScriptError(call.message, cause: call)
  }
}

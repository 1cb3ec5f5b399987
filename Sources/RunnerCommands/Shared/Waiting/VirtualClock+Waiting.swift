import ScriptedStore

extension VirtualClock {
  /// Lets time pass. Returns when the effects of that time have run, or when the run must end.
  func pass(_ seconds: Double) {
    let isDone = WaitFlag()
    advance(by: seconds, unless: { Interruption.isRequested }, isDone.set)
    isDone.wait()
  }

  /// Waits until no effect can continue without time passing, or until the run must end.
  func settle() {
    let isDone = WaitFlag()
    whenSettled(isDone.set)
    isDone.wait()
  }
}

import LuaBridge

/// The root job of an action that has started more than one job.
final class RootGroup: JobGroup {
  /// Called when the group has ended.
  private(set) var waiters: [@Sendable () -> Void] = []
  let effects: StoreEffects

  init(of effects: StoreEffects) {
    self.effects = effects
    super.init(at: effects.places, effects.runner.makeSerial())
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

import LuaBridge

/// The root job of an action that has started more than one job.
final class RootGroup: JobGroup {
  /// Called when the group has ended.
  private(set) var waiters: [@Sendable () -> Void] = []

  init(of effects: StoreEffects) { super.init(at: effects.places, of: effects) }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

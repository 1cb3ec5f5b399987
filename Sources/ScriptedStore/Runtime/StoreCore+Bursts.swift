import LuaBridge

/// Which burst the actions and effects of a store belong to.
extension StoreCore {
  /// The burst and the number of the action that an effect started now follows from. The burst is
  /// nil if the effect counts for itself.
  @inline(__always)
  func follow() -> (burst: Burst?, action: Int) {
    isInBurst = true
    return (burst.follow(), burst.action)
  }

  /// Like ``follow()``, but always with a burst: for an effect that shares it with one that goes on
  /// after it.
  func share() -> (burst: Burst, action: Int) {
    isInBurst = true
    return (burst.share(), burst.action)
  }

  /// Enters the burst of an effect that goes on. `action` is the number of the action that it
  /// follows from.
  @inline(__always)
  func goOn(in burst: Burst?, after action: Int) {
    self.burst.action = action
    guard let burst else { return }
    isInBurst = true
    self.burst.goOn(burst)
  }

  /// The burst for an effect that goes on later without a wait.
  func restOfBurst() -> Burst? { isInBurst ? burst.rest() : nil }

  /// Leaves the burst. What happens afterwards belongs to another one.
  func endBurst() {
    isInBurst = false
    burst.end()
  }
}

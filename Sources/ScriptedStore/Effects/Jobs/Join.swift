import LuaBridge

/// The parts of a body, run by `effect.all`, `effect.race` and the like. The body waits for them.
final class Join: JobGroup {
  enum Mode {
    case all
    /// The first part to end ends the others.
    case race
  }

  let name: String
  private let mode: Mode
  /// The body that waits. It retains the join in turn, until `Body.didEnd()`.
  let waiter: Body
  /// How the wait ends; nil while that is open.
  private var outcome: BodyResumption?
  /// Whether a part waited that ended before `outcome` was decided. The waiter has then waited,
  /// too.
  private var hasWaited = false

  /// - Parameter id: cancels the parts; nil if they have none.
  init(_ name: String, _ mode: Mode, id: Value?, for waiter: Body) {
    self.name = name
    self.mode = mode
    self.waiter = waiter
    super.init(at: waiter.place, id: id, of: waiter.effects)
  }

  /// Called when a part has ended.
  ///
  /// - Parameter failure: how the wait is to end because of what the part raised; nil if it raised
  ///   nothing.
  func partEnded(_ part: Body, _ failure: BodyResumption?) {
    guard outcome == nil && !isCancelled else { return }
    if part.hasWaited { hasWaited = true }
    if let failure {
      outcome = failure
    } else if mode == .race {
      outcome = .values([])
    } else {
      return
    }
    cancelParts()
  }

  override func becameEmpty() {
    let outcome: BodyResumption =
      isCancelled || waiter.isCancelled ? .cancel : self.outcome ?? .values([])
    let waiter = waiter
    if hasWaited { waiter.partsHaveWaited() }
    end()
    waiter.effects.runner.wake(waiter, with: outcome)
  }
}

import ScriptValue

/// Effects that run one after the other.
final class JobSequence: JobGroup {
  /// The effects that have not started, the next one last.
  private var rest: [EffectNode]
  override var holdsIDs: Bool { hasIDs }
  private let hasIDs: Bool
  let context: StartContext

  init(
    _ rest: [EffectNode], _ context: StartContext, of effects: StoreEffects
  ) {
    // Reversed, because effects are taken from the end.
    self.rest = rest.reversed()
    hasIDs = rest.contains(where: \.hasID)
    self.context = context
    super.init(at: context.place, of: effects)
  }

  override var code: SchedulerLink? { context.code }

  /// Starts the first effect.
  func startRest() {
    if hasIDs { place.queues.append(self) }
    endIfEmpty()
  }

  override func didEnd() {
    if hasIDs { place.queues.removeAll { $0 === self } }
  }

  override func cancelQueued(_ id: Value) { rest = rest.compactMap { $0.without(id) } }

  /// Starts effects until one of them is in flight; ends the sequence when none is left.
  override func becameEmpty() {
    effects.asPart(of: rootJob) {
      while isEmpty, !isCancelled, let next = rest.popLast() {
        holding { effects.start(next, context, in: self) }
      }
    }
    if isEmpty { end() }
  }

  override func wasCancelled() {
    rest = []
    super.wasCancelled()
    endIfEmpty()
  }
}

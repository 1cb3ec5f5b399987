import LuaBridge

extension Effect {
  /// Starts the effect so much later, unless another effect with the id comes before. An
  /// effect with the id that comes later also cancels this one while it runs.
  public func debounce(id: Value, for duration: Duration) -> Effect {
    wrapped { .debounce($0, id: id, seconds: max(0, duration / .seconds(1))) }
  }
}

extension StoreEffects {
  func startDebounced(
    _ inner: EffectNode, id: Value, seconds: Double, _ context: StartContext, in group: JobGroup?
  ) {
    guard let clock = clock(for: "debounce", context) else { return }
    guard hasRoom() else { return refuse(context.owner) }
    startCancellable(id, context, in: group, replacing: true) { group in
      let debounced = DebouncedEffect(inner, context, on: clock, of: self)
      group.add(debounced)
      debounced.wait(seconds)
    }
  }
}

/// A debounced effect until it starts.
final class DebouncedEffect: EffectJob {
  private var effect: EffectNode
  private var context: StartContext
  private let clock: SchedulerClock
  /// What the effect follows from, if no time passes until it starts.
  private var cause = StoreTurn.Cause()

  init(
    _ effect: EffectNode, _ context: StartContext, on clock: SchedulerClock,
    of effects: StoreEffects
  ) {
    self.effect = effect
    self.context = context
    self.clock = clock
    super.init(context.owner, context.route, at: context.place, of: effects)
    self.context.cause = .effect(Int(number))
  }

  override var waitingOn: String { EffectKind.debounce.rawValue }
  override var timing: String { "waits in a debounce" }

  override func didEnd() {
    super.didEnd()
    leaveQueues()
  }

  /// Whether it is in the queues of its place.
  private(set) var isQueued = false
  override var holdsIDs: Bool { isQueued }

  override func cancelQueued(_ id: Value) {
    guard let rest = effect.without(id) else { return cancel() }
    effect = rest
  }

  private func leaveQueues() {
    guard isQueued else { return }
    isQueued = false
    place.queues.removeAll { $0 === self }
  }

  /// Begins to wait.
  func wait(_ seconds: Double) {
    if effect.hasID {
      isQueued = true
      place.queues.append(self)
    }
    let deadline = clock.instant.after(seconds)
    if clock.passesAtOnce || !SchedulerClock.isPositive(seconds) {
      cause = effects.turn.share()
    }
    if clock.passesAtOnce {
      clock.advance(to: deadline)
      effects.runner.begin(self)
    } else {
      clock.add(self, at: deadline)
      effects.runner.watchClock()
    }
  }

  /// Starts the effect in the group that this job is in, and then ends. What it starts may cancel
  /// this job and that group.
  override func fire() {
    guard let parent else { return end() }
    // What it starts may cancel others under the same id.
    leaveQueues()
    effects.inTurn(of: rootJob, after: cause) {
      parent.fill {
        effects.start(effect, context, in: parent)
        end()
      }
    }
  }

  /// Called on a clock that passes at once.
  override func proceed(in runner: EffectRunner) {
    if !hasEnded { fire() }
  }

  override func wasCancelled() {
    clock.remove(self)
    end()
  }
}

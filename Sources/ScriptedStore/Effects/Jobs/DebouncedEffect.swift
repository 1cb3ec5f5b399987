import LuaBridge

/// A debounced effect until it starts.
final class DebouncedEffect: Job {
  private let effect: EffectNode
  let context: StartContext
  private let clock: SchedulerClock
  let started: Int64
  /// The burst and the action that the effect follows from, if no time passes until it starts.
  private var burst: Burst?
  private var action = 0

  init(
    _ effect: EffectNode, _ context: StartContext, on clock: SchedulerClock,
    of effects: StoreEffects
  ) {
    self.effect = effect
    self.context = context
    self.clock = clock
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    super.init(at: context.place, of: effects)
  }

  override var code: SchedulerLink? { context.code }

  override func didEnd() { effects.count -= 1 }

  /// Begins to wait.
  func wait(_ seconds: Double) {
    let deadline = SchedulerClock.time(clock.now, after: seconds)
    if clock.passesAtOnce || !SchedulerClock.isPositive(seconds) {
      (burst, action) = effects.share()
    }
    if clock.passesAtOnce {
      clock.advance(to: deadline)
      effects.runner.enqueue(self)
    } else {
      clock.add(self, at: deadline)
      effects.runner.watchClock()
    }
  }

  /// Starts the effect in the group that this job is in, and then ends. What it starts may cancel
  /// this job and that group.
  override func fire() {
    guard let parent else { return end() }
    effects.inTurn(of: rootJob, in: burst, after: action) {
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

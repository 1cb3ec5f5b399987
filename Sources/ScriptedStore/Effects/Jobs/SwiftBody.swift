import LuaBridge

/// A Swift effect in flight: a task.
final class SwiftBody: Job {
  let operation: SwiftOperation
  let route: Route?
  let owner: EffectOwner?
  /// The key by which its task refers to it; nil until the task has started.
  var key: JobKey?
  let started: Int64
  var task: Task<Void, Never>?

  init(
    _ operation: SwiftOperation, _ context: StartContext, of effects: StoreEffects
  ) {
    self.operation = operation
    route = context.route
    owner = context.owner
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    super.init(at: context.place, of: effects)
  }

  override var code: SchedulerLink? { owner?.code ?? route?.code }

  override func proceed(in runner: EffectRunner) { runner.run(self) }

  /// Cancels the task and ends. What the task still does has no effect.
  override func wasCancelled() {
    task?.cancel()
    end()
  }

  override func didEnd() {
    effects.count -= 1
    if let key { effects.runner.forget(key) }
  }
}

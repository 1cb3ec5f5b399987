import LuaBridge

/// A Swift effect in flight: a task.
final class SwiftBody: EffectJob {
  let operation: SwiftOperation
  /// The key by which its task refers to it; nil until the task has started.
  var key: JobKey?
  var task: Task<Void, Never>?

  init(
    _ operation: SwiftOperation, _ context: StartContext, of effects: StoreEffects
  ) {
    self.operation = operation
    super.init(context.owner, context.route, at: context.place, of: effects)
  }

  override var origin: String? { operation.origin }
  override var waitingOn: String { "its task" }

  override func proceed(in runner: EffectRunner) { runner.start(self) }

  /// Cancels the task and ends. What the task still does has no effect.
  override func wasCancelled() {
    task?.cancel()
    end()
  }

  override func didEnd() {
    super.didEnd()
    if let key { effects.runner.forget(key) }
  }
}

/// From a Swift effect's turn to the end of its task.
extension EffectRunner {
  fileprivate func start(_ body: SwiftBody) {
    guard !body.hasEnded else { return }
    body.effects.withLocals(of: body.rootJob) { begin(body) }
  }

  private func begin(_ body: SwiftBody) {
    let key = jobTable.add(body)
    body.key = key
    tasks += 1
    let (operation, worker) = (body.operation, worker)
    let send = Send(worker: worker, key: key)
    body.task = Task(priority: operation.priority) {
      var failure: (any Error)?
      do {
        try await operation.run(send)
      } catch {
        if let handler = operation.handler, !(error is CancellationError) {
          await handler(error, send)
        } else {
          failure = error
        }
      }
      worker.submitFromTask { [failure] engine in engine.effects.ended(key, failure) }
    }
  }

  /// Reduces an action that the task of a Swift effect sends.
  func send(_ action: Action, from key: JobKey, _ isCancelled: Bool) {
    guard let body = jobTable[key] as? SwiftBody else {
      if !isCancelled { warn(ofLateSend: action, origin: "Effect.run") }
      return
    }
    let message = Message(action, from: body.owner?.node, by: .effect(Int(body.number)))
    // With the task-local values of the task, which may have bound more of them.
    let root = body.rootJob
    let locals = root.locals
    root.locals = .current
    body.effects.inTurn(of: root) { body.effects.deliverOrWarn(message, body.route) }
    // The action may have cancelled the body, which is then out of its tree, or have put a root group around it.
    root.rootJob.locals = locals
  }

  /// Called when the task of a Swift effect has ended.
  private func ended(_ key: JobKey, _ failure: (any Error)?) {
    guard let body = jobTable[key] as? SwiftBody else { return }
    body.effects.inTurn(of: body.rootJob) {
      if let failure, !(failure is CancellationError) {
        body.effects.warn(
          of: failure as? ScriptError ?? ScriptError("\(failure)", cause: failure), in: body)
      }
      body.end()
    }
  }
}

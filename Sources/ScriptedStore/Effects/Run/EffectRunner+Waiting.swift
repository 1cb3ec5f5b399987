import LuaBridge

/// The waits of bodies.
extension EffectRunner {
  /// The running body, for a wait that a script of this VM asks for. Throws if nothing may wait
  /// here, and if the body was cancelled.
  func bodyForWait(_ name: String, in vm: LuaVM) throws -> Body {
    try vm.checkCanWait(name)
    guard let running else {
      throw ScriptError("\(name) waits, which only the function of an effect.run may")
    }
    guard !mustRaiseCancellation(running) else { throw Cancelled() }
    return running
  }

  /// Whether a wait of this body must raise its cancellation. A body that has swallowed its
  /// cancellation too often becomes `doomed` instead: its wait does not raise, and its turn stops
  /// it.
  private func mustRaiseCancellation(_ body: Body) -> Bool {
    guard body.isCancelled else { return false }
    body.swallowed += 1
    if body.swallowed < Body.mostSwallowed { return true }
    body.state = .doomed
    return false
  }

  /// Makes the running body wait until an asynchronous Swift function returns. The body goes on
  /// with the function's result, or raises its error.
  ///
  /// - Parameters:
  ///   - arguments: count as memory of the VM until the function has returned.
  ///   - holder: is retained until the worker has taken the result.
  func wait(
    for name: String, _ arguments: [HostValue?] = [], in vm: LuaVM,
    recording recorder: DependencyRecorder? = nil, isStream: Bool = false,
    holding holder: (any AnyObject & Sendable)? = nil,
    _ operation: @escaping @Sendable () async throws -> HostValue?
  ) throws -> HostResult {
    let body = try bodyForWait(name, in: vm)
    if case .doomed = body.state { return .yield([]) }
    let key = jobTable.pointee.add(body)
    let worker = worker
    let kept = arguments.isEmpty ? nil : vm.keep(arguments)
    let isInTask = TaskLocals.isInTask
    // Has the task-local values of the action, as they are in force while the body runs.
    let task = Task {
      let result: Result<HostValue?, any Error>
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      withExtendedLifetime(kept) {}
      let locals = isInTask ? nil : TaskLocals()
      worker.submitFromTask { engine in
        engine.effects.complete(key, result, locals)
        withExtendedLifetime(holder) {}
      }
    }
    let noted = recorder.map { ($0, $0.begin(name, isStream: isStream)) }
    body.state = .calling(Body.Call(key: key, name: name, task: task, noted: noted))
    body.isWaiting = true
    tasks += 1
    return .yield([])
  }

  /// Called when the task of a waiting body has ended.
  ///
  /// - Parameter locals: the task-local values of the task, for an action from a thread outside of all tasks.
  private func complete(
    _ key: JobKey, _ result: Result<HostValue?, any Error>, _ locals: TaskLocals?
  ) {
    guard let body = jobTable.pointee[key] as? Body else { return }
    let rootJob = body.rootJob
    if let locals, case .none = rootJob.locals { rootJob.locals = .kept(locals) }
    forget(key)
    if case .calling(let call) = body.state, let (recorder, noted) = call.noted {
      switch result {
      case .success(let value): recorder.end(noted, .result(value))
      case .failure(let error): recorder.end(noted, .error(error))
      }
    }
    switch result {
    case .success(let value): wake(body, with: .values([value.map { LuaValue($0) } ?? .nil]))
    case .failure(let error): wake(body, with: .error(error))
    }
  }

  /// Makes the running body sleep on a clock, nil for the store's. Returns false if the body must
  /// raise its cancellation.
  ///
  /// - Parameter until: whether `seconds` is a time of the clock and not a duration.
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool {
    withRunning { body in
      if body.isCancelled && mustRaiseCancellation(body) { return false }
      if case .doomed = body.state { return true }
      do throws(ScriptError) {
        try sleep(body, seconds, until: until, on: clock)
      } catch {
        wake(body, with: .error(error))
      }
      return true
    } ?? false
  }

  private func sleep(
    _ body: Body, _ seconds: Double, until: Bool, on object: AnyObject?
  ) throws(ScriptError) {
    let clock = object as? SchedulerClock ?? clock
    let deadline = (until ? ClockInstant() : clock.instant).after(seconds)
    if clock.passesAtOnce {
      try skip(to: deadline, on: clock)
      wake(body, with: .values([]))
    } else {
      body.state = .sleeping(clock)
      body.isWaiting =
        until ? deadline.microseconds > clock.now : SchedulerClock.isPositive(seconds)
      clock.add(body, at: deadline)
    }
  }

  /// Moves the running body to the end of the ready queue.
  func yieldTurn(in vm: LuaVM) throws -> HostResult {
    let body = try bodyForWait("effect.yield", in: vm)
    if case .doomed = body.state { return .yield([]) }
    wake(body, with: .values([]))
    return .yield([])
  }

  /// Runs functions as parts of the running body, which waits for them.
  func join(
    _ name: String, _ functions: [FunctionToken], _ mode: Join.Mode, id: Value? = nil,
    cancelInFlight: Bool = false, in vm: LuaVM
  ) throws -> HostResult {
    let body = try bodyForWait(name, in: vm)
    if case .doomed = body.state { return .yield([]) }
    guard body.depth < EffectNode.maximumDepth else {
      throw ScriptError(
        "\(name) is nested in \(EffectNode.maximumDepth) others, which is the most there may be; a function that "
          + "calls itself through \(name) needs an end, or a loop")
    }
    guard body.effects.hasRoom(for: functions.count) else { throw body.effects.refusal }
    if let id { try EffectNode.checkID(id) }
    if let id, cancelInFlight { body.effects.cancel(id, at: body.place, replacing: true) }
    // The id may have been the body's own.
    if mustRaiseCancellation(body) { throw Cancelled() }
    let parent = body.parent ?? body.effects.rootForNow()
    let join = Join(name, mode, id: id, for: body)
    body.state = .joining(join)
    parent.add(join)
    if id != nil { body.effects.register(join) }
    join.fill {
      for function in functions {
        let part = Body(function, partOf: body)
        join.add(part)
        enqueue(part)
      }
    }
    return .yield([])
  }
}

/// Swift effects; each runs as a task.
extension EffectRunner {
  func run(_ body: SwiftBody) {
    guard !body.hasEnded else { return }
    body.effects.withLocals(of: body.rootJob) { begin(body) }
  }

  private func begin(_ body: SwiftBody) {
    let key = jobTable.pointee.add(body)
    body.key = key
    tasks += 1
    let (operation, worker) = (body.operation, worker)
    let send = Send { action in
      let isCancelled = Task.isCancelled
      worker.submit { $0.effects.send(action, from: key, isCancelled) }
    }
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
  private func send(_ action: Action, from key: JobKey, _ isCancelled: Bool) {
    guard let body = jobTable.pointee[key] as? SwiftBody else {
      if !isCancelled { warn(ofLateSend: action, origin: "Effect.run") }
      return
    }
    let message = Message(action, from: body.owner?.node)
    // With the task-local values of the task, which may have bound more of them.
    let locals = body.rootJob.locals
    body.rootJob.locals = .current
    body.effects.inTurn(of: body.rootJob) { body.effects.deliverOrWarn(message, body.route) }
    body.rootJob.locals = locals
  }

  /// Called when the task of a Swift effect has ended.
  private func ended(_ key: JobKey, _ failure: (any Error)?) {
    guard let body = jobTable.pointee[key] as? SwiftBody else { return }
    body.effects.inTurn(of: body.rootJob) {
      if let failure, !(failure is CancellationError) {
        body.effects.warn(
          of: failure as? ScriptError ?? ScriptError("\(failure)", cause: failure), in: body)
      }
      body.end()
    }
  }
}

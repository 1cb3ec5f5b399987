import LuaBridge

/// The waits of bodies.
extension EffectRunner {
  /// The running body, for a wait that a script of this VM asks for; nil if it is about to be stopped there. Throws if
  /// nothing may wait here, and if the body was cancelled.
  private func bodyForWait(_ name: String, in vm: LuaVM) throws -> Body? {
    try vm.checkCanWait(name)
    guard let running else {
      throw ScriptError("\(name) waits, which only the function of an effect.run may")
    }
    guard !mustRaiseCancellation(running) else { throw Cancelled() }
    if case .doomed = running.state { return nil }
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
    guard let body = try bodyForWait(name, in: vm) else { return .yield([]) }
    let key = jobTable.add(body)
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
    guard let body = jobTable[key] as? Body else { return }
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
    let seconds = until || seconds == 0 ? seconds : max(seconds, SchedulerClock.shortest)
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
    guard let body = try bodyForWait("effect.yield", in: vm) else { return .yield([]) }
    wake(body, with: .values([]))
    return .yield([])
  }

  /// Runs functions as parts of the running body, which waits for them.
  func join(
    _ name: String, _ functions: [FunctionToken], _ mode: Join.Mode, id: Value? = nil,
    cancelInFlight: Bool = false, in vm: LuaVM
  ) throws -> HostResult {
    guard let body = try bodyForWait(name, in: vm) else { return .yield([]) }
    guard body.depth < EffectNode.maximumDepth else {
      throw ScriptError(
        "\(name) is nested in \(EffectNode.maximumDepth) others, which is the most there may be; a function that "
          + "calls itself through \(name) needs an end, or a loop")
    }
    guard body.effects.hasRoom(for: functions.count) else { throw body.effects.refusal }
    if let id { try EffectNode.checkID(id) }
    if let id, cancelInFlight { body.effects.cancelReplaced(id, at: body.place) }
    // The id may have been the body's own.
    if mustRaiseCancellation(body) { throw Cancelled() }
    let parent = body.parent ?? body.effects.rootForNow()
    let join = Join(name, mode, id: id, for: body)
    body.state = .joining(join)
    parent.add(join)
    join.fill {
      for function in functions {
        let part = Body(function, partOf: body)
        join.add(part)
        begin(part)
      }
    }
    return .yield([])
  }
}

/// A sequence of values that bodies read. It stores the values until they are read, and each value
/// goes to one body: to the one that has waited longest. Who adds a value calls
/// ``EffectRunner/wakeReaders(of:)``.
protocol BufferedStream: AnyObject {
  /// The name of a read in messages.
  var name: String { get }
  /// The number of readers that can continue now.
  var ready: Int { get }
  /// The next value, the end of the stream (nil) or its error, as a body is resumed with it. Nil if
  /// the reader has to wait.
  func take() -> BodyResumption?
}

/// A body that waits for the next value of a stream. It keeps its place among the readers until it takes one.
struct StreamReader {
  let body: Body
  let stream: any BufferedStream
  /// Whether the body is in the ready queue, to take a value in its turn.
  var isReady = false
}

/// The waits that neither time nor a task ends.
extension EffectRunner {
  /// Makes the running body wait for the next value of a stream, unless there is one for which no other body waits.
  func read(_ stream: any BufferedStream, in vm: LuaVM) throws -> HostResult {
    guard let body = try bodyForWait(stream.name, in: vm) else { return .yield([]) }
    let isFirst = !readers.contains { $0.stream === stream }
    if isFirst {
      switch stream.take() {
      case .values(let values)?: return .values(values)
      case .error(let error)?: throw error
      default: break
      }
    }
    body.state = .reading(stream)
    body.isWaiting = true
    readers.append(StreamReader(body: body, stream: stream))
    // There may be a value for it behind those of the others.
    if !isFirst { wakeReaders(of: stream) }
    return .yield([])
  }

  /// Makes the first readers of a stream ready: as many as will find a value.
  func wakeReaders(of stream: any BufferedStream) {
    var left = stream.ready
    for index in readers.indices where left > 0 && readers[index].stream === stream {
      left -= 1
      if readers[index].isReady { continue }
      readers[index].isReady = true
      enqueue(readers[index].body)
    }
  }

  /// What a body goes on with in its turn to read. Nil if the value is gone, as another thread may take it: the body waits
  /// on.
  func take(from stream: any BufferedStream, for body: Body) -> BodyResumption? {
    guard let index = readers.firstIndex(where: { $0.body === body }) else { return nil }
    guard let next = stream.take() else {
      readers[index].isReady = false
      return nil
    }
    readers.remove(at: index)
    return next
  }

  /// Ends the read of a cancelled body. If it was ready to take a value, another reader gets the
  /// value.
  func stopReading(_ body: Body, of stream: any BufferedStream) {
    guard let index = readers.firstIndex(where: { $0.body === body }) else { return }
    if readers.remove(at: index).isReady {
      // The body is in the ready queue, so its turn comes anyway.
      body.state = .ready(.cancel)
      wakeReaders(of: stream)
    } else {
      wake(body, with: .cancel)
    }
  }

  /// Makes the running body wait until it is cancelled.
  ///
  /// - Parameter name: The name of the wait in messages.
  func waitForever(_ name: String, in vm: LuaVM) throws -> HostResult {
    guard let body = try bodyForWait(name, in: vm) else { return .yield([]) }
    body.state = .parked(name)
    return .yield([])
  }
}

import CLua
import LuaBridge

/// Runs the bodies of effects of all stores on one VM, in turn: the coroutines that are ready go on, first come,
/// first served, each up to its next wait. Inside a worker.
final class EffectRunner: EffectHost, Scheduling {
  let vm: LuaVM
  let clock: SchedulerClock
  /// Does something inside the worker later, from any thread.
  let submit: @Sendable (@escaping @Sendable (Engine) -> Void) -> Void
  /// For what must not keep it.
  let link = SchedulerLink()
  /// The body that runs now.
  private(set) unowned(unsafe) var running: Body?
  /// Bodies and Swift effects whose turn it is, each with a reference (+1).
  private var ready: [Unmanaged<Job>] = []
  private var next = 0
  private(set) var hasWork = false
  private var known = JobTable()
  /// How many of these are tasks: functions of the host that bodies wait for, and Swift effects.
  private var tasks = 0
  private var lastSerial: UInt64 = 0

  /// Tells the host of warnings.
  var report: ([RuntimeWarning]) -> Void = { _ in }

  init(
    vm: LuaVM, clock: SchedulerClock,
    submit: @escaping @Sendable (@escaping @Sendable (Engine) -> Void) -> Void
  ) {
    self.vm = vm
    self.clock = clock
    self.submit = submit
    vm.effects = self
    link.connect(self)
  }

  deinit {
    vm.effects = nil
    link.disconnect()
    for job in ready[next...] { job.release() }
  }

  func makeSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }

  /// By which threads outside know all that an action started, nil if it has ended.
  func key(of job: Job) -> JobKey? {
    if job.hasEnded { return nil }
    if job.known >= 0 { return known.key(at: job.known) }
    let key = known.add(job)
    job.known = key.place
    return key
  }

  /// Calls `waiter` when all of that has ended.
  func whenEnded(_ key: JobKey, _ waiter: @escaping @Sendable () -> Void) {
    switch known[key] {
    case let root as RootGroup: root.whenEnded(waiter)
    case let body as Body: body.effects.adopt(body).whenEnded(waiter)
    case let scope as Scope: scope.effects.adopt(scope).whenEnded(waiter)
    default: waiter()
    }
  }

  /// Cancels all of that.
  func cancel(_ key: JobKey) {
    switch known[key] {
    case let root as RootGroup: root.effects.inTurn(of: root) { root.cancel() }
    case let body as Body: body.effects.inTurn(of: body) { body.cancel() }
    case let scope as Scope: scope.effects.inTurn(of: scope) { scope.cancel() }
    default: break
    }
  }

  /// A task has ended, or nobody waits for it any more.
  func forget(_ key: JobKey) {
    guard known[key] != nil else { return }
    known.remove(key)
    tasks -= 1
    // Somebody may wait for just this.
    hasWork = true
  }

  /// Threads outside find nothing any more where they find a job now.
  func forget(_ job: Job) {
    guard job.known >= 0 else { return }
    known.remove(at: job.known)
    job.known = -1
  }

  /// What threads outside know as one job is from now on another.
  func hand(_ job: Job, to root: RootGroup) {
    guard job.known >= 0 else { return }
    known.set(root, at: job.known)
    (root.known, job.known) = (job.known, -1)
  }

  // MARK: Turns

  /// Lets a job have its turn.
  func enqueue(_ job: Job) {
    ready.append(.passRetained(job))
    hasWork = true
  }

  /// A body's wait is over.
  func wake(_ body: Body, with resumption: BodyResumption) {
    guard !body.hasEnded else { return }
    body.state = .ready(resumption)
    enqueue(body)
  }

  /// Somebody waits on the clock, which may have to be watched.
  func watchClock() { hasWork = true }

  /// Whether nobody can go on but by the time that passes.
  var isSettled: Bool { next == ready.count && tasks == 0 }

  /// Turns that others may have to wait for, if there are not more at the start.
  private static let mostTurns = 10_000

  /// Lets those go on whose turn it is, and those whose turn comes up by that, until nobody is left or it has been
  /// a while; whether some are left.
  func run() -> Bool {
    hasWork = false
    var left = max(EffectRunner.mostTurns, ready.count - next)
    while next < ready.count && left > 0 {
      let job = ready[next].takeRetainedValue()
      next += 1
      left -= 1
      if next >= 1024 && next * 2 >= ready.count {
        ready.removeFirst(next)
        next = 0
      }
      job.takeTurn()
    }
    guard next == ready.count else {
      hasWork = true
      return true
    }
    ready.removeAll(keepingCapacity: ready.capacity <= 1024)
    next = 0
    return false
  }

  func run(_ body: Body) {
    guard !body.hasEnded else { return }
    body.effects.inTurn(of: body.origin) { finish(body, step(body)) }
  }

  private func step(_ body: Body) -> BodyOutcome {
    running = body
    defer { running = nil }
    switch body.state {
    case .fresh:
      guard case .functions(let function, let catching) = body.code else { return .finished }
      let thread: BodyThread
      do throws(ScriptError) {
        thread = try vm.takeThread()
      } catch {
        return .failed(error, nil)
      }
      body.run(on: thread)
      body.state = .running
      return vm.start(
        thread, function, catching: catching, dependencies: body.owner?.dependencies,
        serial: body.isPart ? 0 : body.serial, generation: body.generation)
    case .ready(let resumption):
      guard let thread = body.thread else { return .finished }
      body.state = .running
      return vm.resume(thread, resumption, generation: body.generation)
    default:
      return .waits
    }
  }

  private func finish(_ body: Body, _ outcome: BodyOutcome) {
    if case .waits = outcome {
      if case .doomed = body.state { stop(body) }
      return
    }
    if let thread = body.thread {
      body.run(on: nil)
      // Of a thread that could not even end its body nothing is known.
      if case .failed(let error, _) = outcome, error.kind == .memory {
        vm.stop(thread)
      } else {
        vm.recycle(thread)
      }
    }
    var failure: BodyResumption?
    switch outcome {
    case .failed(let error, let value):
      if body.isPart {
        failure = value.map { .raise($0) } ?? .error(error)
      } else {
        body.effects.warn(of: error, in: body)
      }
    case .cancelled: failure = .cancel
    default: break
    }
    if body.isPart, let join = body.parent as? Join { join.partEnded(failure) }
    body.end()
  }

  private func stop(_ body: Body) {
    if let thread = body.thread { vm.stop(thread) }
    body.run(on: nil)
    body.effects.warnOfSwallowing(body)
    if let join = body.parent as? Join { join.partEnded(.cancel) }
    body.end()
  }

  // MARK: Waiting

  /// The running body, which is about to wait; throws if nothing may wait here or if it was cancelled.
  func bodyForWait(_ name: String) throws -> Body {
    try vm.checkCanWait(name)
    guard let running else {
      throw ScriptError("\(name) waits, which only the function of an effect.run may")
    }
    guard !hasToGo(running) else { throw Cancelled() }
    return running
  }

  /// Whether a body was cancelled, so that it gets no more to wait for; one that does not take the hint waits for
  /// ever, to be stopped.
  private func hasToGo(_ body: Body) -> Bool {
    guard body.isCancelled else { return false }
    body.swallowed += 1
    if body.swallowed < Body.mostSwallowed { return true }
    body.state = .doomed
    return false
  }

  /// Makes the running body wait until a Swift function has returned: it goes on with the result, or raises what
  /// that threw.
  func wait(
    for name: String, _ operation: @escaping @Sendable () async throws -> Value?
  ) throws -> HostResult {
    let body = try bodyForWait(name)
    if case .doomed = body.state { return .yield([]) }
    let key = known.add(body)
    let submit = submit
    let task = Task {
      let result: Result<Value?, any Error>
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      submit { $0.effects.complete(key, result) }
    }
    body.state = .calling(Body.Call(key: key, name: name, task: task))
    tasks += 1
    return .yield([])
  }

  private func complete(_ key: JobKey, _ result: Result<Value?, any Error>) {
    guard let body = known[key] as? Body else { return }
    forget(key)
    switch result {
    case .success(let value): wake(body, with: .values([value.map { LuaValue($0) } ?? .nil]))
    case .failure(let error): wake(body, with: .error(error))
    }
  }

  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool {
    guard let running else { return false }
    if running.isCancelled && hasToGo(running) { return false }
    if case .doomed = running.state { return true }
    let clock = clock as? SchedulerClock ?? self.clock
    running.state = .sleeping(clock)
    clock.add(running, at: SchedulerClock.time(until ? 0 : clock.now, after: seconds))
    return true
  }

  /// Lets the others have their turn.
  func yieldTurn() throws -> HostResult {
    let body = try bodyForWait("effect.yield")
    if case .doomed = body.state { return .yield([]) }
    wake(body, with: .values([]))
    return .yield([])
  }

  /// Runs functions as parts of the running body, which waits for them.
  func join(
    _ name: String, _ functions: [FunctionToken], _ mode: Join.Mode, id: Value? = nil,
    cancelInFlight: Bool = false
  ) throws -> HostResult {
    let body = try bodyForWait(name)
    if case .doomed = body.state { return .yield([]) }
    if let id, cancelInFlight { body.effects.cancel(id, at: body.place) }
    // It may have been its own.
    if hasToGo(body) { throw Cancelled() }
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

  // MARK: Swift effects

  func run(_ body: SwiftBody) {
    guard !body.hasEnded else { return }
    let key = known.add(body)
    body.key = key
    tasks += 1
    let (operation, submit) = (body.operation, submit)
    let send = Send { action in
      let isCancelled = Task.isCancelled
      submit { $0.effects.send(action, from: key, isCancelled) }
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
      submit { [failure] engine in engine.effects.ended(key, failure) }
    }
  }

  private func send(_ action: Action, from key: JobKey, _ isCancelled: Bool) {
    guard let body = known[key] as? SwiftBody else {
      if !isCancelled { warn(ofLateSend: action, origin: "Effect.run") }
      return
    }
    let message = Message(action, from: body.owner?.node)
    body.effects.inTurn(of: body.origin) { body.effects.deliver(message, body.route) }
  }

  private func ended(_ key: JobKey, _ failure: (any Error)?) {
    guard let body = known[key] as? SwiftBody else { return }
    body.effects.inTurn(of: body.origin) {
      if let failure, !(failure is CancellationError) {
        body.effects.warn(
          of: failure as? ScriptError ?? ScriptError("\(failure)", cause: failure), in: body)
      }
      body.end()
    }
  }

  // MARK: Sending

  func send(
    from serial: UInt64, _ effect: BoxedEffect?, _ arguments: inout EffectArguments
  ) throws(ScriptError) {
    if let running, running.serial == serial, running.isCancelled { return }
    let action: Action
    if let effect, let node = EffectNode.of(effect), case .send(let known) = node.operation {
      action = known
    } else {
      action = try EffectRunner.action(&arguments)
    }
    guard let running, running.serial == serial, !vm.isHandling else {
      return warn(ofLateSend: action, origin: vm.place ?? "?")
    }
    running.effects.deliver(Message(action, from: running.owner?.node), running.route)
  }

  private func warn(ofLateSend action: Action, origin: String) {
    report([
      RuntimeWarning(
        kind: .sendAfterEnd,
        message: """
          the `send` of an effect was used when its function had returned, or outside of it, so the action \
          "\(action.path)" is dropped; start another effect for what comes later
          """,
        origin: origin, action: nil)
    ])
  }

  private static func action(_ arguments: inout EffectArguments) throws(ScriptError) -> Action {
    let (what, payload) = (try arguments.value(), try arguments.value())
    do throws(ActionError) {
      switch what {
      case .string(let path)?: return try Action(path: path, payload: payload)
      case .object?, .array?:
        guard payload == nil else {
          throw ActionError("a payload goes with a path; put the fields into the action's table")
        }
        return try Action(what ?? .null)
      default:
        throw ActionError(
          "an action is a table with a type, or a path, not \(what.map { LuaValue($0).typeNameWithArticle } ?? "nil")"
        )
      }
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// What a function that transforms actions returned.
  static func action(returned value: LuaValue) throws(ScriptError) -> Action {
    do throws(ActionError) {
      switch value {
      case .string(let path): return try Action(path: path)
      case .value(let table): return try Action(table)
      default:
        throw ActionError(
          "the function of effect:map must return an action, not \(value.typeNameWithArticle)")
      }
    } catch {
      throw ScriptError(error.message)
    }
  }

  // MARK: Making effects

  func makeEffect(
    _ operation: Int32, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect {
    let node = try makeNode(operation, &arguments)
    try node.checkDepth()
    return node
  }

  private func makeNode(
    _ operation: Int32, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> EffectNode {
    if operation == SL_EFFECT_SEND {
      return EffectNode(.send(try EffectRunner.action(&arguments)))
    }
    if operation == SL_EFFECT_RUN {
      guard let function = arguments.function() else { return EffectNode(.none) }
      return EffectNode(.run(function, catching: arguments.function()))
    }
    if operation == SL_EFFECT_DISMISS { return EffectNode(.dismiss) }
    if operation == SL_EFFECT_CANCEL {
      return try makeCancel(try arguments.value() ?? .null, at: try arguments.value()?.string)
    }
    guard let inner = arguments.effect().flatMap({ EffectNode.of($0) }) else {
      throw ScriptError("an effect of another kind cannot be used here")
    }
    if inner.isNone { return inner }
    switch operation {
    case SL_EFFECT_CANCELLABLE:
      return EffectNode(
        .cancellable(inner, id: try arguments.value() ?? .null, cancelInFlight: arguments.flag()))
    case SL_EFFECT_DEBOUNCE:
      return EffectNode(
        .debounce(inner, id: try arguments.value() ?? .null, seconds: arguments.number()))
    case SL_EFFECT_THROTTLE:
      return EffectNode(
        .throttle(
          inner, id: try arguments.value() ?? .null, seconds: arguments.number(),
          latest: arguments.flag()))
    case SL_EFFECT_MAP:
      guard let function = arguments.function() else { return inner }
      return EffectNode(.map(inner, .script(function)))
    case SL_EFFECT_TRANSACTION:
      return EffectNode(.transaction(inner, try arguments.value() ?? .null))
    default:
      return EffectNode(.transaction(inner, ["animation": try arguments.value() ?? .null]))
    }
  }
}

extension EffectRunner {
  /// In the function of an effect it acts at once.
  private func makeCancel(_ id: Value, at path: String?) throws(ScriptError) -> EffectNode {
    var parsed: ActionPath?
    do throws(ActionError) {
      if let path { parsed = try ActionPath(path) }
    } catch {
      throw ScriptError(error.message)
    }
    if let running, !vm.isHandling {
      running.effects.cancel(id, at: parsed, from: running.place)
    }
    return EffectNode(.cancel(id: id, at: parsed))
  }
}

/// An action on its way to the store.
struct Message {
  var action: Action
  /// Whose effect sends it.
  let sender: ReducerNode?
  var transaction: Value?

  init(_ action: Action, from sender: ReducerNode?) {
    self.action = action
    self.sender = sender
  }
}

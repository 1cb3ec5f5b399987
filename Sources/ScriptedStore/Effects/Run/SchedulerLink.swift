import LuaBridge

/// A way from one VM to the worker's effect runner, for objects that Lua retains. Used inside a
/// worker, or while a generation is built on another thread; then there is no runner yet.
///
/// It is not a weak reference. An object that is referenced weakly once pays for each strong retain
/// and release from then on, and each effect retains the runner.
final class SchedulerLink: EffectScheduling {
  // Proof: the generation, which makes this, releases all that scripts refer to before the VM goes.
  unowned(unsafe) let vm: LuaVM
  // Proof: the engine owns the runner and the generations, and closing a generation disconnects
  // this.
  private var runner: Unmanaged<EffectRunner>?
  /// Runs functions for `effect.compute`.
  let computing: Computing

  init(_ vm: LuaVM, _ computing: Computing) {
    self.vm = vm
    self.computing = computing
    vm.effects = self
  }

  /// The number of jobs in flight that need the scripts of this VM. It is not closed while there
  /// are any.
  private(set) var jobs = 0

  func jobBegan() { jobs += 1 }
  func jobEnded() { jobs -= 1 }

  func connect(_ runner: EffectRunner) { self.runner = .passUnretained(runner) }
  func disconnect() { runner = nil }

  func running() throws(ScriptError) -> EffectRunner {
    if let runner { return runner.takeUnretainedValue() }
    throw ScriptError(
      "nothing can be waited for: the host is gone, or its scripts are being loaded")
  }

  /// Throws if a handler of a durable store is running.
  func requireEffect(forWriting name: String) throws(ScriptError) {
    guard try running().engine.context.recorder?.isOfDurableStores == true else { return }
    throw ScriptError(
      """
      deps.\(name) writes outside of the store, so a handler of a durable store cannot call it: a crash may lose the action, \
      and not what it wrote; return effect.run(function(send, deps) … end), and call it there
      """)
  }

  /// The body that runs; nil if none does.
  var runningBody: Body? { runner?._withUnsafeGuaranteedRef { $0.running } }

  // MARK: Calls from scripts

  func makeEffect(
    _ operation: EffectOperation, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect {
    try vm.lending { (keep) throws(ScriptError) in
      let node = try makeNode(operation, &arguments, keep)
      try node.checkDepth()
      return node
    }
  }

  func send(
    from serial: UInt64, _ arguments: inout EffectArguments, waits: Bool
  ) throws(ScriptError) -> Bool {
    guard let runner = runner?.takeUnretainedValue() else { return false }
    try runner.send(from: serial, &arguments, in: vm)
    return waits && runner.holdsSend
  }

  func send(
    from serial: UInt64, _ effect: Unmanaged<BoxedEffect>, waits: Bool
  ) throws(ScriptError) -> Bool {
    guard let runner = runner?.takeUnretainedValue() else { return false }
    if let refusal = runner.send(from: serial, effect, in: vm) { throw refusal }
    return waits && runner.holdsSend
  }

  /// `effect.result` has caught a programming error, with its position. Only a test hears of it: in a
  /// live store it may be due to what a service has answered.
  func caughtFault(_ message: String) {
    runner?._withUnsafeGuaranteedRef { $0.engine.tests?.reportCaught(message) }
  }

  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool {
    runner?._withUnsafeGuaranteedRef { $0.sleep(seconds, until: until, on: clock) } ?? false
  }
}

/// Makes the effects that scripts describe.
extension SchedulerLink {
  fileprivate func makeNode(
    _ operation: EffectOperation, _ arguments: inout EffectArguments, _ keep: () -> KeptMemory?
  ) throws(ScriptError) -> EffectNode {
    switch operation {
    case .send:
      let action = try EffectRunner.action(&arguments)
      return EffectNode(.send(action), kept: keep())
    case .run:
      return arguments.run().map { EffectNode($0, of: vm) } ?? EffectNode(.none)
    case .dismiss: return EffectNode(.dismiss)
    case .cancel: return try makeCancel(try id(&arguments), at: try arguments.value()?.string)
    case .alarm: return try makeAlarm(&arguments, keep)
    case .cancelAlarm:
      let id = try id(&arguments)
      try requireReducer("effect.cancelAlarm")
      return EffectNode(.cancelAlarm(id: id))
    case .cancellable:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        .cancellable(inner, id: try id(&arguments), cancelInFlight: arguments.flag())
      }
    case .debounce:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        .debounce(inner, id: try id(&arguments), seconds: arguments.number())
      }
    case .throttle:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        .throttle(
          inner, id: try id(&arguments), seconds: arguments.number(), latest: arguments.flag())
      }
    case .map:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        arguments.function().map { .map(inner, .script($0)) }
      }
    case .transaction:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        .transaction(inner, try transaction(&arguments))
      }
    case .animation:
      return try wrapping(operation, &arguments) { (inner, arguments) throws(ScriptError) in
        .transaction(inner, ["animation": try transaction(&arguments)])
      }
    }
  }

  /// Makes an effect around the one that is the first argument. `make` gets that and the other arguments; where it returns
  /// nil, the inner effect stays as it is.
  @inline(__always)
  private func wrapping(
    _ operation: EffectOperation, _ arguments: inout EffectArguments,
    _ make: (EffectNode, inout EffectArguments) throws(ScriptError) -> EffectNode.Operation?
  ) throws(ScriptError) -> EffectNode {
    guard let inner = arguments.effect() as? EffectNode else {
      throw ScriptError("an effect of another kind cannot be used here")
    }
    if inner.isNone { return inner }
    try AlarmRequest.check(inner, in: operation)
    guard let wrapped = try make(inner, &arguments) else { return inner }
    return EffectNode(wrapped)
  }

  private func id(_ arguments: inout EffectArguments) throws(ScriptError) -> Value {
    let id = try arguments.value() ?? .null
    try EffectNode.checkID(id)
    return id
  }

  private func transaction(_ arguments: inout EffectArguments) throws(ScriptError) -> Value {
    let transaction = try arguments.value() ?? .null
    guard transaction.size(upTo: EffectNode.longestTransaction) <= EffectNode.longestTransaction
    else {
      throw ScriptError(
        "a transaction of more than \(EffectNode.longestTransaction) bytes is too large to go with an effect"
      )
    }
    return transaction
  }

  private func makeAlarm(
    _ arguments: inout EffectArguments, _ keep: () -> KeptMemory?
  ) throws(ScriptError) -> EffectNode {
    let id = try id(&arguments)
    let seconds = arguments.number()
    let due = arguments.flag() ? AlarmRequest.Due.at(seconds) : .after(seconds)
    let action = try EffectRunner.action(&arguments)
    try requireReducer("effect.alarm")
    let request = AlarmRequest(id: id, due: due, action: action)
    try request.checkSize()
    return EffectNode(.alarm(request), kept: keep())
  }

  /// Throws in the function of an effect: a value that it makes there would be lost.
  private func requireReducer(_ name: String) throws(ScriptError) {
    guard vm.isHandling || runningBody == nil else {
      throw ScriptError(
        "\(name) belongs into what a handler returns; the function of an effect sends an action, whose handler returns it"
      )
    }
  }

  /// Makes `effect.cancel`. Called by the function of an effect, it also cancels at once.
  private func makeCancel(_ id: Value, at path: String?) throws(ScriptError) -> EffectNode {
    var parsed: ActionPath?
    do throws(ActionError) {
      if let path { parsed = try ActionPath(path) }
    } catch {
      throw ScriptError(error.message)
    }
    if !vm.isHandling, let running = runningBody {
      running.effects.check(parsed, from: running.place, of: running.owner?.node)
      running.effects.cancel(id, at: parsed, from: running.place)
    }
    return EffectNode(.cancel(id: id, at: parsed))
  }
}

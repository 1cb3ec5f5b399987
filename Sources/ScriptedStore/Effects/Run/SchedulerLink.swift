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
    _ name: String, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect {
    try vm.lending { (keep) throws(ScriptError) in
      let node = try EffectNode.make(name, &arguments, in: self, keep)
      try node.checkDepth()
      return node
    }
  }

  /// Throws in the function of an effect: a value that it makes there would be lost.
  func requireReducer(_ name: String) throws(ScriptError) {
    guard vm.isHandling || runningBody == nil else {
      throw ScriptError(
        "\(name) belongs into what a handler returns; the function of an effect sends an action, whose handler returns it"
      )
    }
  }

  /// `effect.cancel` in the function of an effect, where nothing would return it. Does nothing in a handler.
  func cancelAtOnce(_ id: Value, at path: ActionPath?) {
    guard !vm.isHandling, let running = runningBody else { return }
    running.effects.check(path, from: running.place, of: running.owner?.node)
    running.effects.cancel(id, at: path, from: running.place)
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

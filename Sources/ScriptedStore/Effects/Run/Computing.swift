import DequeModule
import LuaBridge
import Synchronization

/// Runs functions of scripts for `effect.compute`, beside the stores: each call in a VM of its own,
/// on a thread of its own, so that no action waits for it. At most `mostAtOnce` calls run; others
/// wait. They also wait while the results that the stores have not taken yet have more bytes than a VM
/// may hold.
///
/// 1. A machine is in `idle`, or one thread uses it.
/// 2. `running` counts the threads; each takes the next of `waiting` until none may begin.
/// 3. A cancelled call is not in `waiting`: it ends at once if it has not begun.
/// 4. Calls share the texts of scripts and nothing else: each loads its own modules.
final class Computing: Sendable {
  private let root: ScriptRoot
  private let limits: Limits
  /// The texts of the scripts, the same for all calls.
  private let texts = ScriptTexts()
  private let state = Mutex(State())

  private struct State {
    var idle: [Machine] = []
    var running = 0
    var waiting: Deque<Work> = []
    /// The bytes of the results whose ``Call`` still exists.
    var untaken = 0
  }

  /// What a thread does for one call. Its watch identifies it.
  private struct Work {
    let watch: TimeoutWatch
    let continuation: CheckedContinuation<Value?, any Error>
    let compute: @Sendable () throws -> Value?

    func run() { continuation.resume(with: Result(catching: compute)) }
  }

  /// A call with its result. Its owner releases it when the store has taken the result.
  final class Call: Sendable {
    private let computing: Computing
    private let bytes = Atomic<Int>(0)

    fileprivate init(_ computing: Computing) { self.computing = computing }

    fileprivate func hold(_ result: Value?) {
      let size = result?.size(upTo: .max) ?? 0
      bytes.store(size, ordering: .relaxed)
      computing.state.withLock { $0.untaken += size }
    }

    deinit { computing.take(bytes.load(ordering: .relaxed)) }
  }

  func makeCall() -> Call { Call(self) }

  // Proof: it is in `idle`, or the one thread that took it out uses it.
  private final class Machine: @unchecked Sendable {
    let vm: LuaVM

    init(_ limits: Limits) throws(ScriptError) {
      vm = try LuaVM(limits: limits.lua)
      vm.runsFeatures = true
    }

    deinit { vm.close() }

    /// The modules of one call. A call must not find what another has left in its modules.
    func makeModules(_ root: ScriptRoot, _ texts: ScriptTexts) -> LuaModules {
      let modules = LuaModules(vm: vm, root: root) { (name, _) throws(ScriptError) in
        guard name == "scripted" || name.hasPrefix("scripted.") else { return .none }
        throw ScriptError(
          "what effect.compute runs is on its own: its module, and those that it requires, cannot "
            + "require '\(name)'")
      }
      modules.read = { (script) throws(ScriptError) in try texts.text(of: script) }
      modules.recordsLocals = false
      return modules
    }
  }

  init(root: ScriptRoot, limits: Limits) {
    self.root = root
    self.limits = limits
  }

  /// Calls a function of a module. Returns its first result, nil for none. Throws what the function
  /// raises, and throws if the result is no value of state. Cancelling the task stops the function.
  func compute(
    _ function: String, of module: String, _ arguments: [Value], _ call: Call
  ) async throws -> Value? {
    let watch = try TimeoutWatch(time: limits.computeTime, isGuarded: false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start(
          Work(watch: watch, continuation: continuation) { [self] in
            let result = try computed(function, of: module, arguments, watch)
            call.hold(result)
            return result
          })
      }
    } onCancel: {
      watch.interrupt()
      cancelWaiting(watch)
    }
  }

  private func computed(
    _ function: String, of module: String, _ arguments: [Value], _ watch: TimeoutWatch
  ) throws -> Value? {
    if watch.isInterrupted { throw CancellationError() }
    let machine = try state.withLock { $0.idle.popLast() } ?? Machine(limits)
    let modules = machine.makeModules(root, texts)
    // A machine whose call failed is not used again: its memory may be full.
    let result = try watch.watching(machine.vm) { () throws(ScriptError) in
      try Computing.result(of: function, in: try modules.require(module), module, arguments)
    }
    state.withLock { $0.idle.append(machine) }
    return result
  }

  private static func result(
    of name: String, in loaded: LuaValue, _ module: String, _ arguments: [Value]
  ) throws(ScriptError) -> Value? {
    guard case .table(let table) = loaded,
      case .function(let function) = try table.get(.string(name))
    else { throw ScriptError("the module '\(module)' has no function '\(name)'") }
    let result = try function.call(arguments.map { LuaValue($0) }, tablesAsValues: true).at(0)
    if result.isNil { return nil }
    guard let value = Value(result) else {
      throw ScriptError(
        "what '\(name)' of '\(module)' returns must be a value of state, not \(result.typeNameWithArticle)"
      )
    }
    return value
  }

  // MARK: Threads

  private static let mostAtOnce = 4

  /// The number of calls that have not begun.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// The next call, if it may begin on a thread of its own.
  private func takeNext(_ state: inout State) -> Work? {
    guard state.running < Computing.mostAtOnce, state.untaken <= limits.lua.memory ?? .max,
      let work = state.waiting.popFirst()
    else { return nil }
    state.running += 1
    return work
  }

  private func start(_ work: Work) {
    let next = state.withLock { state in
      state.waiting.append(work)
      return takeNext(&state)
    }
    if let next { runOnThread(next) }
    // The cancellation of a task that was cancelled before this looked for the call in vain.
    if work.watch.isInterrupted { cancelWaiting(work.watch) }
  }

  /// Ends a call that was cancelled, unless it has begun.
  private func cancelWaiting(_ watch: TimeoutWatch) {
    let work = state.withLock { state in
      state.waiting.firstIndex { $0.watch === watch }.map { state.waiting.remove(at: $0) }
    }
    work?.continuation.resume(throwing: CancellationError())
  }

  /// Called when results of that many bytes were taken.
  private func take(_ bytes: Int) {
    guard bytes > 0 else { return }
    let begun = state.withLock { state in
      state.untaken -= bytes
      var begun: [Work] = []
      while let work = takeNext(&state) { begun.append(work) }
      return begun
    }
    for work in begun { runOnThread(work) }
  }

  private func runOnThread(_ work: Work) {
    do throws(ScriptError) {
      try BlockingThread.run { [self] in run(work) }
    } catch {
      // No thread can be made, so the call runs on this one.
      run(work)
    }
  }

  private func run(_ first: Work) {
    var next: Work? = first
    while let work = next {
      work.run()
      next = state.withLock { state in
        state.running -= 1
        return takeNext(&state)
      }
    }
  }
}

extension EffectNatives {
  /// `effect.compute(module, function, …)`: makes the running body wait for a function that computes
  /// beside the store.
  static func addComputing(
    to functions: LuaTable, _ scheduler: SchedulerLink
  ) throws(ScriptError) {
    try functions.define("compute", as: "effect.compute", tablesAsValues: true) { arguments in
      let (module, name) = (try name(in: arguments, 0), try name(in: arguments, 1))
      let values = try arguments.dropFirst(2).enumerated().map { index, argument in
        if argument.isNil { return Value.null }
        guard let value = Value(argument) else {
          throw ScriptError(
            "bad argument #\(index + 3) to 'effect.compute' (a value of state expected, got "
              + "\(argument.typeName))")
        }
        return value
      }
      let runner = try scheduler.running()
      let computing = scheduler.computing
      let call = computing.makeCall()
      return try runner.wait(
        for: "effect.compute", values.map { .state($0) }, in: scheduler.vm, holding: call
      ) {
        try await computing.compute(name, of: module, values, call).map { .state($0) }
      }
    }
  }

  private static func name(in arguments: [LuaValue], _ index: Int) throws(ScriptError) -> String {
    guard let name = arguments.at(index).string else {
      throw ScriptError(
        "bad argument #\(index + 1) to 'effect.compute' (string expected, got "
          + "\(arguments.at(index).typeName))")
    }
    return name
  }
}

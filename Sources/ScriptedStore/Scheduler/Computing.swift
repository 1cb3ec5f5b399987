import LuaBridge
import Synchronization

/// Computes functions of scripts beside the stores, for `effect.compute`: each in a VM that nobody else uses meanwhile, on
/// a thread of its own, so that no action waits for it. A few at once; the others wait their turn.
final class Computing: Sendable {
  private let root: ScriptRoot
  private let limits: Limits
  /// All calls run the same texts.
  private let texts = ScriptTexts()
  private let state = Mutex(State())

  private struct State {
    var idle: [Machine] = []
    var running = 0
    var waiting: [@Sendable () -> Void] = []
  }

  // Proof: it is in the list of those that are idle, or has been taken out by the one thread that uses it.
  private final class Machine: @unchecked Sendable {
    let vm: LuaVM

    init(_ limits: Limits) throws(ScriptError) { vm = try LuaVM(limits: limits) }

    deinit { vm.close() }

    /// For one call, which must not find what another one has left in its modules: scripts share nothing else.
    func makeModules(_ root: ScriptRoot, _ texts: ScriptTexts) -> LuaModules {
      let modules = LuaModules(vm: vm, root: root) { (name, _) throws(ScriptError) in
        guard name == "scripted" || name.hasPrefix("scripted.") else { return .none }
        throw ScriptError(
          "what effect.compute runs is on its own: its module, and those that it requires, cannot "
            + "require '\(name)'")
      }
      modules.read = { (script) throws(ScriptError) in try texts.text(of: script) }
      modules.notesLocals = false
      return modules
    }
  }

  init(root: ScriptRoot, limits: Limits) {
    self.root = root
    self.limits = limits
  }

  /// What a function of a module returns for arguments; nil for nothing. Throws what it raises, and what cannot be
  /// state. Cancelling the task stops it.
  func compute(
    _ function: String, of module: String, _ arguments: [Value]
  ) async throws -> Value? {
    let watch = try Watch(seconds: limits.computeTime, isGuarded: false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start { [self] in
          continuation.resume(
            with: Result { try computed(function, of: module, arguments, watch) })
        }
      }
    } onCancel: {
      watch.interrupt()
    }
  }

  private func computed(
    _ function: String, of module: String, _ arguments: [Value], _ watch: Watch
  ) throws -> Value? {
    if watch.isInterrupted { throw CancellationError() }
    let machine = try state.withLock { $0.idle.popLast() } ?? Machine(limits)
    let modules = machine.makeModules(root, texts)
    // A machine whose call failed is not used again: its memory may be full.
    let result = try watch.watching(machine.vm) { () throws(ScriptError) in
      try Computing.result(of: function, in: try modules.require(module), module, arguments)
    }
    state.withLock { if $0.idle.count < Computing.mostAtOnce { $0.idle.append(machine) } }
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

  private func start(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      guard state.running < Computing.mostAtOnce else {
        state.waiting.append(work)
        return false
      }
      state.running += 1
      return true
    }
    guard isFirst else { return }
    do throws(ScriptError) {
      try OwnThread.run { [self] in run(work) }
    } catch {
      // Slowly, then, on this one.
      run(work)
    }
  }

  private func run(_ first: @escaping @Sendable () -> Void) {
    var next: (@Sendable () -> Void)? = first
    while let work = next {
      work()
      next = state.withLock { state in
        if !state.waiting.isEmpty { return state.waiting.removeFirst() }
        state.running -= 1
        return nil
      }
    }
  }
}

extension EffectNatives {
  /// `effectCompute(module, function, …)`: makes the running body wait for what a function computes elsewhere.
  static func addComputing(
    to table: LuaTable, of vm: LuaVM, _ scheduler: SchedulerLink
  ) throws(ScriptError) {
    let function = try vm.makeFunction("effect.compute", tablesAsValues: true) { arguments in
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
      return try runner.wait(for: "effect.compute", values, in: scheduler.vm) {
        try await computing.compute(name, of: module, values)
      }
    }
    try table.set("effectCompute", to: .function(function))
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

import CLua

/// A Lua coroutine that the host resumes.
public final class LuaCoroutine: LuaReference {
  /// How far the coroutine ran.
  public enum Step {
    /// It waits, and has yielded these values.
    case yielded([LuaValue])
    case finished([LuaValue])
  }

  private let thread: OpaquePointer
  public private(set) var isFinished = false
  private var isRunning = false

  fileprivate init(vm: LuaVM, slot: Int32, thread: OpaquePointer) {
    self.thread = thread
    super.init(vm: vm, slot: slot)
  }

  public required init(from decoder: any Decoder) throws {
    throw LuaReference.undecodable(decoder.codingPath)
  }

  /// Starts the coroutine with the function's arguments, or continues it with the values that its
  /// wait returns.
  ///
  /// - Throws: what the script raises, with the coroutine's traceback. The coroutine is then
  ///   finished, and its `<close>` variables are closed.
  public func resume(_ arguments: [LuaValue] = []) throws(ScriptError) -> Step {
    guard !isFinished else { throw ScriptError("cannot resume a finished coroutine") }
    guard !isRunning else { throw ScriptError("cannot resume a running coroutine") }
    guard vm.resumes < LuaCoroutine.deepest else {
      throw ScriptError("stack overflow (coroutines that resume each other)")
    }
    let status = try vm.withTape(arguments) {
      isRunning = true
      vm.resumes += 1
      defer {
        vm.resumes -= 1
        isRunning = false
      }
      return sl_resume(vm.core, thread, $0, Int32(arguments.count))
    }
    if status == LUA_YIELD { return .yielded(try vm.readResults(after: LUA_OK)) }
    isFinished = true
    return .finished(try vm.readResults(after: status))
  }

  /// How many coroutines may run inside each other. Each one takes a part of the C stack, and Lua's
  /// own check of the C stack does not count across coroutines that the host resumes.
  private static let deepest = 100

  /// Ends a waiting coroutine and closes its `<close>` variables. Does nothing to a finished one.
  ///
  /// - Throws: what closing the variables raises.
  public func close() throws(ScriptError) {
    guard !isRunning else { throw ScriptError("cannot close a running coroutine") }
    guard !isFinished else { return }
    isFinished = true
    isRunning = true
    defer { isRunning = false }
    vm.forgetCause()
    try vm.check(sl_thread_close(vm.core, thread))
  }
}

extension LuaFunction {
  /// A coroutine that will run this function.
  public func makeCoroutine() throws(ScriptError) -> LuaCoroutine {
    let (thread, reference) = try vm.makeThread(running: slot)
    return LuaCoroutine(vm: vm, slot: reference, thread: thread)
  }
}

extension LuaVM {
  /// A new Lua thread and its registry reference (owned). It will run the function, or bodies of effects.
  func makeThread(
    running function: Int32 = LUA_NOREF
  ) throws(ScriptError) -> (thread: OpaquePointer, reference: Int32) {
    var thread: OpaquePointer?
    let reference = try reference { sl_thread_new(core, function, &$0, &thread) }
    guard let thread else { throw ScriptError("not enough memory", kind: .memory) }
    return (thread, reference)
  }
}

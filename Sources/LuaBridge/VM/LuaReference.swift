import CLua

/// A value in a VM that is accessed by reference: a table, a function or a thread. The reference
/// keeps it alive.
///
/// References retain their VM. They are not `Sendable`; use them on the thread that uses the VM.
public class LuaReference {
  public let vm: LuaVM
  let slot: Int32

  init(vm: LuaVM, slot: Int32) {
    self.vm = vm
    self.slot = slot
  }

  /// Only records the reference for a later release, since a `deinit` may run while Lua collects
  /// garbage.
  deinit { vm.forget(slot) }
}

/// A Lua table, by reference.
public final class LuaTable: LuaReference {
  /// The field `key`, as `table[key]` with metamethods. O(1).
  public func get(_ key: LuaValue) throws(ScriptError) -> LuaValue {
    let status = try vm.withTape([key]) { sl_get_field(vm.core, slot, $0, false) }
    return try vm.readResults(1, after: status)[0]
  }

  /// Sets `table[key]`, without metamethods. O(1), plus the copy of a `.value`.
  public func set(_ key: LuaValue, to value: LuaValue) throws(ScriptError) {
    try vm.check(
      vm.withTape([key, value]) { sl_set_field(vm.core, slot, $0, $0 + 1) })
  }

  /// A string field; nil if it is absent or not a string.
  public func string(_ key: String) throws(ScriptError) -> String? {
    guard case .string(let text) = try get(.string(key)) else { return nil }
    return text
  }

  /// All entries, in Lua's order, without metamethods. O(n).
  public func entries() throws(ScriptError) -> [(key: LuaValue, value: LuaValue)] {
    var count: Int32 = 0
    let status = sl_entries(vm.core, slot, &count)
    let flat = try vm.readResults(Int(count) * 2, after: status)
    return (0..<Int(count)).map { (flat[2 * $0], flat[2 * $0 + 1]) }
  }

  /// The elements at 1 … n, up to the first nil. O(n).
  public func elements() throws(ScriptError) -> [LuaValue] {
    var elements: [LuaValue] = []
    while true {
      let element = try get(.integer(Int64(elements.count + 1)))
      if case .nil = element { return elements }
      elements.append(element)
    }
  }

  /// A copy of the table as state. O(n).
  ///
  /// - Throws: if it contains a value that cannot be stored, with the path
  ///   (`name.list[3]: a function cannot be stored in state`).
  public func value(named name: String = "table") throws(ScriptError) -> Value {
    try vm.check(sl_to_tape(vm.core, slot, name)) { () throws(ScriptError) in
      var reader = TapeReader(vm: vm, items: vm.core.pointee.tape.items)
      return try reader.nextValue()
    }
  }
}

/// A Lua function, by reference.
public final class LuaFunction: LuaReference {
  /// Calls the function and returns its results.
  ///
  /// - Parameter tablesAsValues: plain tables among the results are copied to `.value`, instead of
  ///   being returned by reference.
  /// - Throws: what the function raises.
  @discardableResult
  public func call(
    _ arguments: [LuaValue] = [], tablesAsValues: Bool = false
  ) throws(ScriptError) -> [LuaValue] {
    vm.forgetCause()
    var count: Int32 = 0
    let status = try vm.withTape(arguments) {
      sl_call(
        vm.core, vm.core.pointee.L, slot, $0, Int32(arguments.count), tablesAsValues, &count)
    }
    return try vm.readResults(Int(count), after: status)
  }

  /// Where a script defined the function, and how many parameters it declares (nil: any number).
  /// Nil for a host function.
  package func definition() -> (script: String, line: Int, parameters: Int?)? {
    vm.definition(ofSlot: slot)
  }
}

extension LuaVM {
  func definition(ofSlot slot: Int32) -> (script: String, line: Int, parameters: Int?)? {
    var line: Int32 = 0
    var script: UnsafePointer<CChar>?
    let parameters = sl_parameters(core, slot, &line, &script)
    guard parameters != 255, let script else { return nil }
    return (ScriptError.chunkName(script), Int(line), parameters < 0 ? nil : Int(parameters))
  }
}

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
    vm.forgetCause()
    var count: Int32 = 0
    let status = try vm.withTape(arguments) {
      isRunning = true
      vm.resumes += 1
      defer {
        vm.resumes -= 1
        isRunning = false
      }
      return sl_resume(vm.core, thread, $0, Int32(arguments.count), &count)
    }
    if status == LUA_YIELD { return .yielded(try vm.readResults(Int(count), after: LUA_OK)) }
    isFinished = true
    return .finished(try vm.readResults(Int(count), after: status))
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
    try vm.check(sl_thread_close(vm.core, thread))
  }
}

extension LuaFunction {
  /// A coroutine that will run this function.
  public func makeCoroutine() throws(ScriptError) -> LuaCoroutine {
    var reference: Int32 = 0
    var thread: OpaquePointer?
    try vm.check(sl_thread_new(vm.core, slot, &reference, &thread))
    guard let thread else { throw ScriptError("not enough memory", kind: .memory) }
    return LuaCoroutine(vm: vm, slot: reference, thread: thread)
  }
}

import CLua

/// A Lua 5.4 virtual machine whose scripts run in a sandbox.
///
/// Not `Sendable`: one thread at a time, which the owner sees to. Everything that a script can do wrong
/// comes back as a ``ScriptError``; the VM stays usable.
///
/// ```swift
/// let lua = try LuaVM()
/// let add = try lua.load("local a, b = ... return a + b", name: "add")
/// try add.call([1, 2])  // [.integer(3)]
/// ```
public final class LuaVM {
  package let core: UnsafeMutablePointer<sl_vm>
  /// The drafts of the action that runs.
  package let arena: UnsafeMutablePointer<DraftArena>
  private let hooks: UnsafeMutablePointer<sl_hooks>
  /// References whose owners are gone, to be released when Lua does not collect garbage.
  let graveyard = Graveyard()
  /// Room for those that are being released.
  private var emptied: [Int32] = []
  /// What Swift kept for scripts and does not keep any more.
  let returned = ReturnedMemory()
  /// What runs effects, if something does; that takes itself away before it goes.
  package unowned(unsafe) var effects: (any EffectHost)?
  /// Threads that wait for the next body of an effect. In memory of their own, so that nobody asks who else is at them.
  let idleThreads: UnsafeMutablePointer<[BodyThread]>
  /// In memory of their own, as Lua's collector adds to them whatever runs.
  private let released: UnsafeMutablePointer<ReleasedObjects>
  /// Room for those that are being released.
  private var emptiedObjects: [Unmanaged<AnyObject>] = []
  private var isSettling = false
  /// Host functions that run now, inside each other.
  var hostCalls = 0
  /// Coroutines that run now, inside each other.
  var resumes = 0
  private var lastCause: (any Error)?
  /// Names of chunks that are the host's own, as tracebacks have them.
  var hostChunks: Set<String> = []

  /// What scripts may use up, as set last.
  package internal(set) var turnLimits = TurnLimits(.unlimited)

  /// - Parameter limits: what scripts may use up. Throws if a VM does not fit in the memory that they give.
  public init(limits: Limits = .unlimited) throws(ScriptError) {
    let context = UnsafeMutablePointer<HookContext>.allocate(capacity: 1)
    hooks = .allocate(capacity: 1)
    hooks.initialize(to: .forSwift)
    guard let core = sl_vm_new(hooks, context, limits.memory.map { max($0, 1) } ?? 0) else {
      context.deallocate()
      hooks.deallocate()
      throw ScriptError("not enough memory for a Lua VM", kind: .memory)
    }
    self.core = core
    idleThreads = .allocate(capacity: 1)
    idleThreads.initialize(to: [])
    arena = .allocate(capacity: 1)
    arena.initialize(to: DraftArena(core: core))
    released = .allocate(capacity: 1)
    released.initialize(to: ReleasedObjects())
    context.initialize(
      to: HookContext(vm: .passUnretained(self), arena: arena, released: released))
    try setLimits(limits)
  }

  deinit {
    let context = core.pointee.context.assumingMemoryBound(to: HookContext.self)
    sl_vm_close(core)
    settleAll()
    sl_vm_free(core)
    released.deinitialize(count: 1)
    released.deallocate()
    arena.deinitialize(count: 1)
    arena.deallocate()
    context.deallocate()
    hooks.deallocate()
    idleThreads.deinitialize(count: 1)
    idleThreads.deallocate()
  }

  // MARK: Scripts

  /// Compiles Lua text (never bytecode). O(length).
  ///
  /// - Parameters:
  ///   - name: the chunk's name in messages, such as its path. With `=` in front its functions are left
  ///     out when an error is located, and of tracebacks: they are the host's own.
  ///   - environment: its globals; nil makes a fresh sandbox environment.
  public func load(
    _ source: some StringProtocol, name: String, environment: LuaTable? = nil
  ) throws(ScriptError) -> LuaFunction {
    try load(Array(source.utf8), name: name, environment: environment)
  }

  /// The same from the bytes of a file.
  public func load(
    _ source: [UInt8], name: String, environment: LuaTable? = nil
  ) throws(ScriptError) -> LuaFunction {
    let environment = if let environment { environment } else { try makeEnvironment() }
    guard environment.vm === self else {
      throw ScriptError(TapeWriter.Problem.foreign.rawValue)
    }
    let isHost = name.hasPrefix("=")
    if isHost { hostChunks.insert(String(name.dropFirst())) }
    let chunk = isHost ? name : "@" + name
    var reference: Int32 = 0
    let status = source.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sl_load(core, $0.baseAddress, $0.count, chunk, environment.slot, &reference)
      }
    }
    do throws(ScriptError) {
      try check(status)
    } catch {
      var error = error
      error.script = error.script.map { ScriptError.fullName($0, among: name) }
      throw error
    }
    return LuaFunction(vm: self, slot: reference)
  }

  /// Compiles and runs text, and returns its results.
  @discardableResult
  public func evaluate(
    _ source: String, name: String = "chunk", environment: LuaTable? = nil
  ) throws(ScriptError) -> [LuaValue] {
    try load(source, name: name, environment: environment).call(tablesAsValues: true)
  }

  /// A fresh set of the sandbox's globals and library tables.
  public func makeEnvironment() throws(ScriptError) -> LuaTable {
    var reference: Int32 = 0
    try check(sl_new_environment(core, &reference))
    return LuaTable(vm: self, slot: reference)
  }

  /// A new empty table. O(1).
  public func makeTable() throws(ScriptError) -> LuaTable {
    var reference: Int32 = 0
    try check(sl_new_table(core, &reference))
    return LuaTable(vm: self, slot: reference)
  }

  /// A function that scripts can call.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - tablesAsValues: hand plain tables to `body` as ``LuaValue/value(_:)``, checked as state is,
  ///     instead of by reference.
  ///   - body: what it does. If it holds this VM or one of its references strongly, neither is ever
  ///     released, as the VM holds `body`: capture them `unowned` or `weak`.
  public func makeFunction(
    _ name: String, tablesAsValues: Bool = false, _ body: @escaping HostBody
  ) throws(ScriptError) -> LuaFunction {
    var reference: Int32 = 0
    let function = HostFunction(body)
    let status = withExtendedLifetime(function) {
      sl_new_function(
        core, Unmanaged.passUnretained(function).toOpaque(), name, tablesAsValues, &reference)
    }
    try check(status)
    return LuaFunction(vm: self, slot: reference)
  }

  /// What the `scripted` module builds on.
  package func makeNatives() throws(ScriptError) -> LuaTable {
    var reference: Int32 = 0
    try check(sl_new_natives(core, &reference))
    return LuaTable(vm: self, slot: reference)
  }

  // MARK: Memory

  /// Bytes that Lua holds now, and the most it ever held.
  public var memory: (used: Int, peak: Int) { (core.pointee.used, core.pointee.peak) }

  /// Collects garbage: all of it, or one step of it.
  public func collectGarbage(full: Bool = true) {
    settle()
    releaseForgotten()
    sl_collect(core, full)
    settle()
  }

  /// Lets `count` growing allocations fail once `successes` more were granted (two make one request
  /// fail for good: Lua tries again after a collection). For tests of what a lack of memory does.
  package func failAllocations(after successes: Int?, count: Int = 2) {
    core.pointee.fail_at = successes ?? -1
    core.pointee.fail_count = count
  }

  /// Whether an allocation failed by that.
  package var hasFailedAllocation: Bool {
    core.pointee.fail_at == 0 && core.pointee.fail_count == 0
  }

  /// Lets go of all that Lua holds, so that what of it holds this VM does not keep it for ever. References to what was in
  /// it may go later, and nothing else may be done with them or with this.
  package func close() {
    exchangeCause(for: nil)
    sl_vm_close(core)
    settle()
  }

  // MARK: For the other files

  /// Throws the failure that a protected call left.
  func check(_ status: Int32) throws(ScriptError) {
    try check(status) { () throws(ScriptError) in }
  }

  /// The same for a call that left values on the tape, which `read` takes from there.
  func check<R>(
    _ status: Int32, reading read: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    defer {
      settle()
      releaseForgotten()
    }
    if status != LUA_OK { throw ScriptError(status: status, in: self) }
    return try read()
  }

  /// Calls `body` with the values on a tape.
  func withTape(
    _ values: [LuaValue], _ body: (UnsafePointer<sl_value>) -> Int32
  ) throws(ScriptError) -> Int32 {
    let problem = write(values)
    guard problem == nil, sl_tape_reserve(&core.pointee.results, 1),
      let items = core.pointee.results.items
    else {
      let problem = problem ?? .memory
      throw ScriptError(problem.rawValue, kind: problem == .memory ? .memory : .runtime)
    }
    return withExtendedLifetime(values) { body(items) }
  }

  /// Makes `results` these values; tells what is wrong if they cannot be pushed.
  func write(_ values: [LuaValue]) -> TapeWriter.Problem? {
    core.pointee.results.count = 0
    core.pointee.text.count = 0
    var writer = TapeWriter(core: core)
    for value in values { writer.add(value) }
    return writer.problem
  }

  /// Puts a host function's results where the trampoline takes them from; tells what is wrong if they cannot
  /// be pushed. What the function called left its own values there.
  func handOver(_ values: [LuaValue]) -> TapeWriter.Problem? {
    for case .object(let object) in values { keep(object) }
    return write(values)
  }

  /// Keeps what nobody else may hold until the trampoline has taken the results of a host function.
  func keep(_ value: Any) { released.pointee.keep(value) }

  /// Does what waits until no values are on the tape or on `results`: collects what a turn left that ended in want of
  /// memory, and releases the host's objects that Lua does not hold any more, whose `deinit`s may call this VM.
  @inline(__always)
  func settle() {
    if released.pointee.hasSome || core.pointee.owes_collection { settleAll() }
  }

  private func settleAll() {
    // What a `deinit` leaves is for the next time: many that call this VM must not run inside each other.
    guard !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    let isOwed = core.pointee.owes_collection
    sl_collect_owed(core)
    var objects: [Unmanaged<AnyObject>] = []
    swap(&objects, &emptiedObjects)
    let handedOver = released.pointee.takeAll(into: &objects)
    for object in objects { object.release() }
    withExtendedLifetime(handedOver) {}
    objects.removeAll(keepingCapacity: objects.capacity <= 1024)
    emptiedObjects = objects
    if isOwed {
      takeReturned()
      sl_note_fullness(core)
    }
  }

  /// The values that a protected call left on the tape.
  func readResults(_ count: Int, after status: Int32) throws(ScriptError) -> [LuaValue] {
    try check(status) { () throws(ScriptError) in
      var reader = TapeReader(vm: self, items: core.pointee.tape.items)
      var values: [LuaValue] = []
      values.reserveCapacity(count)
      for _ in 0..<count { values.append(try reader.next()) }
      return values
    }
  }

  func forget(_ reference: Int32) { graveyard.add(reference) }

  @inline(__always)
  func releaseForgotten() {
    if !graveyard.isEmpty { releaseAllForgotten() }
  }

  private func releaseAllForgotten() {
    var references: [Int32] = []
    swap(&references, &emptied)
    graveyard.takeAll(into: &references)
    for reference in references { sl_release(core, reference) }
    references.removeAll(keepingCapacity: references.capacity <= 1024)
    emptied = references
  }

  /// Remembers what a host function threw, for the ``ScriptError`` that it may become. The string that it is raised as is
  /// the next that C raises.
  func note(cause: any Error) {
    exchangeCause(for: cause)
    core.pointee.throws = true
  }

  /// The one before goes when nobody is at the variable any more, as its `deinit` may call this VM.
  @discardableResult
  private func exchangeCause(for new: (any Error)?) -> (any Error)? {
    var cause = new
    swap(&cause, &lastCause)
    return cause
  }

  /// Called before scripts run: what one of an earlier call threw and caught is nobody's cause.
  @inline(__always)
  func forgetCause() {
    if hostCalls == 0 && lastCause != nil {
      exchangeCause(for: nil)
      core.pointee.throws = false
    }
  }

  /// The Swift error that the failure in the VM is about: what was raised for it, and not caught or raised again.
  func takeCause() -> (any Error)? {
    let cause = exchangeCause(for: nil)
    return core.pointee.failure.is_thrown ? cause : nil
  }
}

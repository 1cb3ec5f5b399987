import CLua

/// A Lua 5.4 virtual machine whose scripts run in a sandbox.
///
/// It is not `Sendable`: the owner must ensure that one thread uses it at a time. All faults of
/// scripts are thrown as a ``ScriptError``; the VM stays usable.
///
/// ```swift
/// let lua = try LuaVM()
/// let add = try lua.load("local a, b = ... return a + b", name: "add")
/// try add.call([1, 2])  // [.integer(3)]
/// ```
public final class LuaVM {
  package let core: UnsafeMutablePointer<sl_vm>
  /// The drafts of the running action.
  package let arena: UnsafeMutablePointer<DraftArena>
  private let hooks: UnsafeMutablePointer<sl_hooks>
  /// References of deallocated Swift owners. They are released when Lua does not collect garbage.
  let pendingReleases = PendingReleases()
  /// Bytes that are no longer kept but still counted.
  let returned = ReturnedMemory()
  /// Makes and runs effects for scripts; nil if nothing does. Proof: the owner sets it to nil
  /// before the object is deallocated.
  package unowned(unsafe) var effects: (any EffectScheduling)?
  /// Threads that wait for the next body of an effect.
  var idleThreads: [BodyThread] = []
  /// An object of its own, because Lua's collector adds objects at any time, also during an access
  /// to this VM.
  let released = DeferredReleases()
  var isReleasingDeferred = false
  /// Calls of host functions that run now, nested in each other.
  var hostCalls = 0
  /// Coroutines that run now, nested in each other.
  var resumes = 0
  /// The error that a host function threw last, if a failure may still be caused by it.
  var lastCause: (any Error)?
  /// Names of the host's own chunks, as they appear in tracebacks.
  var hostChunks: Set<String> = []
  /// The names of the other chunks that the host has loaded.
  private(set) var chunks: Set<String> = []
  /// The texts of the scripts of modules, by name, for remedies in error messages.
  var sources: [String: [UInt8]] = [:]

  /// The classes whose objects have methods and fields in Lua.
  var classes = HostClasses()

  /// Made when it is first asked for. C uses it until the VM is freed.
  var interruptToken: LuaInterrupt?

  /// The limits that were set last.
  var turnLimits = TurnLimits(.unlimited)

  /// - Parameter limits: what scripts may use.
  /// - Throws: if a VM does not fit in the memory that `limits` allows, or the watchdog's thread
  ///   cannot be started.
  public init(limits: LuaLimits = .unlimited) throws(ScriptError) {
    assert(SharedConstants.disagreements.isEmpty, "C and Swift do not agree on their constants")
    let context = UnsafeMutablePointer<HookContext>.allocate(capacity: 1)
    hooks = .allocate(capacity: 1)
    hooks.initialize(to: .forSwift)
    guard let core = sl_vm_new(hooks, context, TurnLimits.count(limits.memory)) else {
      context.deallocate()
      hooks.deallocate()
      throw ScriptError("not enough memory for a Lua VM", kind: .memory)
    }
    self.core = core
    arena = .allocate(capacity: 1)
    arena.initialize(to: DraftArena(core: core))
    context.initialize(
      to: HookContext(vm: .passUnretained(self), arena: arena, released: released))
    try setLimits(TurnLimits(limits))
  }

  /// Whether messages to scripts speak of features: their dependencies, effects and handlers.
  package var runsFeatures: Bool {
    get { core.pointee.sandbox.runs_features }
    set { sl_set_runs_features(&core.pointee.sandbox, newValue) }
  }

  deinit {
    let context = core.pointee.context.assumingMemoryBound(to: HookContext.self)
    sl_vm_close(core)
    releaseAllDeferred()
    sl_vm_free(core)
    arena.deinitialize(count: 1)
    arena.deallocate()
    context.deinitialize(count: 1)
    context.deallocate()
    hooks.deallocate()
  }

  // MARK: Scripts

  /// Compiles Lua text (never bytecode). O(length).
  ///
  /// - Parameters:
  ///   - name: the chunk's name in messages, such as its path. A name with `=` in front marks a
  ///     chunk of the host's own: its functions are skipped when an error is located, and are left
  ///     out of tracebacks.
  ///   - environment: the globals; nil makes a fresh environment of the sandbox.
  public func load(
    _ source: some StringProtocol, name: String, environment: LuaTable? = nil
  ) throws(ScriptError) -> LuaFunction {
    try load(Array(source.utf8), name: name, environment: environment)
  }

  /// Compiles Lua text from the bytes of a file. Otherwise as `load` of a string.
  public func load(
    _ source: [UInt8], name: String, environment: LuaTable? = nil
  ) throws(ScriptError) -> LuaFunction {
    let environment = if let environment { environment } else { try makeEnvironment() }
    guard environment.vm === self else {
      throw ScriptError(TapeWriter.Problem.foreign.rawValue)
    }
    let isHost = name.hasPrefix("=")
    if isHost { hostChunks.insert(String(name.dropFirst())) } else { chunks.insert(name) }
    let chunk = isHost ? name : "@" + name
    do throws(ScriptError) {
      return try load(source, chunk: chunk, isBytecode: false, environment)
    } catch {
      var error = error
      error.script = error.script.map { ScriptError.fullName($0, among: name) }
      if error.kind == .syntax, let line = error.line {
        if let (message, line) = SyntaxRemedy.jump(error.message) {
          (error.message, error.line) = (message, line)
        } else if let remedy = SyntaxRemedy.remedy(
          for: error.message, at: line, of: SourceLines(source))
        {
          error.message += "; \(remedy)"
        }
      }
      throw error
    }
  }

  /// Loads text, or bytecode that C has made in this process, as the chunk of that name.
  func load(
    _ bytes: [UInt8], chunk: String, isBytecode: Bool, _ environment: LuaTable
  ) throws(ScriptError) -> LuaFunction {
    let slot = try reference { slot in
      bytes.withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sl_load(core, $0.baseAddress, $0.count, chunk, isBytecode, environment.slot, &slot)
        }
      }
    }
    return LuaFunction(vm: self, slot: slot)
  }

  /// Compiles and runs Lua text, and returns its results. Plain tables are returned as
  /// ``LuaValue/value(_:)``.
  @discardableResult
  public func evaluate(
    _ source: String, name: String = "chunk", environment: LuaTable? = nil
  ) throws(ScriptError) -> [LuaValue] {
    try load(source, name: name, environment: environment).call(tablesAsValues: true)
  }

  /// A new empty table. O(1).
  public func makeTable() throws(ScriptError) -> LuaTable {
    LuaTable(vm: self, slot: try reference { sl_new_table(core, &$0) })
  }

  /// The native functions that the `scripted` module is built on.
  package func makeNatives() throws(ScriptError) -> LuaTable {
    LuaTable(vm: self, slot: try reference { sl_new_natives(core, &$0) })
  }

  // MARK: Memory

  /// Bytes that Lua holds now, and the most that it has held. Includes what Swift holds for
  /// scripts.
  public var memory: (used: Int, peak: Int) {
    (core.pointee.memory.used, core.pointee.memory.peak)
  }

  /// Collects garbage: all of it, or one step of the collector.
  public func collectGarbage(full: Bool = true) {
    releaseDeferred()
    releasePending()
    sl_collect(core, full)
    releaseDeferred()
  }

  /// Makes `count` growing allocations fail after `successes` more have succeeded; nil ends that.
  /// Two failures make one request fail for good, since Lua tries again after a collection. For
  /// tests of a lack of memory.
  package func failAllocations(after successes: Int?, count: Int = 2) {
    sl_fail_allocations(&core.pointee.memory, successes ?? -1, count)
  }

  /// Whether all allocations that ``failAllocations(after:count:)`` asked to fail have failed.
  package var hasFailedAllocation: Bool {
    core.pointee.memory.fail_at == 0 && core.pointee.memory.fail_count == 0
  }

  /// Releases all that Lua holds, so that objects in Lua that retain this VM do not keep it alive.
  /// Afterwards this VM and its references may only be released.
  package func close() {
    exchangeCause(for: nil)
    sl_vm_close(core)
    releaseDeferred()
  }
}

import CLua

/// Bounds on what the scripts of a VM may use. A limit that is nil does not exist.
///
/// Most limits count a *turn*: one call by the host with all that it calls, or, in a store, one
/// action from outside with all that its effects send at once, and one resumption of an effect
/// (from one wait to the next). A script that exceeds a limit is stopped by an error that `pcall`
/// cannot catch. The host gets it as a ``ScriptError`` whose `kind` and `exceeded` tell which limit
/// it was. The VM can be used after that.
///
/// ```swift
/// var limits = LuaLimits.untrusted
/// limits.time = .milliseconds(20)
/// let lua = try LuaVM(limits: limits)
/// ```
///
/// Limits cost nothing for scripts that stay within them, except `instructions`, which makes tight
/// loops take about twice as long. One thread of the process (``Watchdog``) checks the time every
/// 10 ms while scripts run, and signals the thread that runs them. Functions of the host are not
/// stopped: their time counts, and the script is stopped when they return.
public struct LuaLimits: Sendable, Hashable {
  /// The time of a turn.
  public var time: Duration?
  /// Bytes that a VM may hold in all. The last eighth is reserved for what happens after a stop.
  ///
  /// What Swift keeps for scripts counts as well: in a store, effects and what they send, actions
  /// in a queue, the arguments of asynchronous functions that are awaited, and until an action ends
  /// what it has added to the state, or has made the state copy. States do not count; they have
  /// ``stateSize``.
  public var memory: Int?
  /// Bytes by which the memory of the VM may grow in a turn. A value counts each time that an
  /// action assigns it to its state.
  public var memoryPerTurn: Int?
  /// Bytes of one Lua string.
  public var stringLength: Int?
  /// Steps of one pattern match: positions of the subject that the match examines.
  public var patternSteps: Int?
  /// Bytes of one text that is compiled: a script, or the argument of `load`.
  public var sourceSize: Int?
  /// Keys of one table, not counting those of a list (1, 2, 3 …), rounded up to a power of two.
  /// Growing a table rehashes it. If a script has chosen colliding keys, that takes quadratic time,
  /// which nothing interrupts: a quarter of a second for 32,000 keys, 17 seconds for 260,000. With
  /// this limit a text that is compiled may also have at most 8192 words `goto` and `break`.
  public var tableKeys: Int?
  /// Bytes of any value that a script makes for the host, and of a store's state: 16 for each
  /// scalar, list and object, and the length of each string and key, counted each time that it
  /// occurs. A script can put one table into another one a thousand times at no cost, but every
  /// reader visits all occurrences. A larger value is refused, as any other that cannot be stored.
  public var stateSize: Int?
  /// Whether scripts may have weak tables (`__mode`). One garbage collection takes quadratic time,
  /// which nothing interrupts, for tables with weak keys whose values refer to each other: ten
  /// seconds for 60,000. Once it is false for a VM, its scripts get no weak tables, whatever limits
  /// are set later.
  public var weakTables: Bool
  /// Lua instructions per turn. Exact and reproducible, but slow.
  public var instructions: Int?

  public init(
    time: Duration? = nil, memory: Int? = nil, memoryPerTurn: Int? = nil,
    stringLength: Int? = nil, patternSteps: Int? = nil, sourceSize: Int? = nil,
    instructions: Int? = nil, tableKeys: Int? = nil, stateSize: Int? = nil, weakTables: Bool = true
  ) {
    self.time = time
    self.memory = memory
    self.memoryPerTurn = memoryPerTurn
    self.stringLength = stringLength
    self.patternSteps = patternSteps
    self.sourceSize = sourceSize
    self.instructions = instructions
    self.tableKeys = tableKeys
    self.stateSize = stateSize
    self.weakTables = weakTables
  }

  /// No limits.
  public static let unlimited = LuaLimits()

  /// For scripts of the host's own authors: a script that exceeds these has a fault.
  public static let standard = LuaLimits(
    time: .seconds(1), memory: 512 << 20, memoryPerTurn: 128 << 20, stringLength: 16 << 20,
    patternSteps: 50_000_000, sourceSize: 4 << 20)

  /// For scripts of authors whom the host does not know.
  public static let untrusted = LuaLimits(
    time: .milliseconds(100), memory: 64 << 20, memoryPerTurn: 16 << 20, stringLength: 1 << 20,
    patternSteps: 1_000_000, sourceSize: 256 << 10, tableKeys: 16 << 10, stateSize: 16 << 20,
    weakTables: false)
}

/// The figures of a limit that scripts exceeded, in the unit of that limit: seconds for a time,
/// bytes for memory, strings and texts, and else a number.
public struct ExceededLimit: Sendable, Hashable {
  public var allowed: Double
  /// How far the scripts came, or would have come.
  public var reached: Double

  package init(allowed: Double, reached: Double) {
    self.allowed = allowed
    self.reached = reached
  }
}

/// Limits in the form that C uses: of a turn, and while scripts are loaded.
package final class TurnLimits: Sendable {
  let turn: sl_limits
  let load: sl_limits

  /// - Parameters:
  ///   - limits: of each turn.
  ///   - loadTime: the time that loading may take, in place of that of a turn.
  ///   - timeSlice: the processor time after which a body of an effect is suspended.
  ///   - instructionSlice: the same bound in instructions.
  package init(
    _ limits: LuaLimits, loadTime: Duration? = nil, timeSlice: Duration? = nil,
    instructionSlice: Int? = nil
  ) {
    // The initializer takes all fields of the record, so the compiler names a limit that is not copied.
    var core = sl_limits(
      time: TurnLimits.nanoseconds(limits.time),
      instructions: TurnLimits.count(limits.instructions),
      slice: TurnLimits.nanoseconds(timeSlice),
      slice_instructions: TurnLimits.count(instructionSlice),
      pattern_steps: TurnLimits.count(limits.patternSteps),
      memory: TurnLimits.count(limits.memory),
      growth: TurnLimits.count(limits.memoryPerTurn),
      string: TurnLimits.count(limits.stringLength),
      source: TurnLimits.count(limits.sourceSize),
      keys: TurnLimits.count(limits.tableKeys),
      state: TurnLimits.count(limits.stateSize),
      forbids_weak_tables: !limits.weakTables)
    turn = core
    core.time = TurnLimits.nanoseconds(loadTime)
    load = core
  }

  /// At least 1, as C takes 0 for no limit.
  static func count(_ limit: Int?) -> Int { limit.map { max(1, $0) } ?? 0 }

  /// At least 1, as C takes 0 for no limit.
  static func nanoseconds(_ time: Duration?) -> Int64 {
    time.map { Int64(max(1, min($0 / .nanoseconds(1), 9e18))) } ?? 0
  }
}

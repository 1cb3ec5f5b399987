/// Bounds on what scripts may use. A limit that is nil does not exist.
///
/// Most limits count a *turn*: one action from outside with all that its effects send at once, one
/// resumption of an effect (from one wait to the next), or one call by the host. A script that
/// exceeds a limit is stopped by an error that `pcall` cannot catch. The host gets it as a
/// ``ScriptError`` whose `kind` and `exceeded` tell which limit it was. A store rolls the action
/// back, or ends the effect, and continues, as do all other stores.
///
/// ```swift
/// var limits = Limits.untrusted
/// limits.time = 0.02
/// let host = try ScriptHost(root: "scripts", configuration: .init(limits: limits))
/// ```
///
/// Limits cost nothing for scripts that stay within them, except `instructions`, which makes tight
/// loops take about twice as long. One thread of the process (``Watchdog``) checks the time every
/// 10 ms while scripts run, and signals the thread that runs them. Functions of the host are not
/// stopped: their time counts, and the script is stopped when they return.
public struct Limits: Sendable, Hashable {
  /// Seconds per turn.
  public var time: Double?
  /// The seconds that loading may take when a store is made: the feature's script and the modules
  /// that it requires. Nil means no limit, but a reload then has one second.
  public var loadTime: Double?
  /// Seconds per call of a function for `effect.compute`, which runs beside the stores.
  public var computeTime: Double?
  /// Bytes that a VM may hold in all. The last eighth is reserved for what happens after a stop.
  /// This is a limit of a host, not of a store.
  ///
  /// What Swift keeps for scripts counts as well: effects and what they send, actions in a queue,
  /// and the arguments of asynchronous functions that are awaited. States do not count; they have
  /// ``stateSize``.
  public var memory: Int?
  /// Bytes that all VMs of a host may hold: the current one, and older ones whose effects are still
  /// in flight. (A VM is replaced by a reload, or when its scripts keep too much memory.) While
  /// they hold more, what is in flight in the oldest VM is cancelled. This is a limit of a host,
  /// not of a store.
  public var totalMemory: Int?
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
  /// Bytes of a store's state, and of any value that a script makes for the host: 16 for each
  /// scalar, list and object, and the length of each string and key, counted each time that it
  /// occurs. A script can put one table into a state a thousand times at no cost, but every reader
  /// visits all occurrences. A larger value is refused, as any other that cannot be stored.
  public var stateSize: Int?
  /// Whether scripts may have weak tables (`__mode`). One garbage collection takes quadratic time,
  /// which nothing interrupts, for tables with weak keys whose values refer to each other: ten
  /// seconds for 60,000. Once it is false for a host, its scripts get no weak tables, whatever the
  /// limits of its stores say.
  public var weakTables: Bool
  /// Effects of one store that are in flight at a time: functions of `effect.run` and the parts
  /// that they run, Swift effects, debounced effects, and intervals of `throttle`. One more is not
  /// started.
  public var effects: Int?
  /// Actions of a *burst*: all that effects send because of one action of the host, or because of
  /// one effect that continued after a wait, directly or indirectly and without another wait. A
  /// wait is a sleep of more than zero seconds, or a call of an asynchronous function of the host;
  /// `effect.yield`, `clock.sleep(0)`, and a sleep on a clock that passes at once are not waits.
  /// One more action is refused, and the effect that sends it is stopped. So a timer may tick
  /// forever, and actions that send each other come to an end.
  public var actions: Int?
  /// Keys of shared values that the scripts of a host declare. One more is refused where it is shared, or
  /// where an effect asks for its value. Values stay as long as the host.
  public var sharedKeys: Int?
  /// Nodes of one screen, as views return them. A view whose nodes would be more raises an error.
  public var viewNodes: Int?
  /// Lua instructions per turn. Exact and reproducible, but slow.
  public var instructions: Int?
  /// Seconds of processor time after which the body of an effect that still computes is suspended,
  /// so that actions and other effects have their turn. It continues after them, as if
  /// `effect.yield()` stood there, and the time of its turn continues to count. Not applied in
  /// tests, nor while time passes by hand, so that runs are reproducible.
  public var timeSlice: Double?
  /// The same bound in instructions of the body, applied everywhere. Exact and reproducible, but
  /// slow.
  public var instructionSlice: Int?

  public init(
    time: Double? = nil, loadTime: Double? = nil, memory: Int? = nil, memoryPerTurn: Int? = nil,
    stringLength: Int? = nil, patternSteps: Int? = nil, sourceSize: Int? = nil,
    instructions: Int? = nil, computeTime: Double? = nil, timeSlice: Double? = nil,
    instructionSlice: Int? = nil, tableKeys: Int? = nil, stateSize: Int? = nil,
    weakTables: Bool = true, effects: Int? = nil, actions: Int? = nil, sharedKeys: Int? = nil,
    totalMemory: Int? = nil, viewNodes: Int? = nil
  ) {
    self.viewNodes = viewNodes
    self.time = time
    self.loadTime = loadTime
    self.computeTime = computeTime
    self.timeSlice = timeSlice
    self.instructionSlice = instructionSlice
    self.memory = memory
    self.memoryPerTurn = memoryPerTurn
    self.stringLength = stringLength
    self.patternSteps = patternSteps
    self.sourceSize = sourceSize
    self.tableKeys = tableKeys
    self.stateSize = stateSize
    self.weakTables = weakTables
    self.effects = effects
    self.actions = actions
    self.sharedKeys = sharedKeys
    self.totalMemory = totalMemory
    self.instructions = instructions
  }

  /// No limits.
  public static let unlimited = Limits()

  /// For scripts of the host's own authors: a script that exceeds these has a fault.
  public static let standard = Limits(
    time: 1, loadTime: 5, memory: 512 << 20, memoryPerTurn: 128 << 20, stringLength: 16 << 20,
    patternSteps: 50_000_000, sourceSize: 4 << 20, computeTime: 10, timeSlice: 0.01,
    effects: 200_000, actions: 100_000, sharedKeys: 10_000, totalMemory: 2 << 30,
    viewNodes: 1_000_000)

  /// For scripts of authors whom the host does not know.
  public static let untrusted = Limits(
    time: 0.1, loadTime: 0.5, memory: 64 << 20, memoryPerTurn: 16 << 20, stringLength: 1 << 20,
    patternSteps: 1_000_000, sourceSize: 256 << 10, computeTime: 1, timeSlice: 0.01,
    tableKeys: 16 << 10, stateSize: 16 << 20, weakTables: false, effects: 1000, actions: 1000,
    sharedKeys: 256, totalMemory: 256 << 20, viewNodes: 20_000)
}

/// The figures of a limit that scripts exceeded, in the unit of that limit: seconds, bytes or a
/// number.
public struct ExceededLimit: Sendable, Hashable {
  public var allowed: Double
  /// How far the scripts came, or would have come.
  public var reached: Double

  package init(allowed: Double, reached: Double) {
    self.allowed = allowed
    self.reached = reached
  }
}

import CLua

/// What scripts may use up. nil is without limit.
///
/// Most limits hold for a *turn*: one action with all reducers that it runs, one resumption of an effect (from one wait
/// to the next), or one call by the host. A script that goes over one is stopped by an error that `pcall` cannot
/// catch and that reaches the host as a ``ScriptError`` whose `kind` and `exceeded` tell the limit; a store rolls
/// the action back, or ends the effect, and goes on, as all others do.
///
/// ```swift
/// var limits = Limits.untrusted
/// limits.time = 0.02
/// let host = try ScriptHost(root: "scripts", configuration: .init(limits: limits))
/// ```
///
/// Limits cost scripts that behave nothing but `instructions`, which makes tight loops about twice as slow. Time is
/// looked at by a thread of the process (``Watchdog``), which signals the one that runs scripts, every 10 ms while
/// scripts run. Functions of the host are not stopped: they count, and the script is when they return.
public struct Limits: Sendable, Hashable {
  /// Seconds of a turn.
  public var time: Double?
  /// Seconds that loading a feature may take, with all that it requires, where a store is made of it. (nil: a reload
  /// takes a second at most.)
  public var loadTime: Double?
  /// Seconds that a function may compute for `effect.compute`, beside the stores.
  public var computeTime: Double?
  /// Bytes that a VM may hold in all; the last eighth is for what comes after a stop. Of a host, not of a store.
  ///
  /// What Swift keeps for scripts counts as well: effects and what they send, actions that wait, the arguments of functions
  /// that are awaited. States do not: they have ``stateSize``.
  public var memory: Int?
  /// Bytes that all VMs of a host may hold: the one that runs, and those from before a reload, or before scripts that kept
  /// too much were loaded anew, whose effects are still in flight. While they hold more, what is in flight in the oldest is
  /// cancelled. Of a host, not of a store.
  public var totalMemory: Int?
  /// Bytes by which the memory of the VM may grow in a turn. What an action assigns to its state counts as often as it is
  /// assigned.
  public var memoryPerTurn: Int?
  /// Bytes of one string of Lua's.
  public var stringLength: Int?
  /// Steps of one match of a pattern: places of the subject that are looked at.
  public var patternSteps: Int?
  /// Bytes of one text that is compiled: a script, or what `load` gets.
  public var sourceSize: Int?
  /// Keys of one table beside those of a list (1, 2, 3 …), rounded up to a power of two. Lua takes quadratic time,
  /// which nothing interrupts, to make room for more of them where a script has chosen them for that: a quarter of a
  /// second for 32,000, 17 seconds for 260,000.
  public var tableKeys: Int?
  /// Bytes of a store's state, and of any value that a script makes for the host: 16 for each scalar, list and object,
  /// and the length of each string and key, as often as it is there. Scripts can put one table into a state a
  /// thousand times at no cost; whoever reads it pays for each. A value that is larger is refused as any other that
  /// cannot be stored.
  public var stateSize: Int?
  /// Whether scripts may have weak tables (`__mode`). One collection of garbage takes quadratic time, which nothing interrupts,
  /// for those with weak keys whose values hold each other: ten seconds for 60,000. A host that once said no says no to
  /// the scripts that are there, whatever its stores say.
  public var weakTables: Bool
  /// Effects of one store that are in flight at a time: functions of `effect.run` and the parts that they run, Swift
  /// effects, debounced effects, and intervals of `throttle`. One more is not started.
  public var effects: Int?
  /// Actions that effects send in a row without a wait: all that follow, however indirectly, from one action of the
  /// host's, or from one effect that went on after a wait. Waits are sleeps of more than no time, and calls of asynchronous
  /// functions of the host; `effect.yield`, `clock.sleep(0)` and a clock that passes at once are none. One more is
  /// refused, and the effect that runs and sends it is stopped. So a timer may tick for ever, and actions that send each
  /// other come to an end.
  public var actions: Int?
  /// Instructions of Lua in a turn: exact, the same in each run, and slow.
  public var instructions: Int?
  /// Seconds of a processor after which the body of an effect that goes on computing is suspended where it is, so that
  /// actions and other effects have their turn; it goes on after them, as if `effect.yield()` stood there. The time of its turn
  /// goes on too. Not in tests, nor where time passes by hand, so that they do the same each time.
  public var timeSlice: Double?
  /// The same in instructions of the body: exact, the same in each run, and slow; everywhere.
  public var instructionSlice: Int?

  public init(
    time: Double? = nil, loadTime: Double? = nil, memory: Int? = nil, memoryPerTurn: Int? = nil,
    stringLength: Int? = nil, patternSteps: Int? = nil, sourceSize: Int? = nil,
    instructions: Int? = nil, computeTime: Double? = nil, timeSlice: Double? = nil,
    instructionSlice: Int? = nil, tableKeys: Int? = nil, stateSize: Int? = nil,
    weakTables: Bool = true, effects: Int? = nil, actions: Int? = nil, totalMemory: Int? = nil
  ) {
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
    self.totalMemory = totalMemory
    self.instructions = instructions
  }

  /// None at all.
  public static let unlimited = Limits()

  /// For scripts of one's own: what runs over these has gone wrong.
  public static let standard = Limits(
    time: 1, loadTime: 5, memory: 512 << 20, memoryPerTurn: 128 << 20, stringLength: 16 << 20,
    patternSteps: 50_000_000, sourceSize: 4 << 20, computeTime: 10, timeSlice: 0.01,
    effects: 200_000, actions: 100_000, totalMemory: 2 << 30)

  /// For scripts of people whom the host does not know.
  public static let untrusted = Limits(
    time: 0.1, loadTime: 0.5, memory: 64 << 20, memoryPerTurn: 16 << 20, stringLength: 1 << 20,
    patternSteps: 1_000_000, sourceSize: 256 << 10, computeTime: 1, timeSlice: 0.01,
    tableKeys: 16 << 10, stateSize: 16 << 20, weakTables: false, effects: 1000, actions: 1000,
    totalMemory: 256 << 20)
}

/// What scripts ran over, in seconds, bytes, or whatever the limit counts.
public struct ExceededLimit: Sendable, Hashable {
  public var allowed: Double
  /// How far they came, or would have.
  public var reached: Double

  package init(allowed: Double, reached: Double) {
    self.allowed = allowed
    self.reached = reached
  }
}

/// Limits as the VM has them: those of a turn, and while something is loaded.
package final class TurnLimits: Sendable {
  let turn: sl_limits
  let load: sl_limits
  /// Those on a store.
  package let effects: Int
  package let actions: Int

  /// - Parameter memory: of the VM, instead of what the limits say of it.
  package init(_ limits: Limits, memory: Int? = nil) {
    var core = sl_limits()
    core.time = TurnLimits.nanoseconds(limits.time)
    core.memory = TurnLimits.count(memory ?? limits.memory)
    core.growth = TurnLimits.count(limits.memoryPerTurn)
    core.string = TurnLimits.count(limits.stringLength)
    core.source = TurnLimits.count(limits.sourceSize)
    core.keys = TurnLimits.count(limits.tableKeys)
    core.state = TurnLimits.count(limits.stateSize)
    core.is_strong = !limits.weakTables
    core.instructions = UInt64(TurnLimits.count(limits.instructions))
    core.slice = TurnLimits.nanoseconds(limits.timeSlice)
    core.slice_instructions = UInt64(TurnLimits.count(limits.instructionSlice))
    core.pattern_steps = Int64(TurnLimits.count(limits.patternSteps))
    turn = core
    core.time = TurnLimits.nanoseconds(limits.loadTime)
    load = core
    effects = limits.effects ?? .max
    actions = limits.actions ?? .max
  }

  /// At least 1, as 0 is none.
  private static func count(_ limit: Int?) -> Int { limit.map { max(1, $0) } ?? 0 }

  private static func nanoseconds(_ seconds: Double?) -> Int64 {
    seconds.map { Int64(max(1, min($0 * 1e9, 9e18))) } ?? 0
  }
}

extension LuaVM {
  /// What scripts may use up from the next turn on. Throws if there is no thread that looks at the time.
  package func setLimits(_ limits: Limits) throws(ScriptError) {
    turnLimits = TurnLimits(limits)
    var turn = turnLimits.turn
    guard sl_set_limits(core, &turn) else {
      throw ScriptError("no thread can be had that looks at the time")
    }
  }

  /// Begins a turn, under other limits if they are given; one inside of another is a part of that. ``endTurn(_:)`` has to
  /// follow, on the same thread.
  @inline(__always)
  package func beginTurn(_ limits: TurnLimits?) {
    takeReturned()
    if let limits, core.pointee.turns == 0 { use(limits.turn) }
    sl_begin_turn(core)
  }

  @inline(__always)
  package func endTurn(_ limits: TurnLimits?) {
    sl_end_turn(core)
    if limits != nil && core.pointee.turns == 0 { use(turnLimits.turn) }
    settle()
  }

  /// Runs `body` as one turn.
  ///
  /// - Parameter use: of the slices before, if it goes on with the body of an effect.
  package func turn<R, Failure: Error>(
    _ limits: TurnLimits? = nil, after use: BodyUse? = nil, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    beginTurn(limits)
    if var use = use?.core { sl_charge_turn(core, &use) }
    defer { endTurn(limits) }
    return try body()
  }

  /// The same for loading scripts.
  package func loading<R, Failure: Error>(
    _ limits: TurnLimits? = nil, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let isOutermost = core.pointee.turns == 0
    if isOutermost { use((limits ?? turnLimits).load) }
    sl_begin_turn(core)
    defer {
      sl_end_turn(core)
      if isOutermost { use(turnLimits.turn) }
      settle()
    }
    return try body()
  }

  private func use(_ limits: sl_limits) {
    var limits = limits
    // The watchdog is there since the VM has limits, or will be asked for by the turn.
    _ = sl_set_limits(core, &limits)
  }

  /// Whether scripts were stopped for want of memory, and most of what they may have was in use after that.
  package var isFull: Bool {
    get { core.pointee.is_full }
    set { core.pointee.is_full = newValue }
  }
}

import LuaBridge

/// Bounds on what the scripts of a host and its stores may use. A limit that is nil does not exist.
///
/// The bounds of each VM and turn are `LuaLimits`, whose properties are also found here. A store
/// whose script exceeds a limit rolls the action back, or ends the effect, and continues, as do all
/// other stores.
///
/// ```swift
/// var limits = Limits.untrusted
/// limits.time = .milliseconds(20)
/// limits.effects = 100
/// let host = try ScriptHost(root: "scripts", configuration: .init(limits: limits))
/// ```
@dynamicMemberLookup
public struct Limits: Sendable, Hashable {
  /// What a VM and each turn may use. `LuaLimits.memory` and `LuaLimits.weakTables` are limits
  /// of a host, not of a store.
  public var lua: LuaLimits
  /// The time that loading may take when a store is made: the feature's script and the modules
  /// that it requires. Nil means no limit, but a reload then has one second.
  public var loadTime: Duration?
  /// The time of a call of a function for `effect.compute`, which runs beside the stores. This is a
  /// limit of a host, not of a store.
  public var computeTime: Duration?
  /// Bytes that all VMs of a host may hold: the current one, and older ones whose effects are still
  /// in flight. (A VM is replaced by a reload, or when its scripts keep too much memory.) While
  /// they hold more, what is in flight in the oldest VM is cancelled. This is a limit of a host,
  /// not of a store.
  ///
  /// Besides, a history drops its oldest entries while what their actions have written is more than this. If
  /// there is a limit on states (`LuaLimits.stateSize`), all shared values of a host may not have more bytes
  /// together.
  public var totalMemory: Int?
  /// Effects of one store that are in flight at a time: functions of `effect.run` and the parts
  /// that they run, Swift effects, debounced effects, and intervals of `throttle`. One more is not
  /// started.
  public var effects: Int?
  /// Actions of a *burst*: all that effects send because of one action of the host, or because of
  /// one effect that continued after a wait, directly or indirectly and without another wait. A
  /// wait is a sleep of more than zero seconds, or a call of an asynchronous function of the host;
  /// `effect.yield`, `clock.sleep(0)`, and a sleep on a clock that passes at once are not waits.
  /// Actions of nodes that appear because of the burst belong to it. One more action is refused, and
  /// the effect that sends it is stopped. So a timer may tick forever, and actions that send each
  /// other come to an end.
  public var actions: Int?
  /// Keys of shared values that the scripts of a host declare. One more is refused where it is
  /// shared, or where an effect asks for its value. Values stay as long as the host.
  public var sharedKeys: Int?
  /// Nodes of one screen, as views return them. A view whose nodes would be more raises an error.
  public var viewNodes: Int?
  /// The processor time after which the body of an effect that still computes is suspended,
  /// so that actions and other effects have their turn. It continues after them, as if
  /// `effect.yield()` stood there, and the time of its turn continues to count. Not applied in
  /// tests, nor while time passes by hand, so that runs are reproducible.
  public var timeSlice: Duration?
  /// The same bound in instructions of the body, applied everywhere. Exact and reproducible, but
  /// slow.
  public var instructionSlice: Int?

  /// The bytes that all shared values may have together. Nil without a limit on states, because then no value is measured.
  var sharedBytes: Int? { lua.stateSize == nil ? nil : totalMemory }

  /// The limits of a VM and of each turn: `limits.time`, `limits.memory`.
  public subscript<T>(dynamicMember path: WritableKeyPath<LuaLimits, T>) -> T {
    get { lua[keyPath: path] }
    set { lua[keyPath: path] = newValue }
  }

  public init(
    time: Duration? = nil, loadTime: Duration? = nil, memory: Int? = nil, memoryPerTurn: Int? = nil,
    stringLength: Int? = nil, patternSteps: Int? = nil, sourceSize: Int? = nil,
    instructions: Int? = nil, computeTime: Duration? = nil, timeSlice: Duration? = nil,
    instructionSlice: Int? = nil, tableKeys: Int? = nil, stateSize: Int? = nil,
    weakTables: Bool = true, effects: Int? = nil, actions: Int? = nil, sharedKeys: Int? = nil,
    totalMemory: Int? = nil, viewNodes: Int? = nil
  ) {
    self.init(
      LuaLimits(
        time: time, memory: memory, memoryPerTurn: memoryPerTurn, stringLength: stringLength,
        patternSteps: patternSteps, sourceSize: sourceSize, instructions: instructions,
        tableKeys: tableKeys, stateSize: stateSize, weakTables: weakTables),
      loadTime: loadTime, computeTime: computeTime, timeSlice: timeSlice,
      instructionSlice: instructionSlice, effects: effects, actions: actions,
      sharedKeys: sharedKeys, totalMemory: totalMemory, viewNodes: viewNodes)
  }

  /// - Parameter lua: the limits of a VM and of each turn.
  public init(
    _ lua: LuaLimits, loadTime: Duration? = nil, computeTime: Duration? = nil,
    timeSlice: Duration? = nil, instructionSlice: Int? = nil, effects: Int? = nil,
    actions: Int? = nil, sharedKeys: Int? = nil, totalMemory: Int? = nil, viewNodes: Int? = nil
  ) {
    self.lua = lua
    self.loadTime = loadTime
    self.computeTime = computeTime
    self.timeSlice = timeSlice
    self.instructionSlice = instructionSlice
    self.effects = effects
    self.actions = actions
    self.sharedKeys = sharedKeys
    self.totalMemory = totalMemory
    self.viewNodes = viewNodes
  }

  /// No limits.
  public static let unlimited = Limits()

  /// For scripts of the host's own authors: a script that exceeds these has a fault.
  public static let standard = Limits(
    .standard, loadTime: .seconds(5), computeTime: .seconds(10), timeSlice: .milliseconds(10),
    effects: 200_000, actions: 100_000, sharedKeys: 10_000, totalMemory: 2 << 30,
    viewNodes: 1_000_000)

  /// For scripts of authors whom the host does not know.
  public static let untrusted = Limits(
    .untrusted, loadTime: .milliseconds(500), computeTime: .seconds(1),
    timeSlice: .milliseconds(10), effects: 1000, actions: 1000, sharedKeys: 256,
    totalMemory: 256 << 20, viewNodes: 20_000)
}

extension TurnLimits {
  convenience init(_ limits: Limits) {
    self.init(
      limits.lua, loadTime: limits.loadTime, timeSlice: limits.timeSlice,
      instructionSlice: limits.instructionSlice)
  }
}

/// The limits of a store that has its own.
final class StoreLimits: Sendable {
  let all: Limits
  /// Those of its turns, in the form that C uses.
  let turns: TurnLimits

  /// - Parameter host: the limits of the host, whose memory limit remains if there is one.
  init(_ limits: Limits, in host: Limits) {
    var all = limits
    all.memory = host.memory ?? limits.memory
    self.all = all
    turns = TurnLimits(all)
  }
}

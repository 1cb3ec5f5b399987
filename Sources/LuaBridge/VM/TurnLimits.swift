import CLua

/// Limits in the form that C uses: of a turn, and while scripts are loaded.
package final class TurnLimits: Sendable {
  let turn: sl_limits
  let load: sl_limits
  /// Limits that a store counts.
  package let effects: Int
  package let actions: Int

  /// - Parameters:
  ///   - limits: of each turn.
  ///   - loadTime: the time that loading may take, in place of that of a turn.
  ///   - timeSlice: the processor time after which a body of an effect is suspended.
  ///   - instructionSlice: the same bound in instructions.
  ///   - effects: how many may be in flight.
  ///   - actions: how many a burst may have.
  package init(
    _ limits: LuaLimits, loadTime: Duration? = nil, timeSlice: Duration? = nil,
    instructionSlice: Int? = nil, effects: Int? = nil, actions: Int? = nil
  ) {
    var core = sl_limits()
    core.time = TurnLimits.nanoseconds(limits.time)
    core.memory = TurnLimits.count(limits.memory)
    core.growth = TurnLimits.count(limits.memoryPerTurn)
    core.string = TurnLimits.count(limits.stringLength)
    core.source = TurnLimits.count(limits.sourceSize)
    core.keys = TurnLimits.count(limits.tableKeys)
    core.state = TurnLimits.count(limits.stateSize)
    core.forbids_weak_tables = !limits.weakTables
    core.instructions = UInt64(TurnLimits.count(limits.instructions))
    core.slice = TurnLimits.nanoseconds(timeSlice)
    core.slice_instructions = UInt64(TurnLimits.count(instructionSlice))
    core.pattern_steps = Int64(TurnLimits.count(limits.patternSteps))
    turn = core
    core.time = TurnLimits.nanoseconds(loadTime)
    load = core
    self.effects = effects ?? .max
    self.actions = actions ?? .max
  }

  /// At least 1, as C takes 0 for no limit.
  private static func count(_ limit: Int?) -> Int { limit.map { max(1, $0) } ?? 0 }

  /// At least 1, as C takes 0 for no limit.
  static func nanoseconds(_ time: Duration?) -> Int64 {
    time.map { Int64(max(1, min($0 / .nanoseconds(1), 9e18))) } ?? 0
  }
}

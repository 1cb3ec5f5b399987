import CLua

/// Limits in the form that C uses: of a turn, and while scripts are loaded.
package final class TurnLimits: Sendable {
  let turn: sl_limits
  let load: sl_limits
  /// Limits that a store counts.
  package let effects: Int
  package let actions: Int

  /// - Parameter memory: replaces the memory limit of `limits`.
  package init(_ limits: Limits, memory: Int? = nil) {
    var core = sl_limits()
    core.time = TurnLimits.nanoseconds(limits.time)
    core.memory = TurnLimits.count(memory ?? limits.memory)
    core.growth = TurnLimits.count(limits.memoryPerTurn)
    core.string = TurnLimits.count(limits.stringLength)
    core.source = TurnLimits.count(limits.sourceSize)
    core.keys = TurnLimits.count(limits.tableKeys)
    core.state = TurnLimits.count(limits.stateSize)
    core.forbids_weak_tables = !limits.weakTables
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

  /// At least 1, as C takes 0 for no limit.
  private static func count(_ limit: Int?) -> Int { limit.map { max(1, $0) } ?? 0 }

  /// At least 1, as C takes 0 for no limit.
  static func nanoseconds(_ seconds: Double?) -> Int64 {
    seconds.map { Int64(max(1, min($0 * 1e9, 9e18))) } ?? 0
  }
}

import ArgumentParser
import ScriptedStore

/// The options for the limits of scripts.
package struct LimitOptions: ParsableArguments {
  package enum Preset: String, ExpressibleByArgument, CaseIterable {
    case standard, untrusted, unlimited

    var limits: Limits {
      switch self {
      case .standard: .standard
      case .untrusted: .untrusted
      case .unlimited: .unlimited
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "standard, untrusted or unlimited: what the other options begin with.", valueName: "preset"))
  package var limits: Preset?

  @Option(help: ArgumentHelp("Seconds of an action or effect.", valueName: "seconds"))
  package var maxTime: Double?

  @Option(help: ArgumentHelp("Seconds that loading may take.", valueName: "seconds"))
  var maxLoadTime: Double?

  @Option(help: ArgumentHelp("Memory of all scripts: 4096, 512K, 64M, 2G.", valueName: "size"))
  var maxMemory: ByteCount?

  @Option(
    help: ArgumentHelp(
      "The same, with that of former scripts whose effects are in flight.", valueName: "size"))
  var maxTotalMemory: ByteCount?

  @Option(help: ArgumentHelp("By how much an action or effect may let it grow.", valueName: "size"))
  var maxGrowth: ByteCount?

  @Option(help: ArgumentHelp("One string.", valueName: "size"))
  var maxString: ByteCount?

  @Option(help: ArgumentHelp("One text that is compiled.", valueName: "size"))
  var maxSource: ByteCount?

  @Option(help: ArgumentHelp("Keys of one table but those of a list.", valueName: "n"))
  var maxKeys: Int?

  @Option(help: ArgumentHelp("The state, and a value that goes there.", valueName: "size"))
  var maxState: ByteCount?

  @Option(help: ArgumentHelp("Steps of one match of a pattern.", valueName: "n"))
  var maxPatternSteps: Int?

  @Option(help: ArgumentHelp("Effects of one store in flight.", valueName: "n"))
  var maxEffects: Int?

  @Option(
    help: ArgumentHelp("Actions that effects send in a row without a wait.", valueName: "n"))
  var maxActions: Int?

  @Option(help: ArgumentHelp("Nodes of one screen.", valueName: "n"))
  var maxViewNodes: Int?

  @Option(
    help: ArgumentHelp(
      "Instructions of an action or effect; exact, and slow.", valueName: "n"))
  var maxInstructions: Int?

  @Option(
    help: ArgumentHelp(
      "Seconds after which an effect that computes lets others have their turn (real time only).",
      valueName: "seconds"))
  var timeSlice: Double?

  @Option(
    help: ArgumentHelp("The same in instructions; exact, everywhere, and slow.", valueName: "n"))
  var instructionSlice: Int?

  package init() {}

  package func validate() throws {
    // The comparison is negated because `nan` parses as a `Double`, and every comparison with it is
    // false.
    for seconds in [maxTime, maxLoadTime, timeSlice] where !((seconds ?? 1) > 0) {
      throw ValidationError("a time must be more than 0 seconds")
    }
    for count in [
      maxPatternSteps, maxInstructions, instructionSlice, maxKeys, maxEffects, maxActions,
      maxViewNodes,
    ]
    where (count ?? 1) < 1 {
      throw ValidationError("a limit must be at least 1")
    }
  }

  /// Returns the limits of the options.
  ///
  /// - Parameter usual: the limits to start from if no preset is given.
  package func limits(over usual: Limits) -> Limits {
    var limits = limits?.limits ?? usual
    limits.time = maxTime.map(Duration.init(clampingSeconds:)) ?? limits.time
    limits.loadTime = maxLoadTime.map(Duration.init(clampingSeconds:)) ?? limits.loadTime
    limits.memory = maxMemory?.bytes ?? limits.memory
    limits.totalMemory = maxTotalMemory?.bytes ?? limits.totalMemory
    limits.memoryPerTurn = maxGrowth?.bytes ?? limits.memoryPerTurn
    limits.stringLength = maxString?.bytes ?? limits.stringLength
    limits.tableKeys = maxKeys ?? limits.tableKeys
    limits.stateSize = maxState?.bytes ?? limits.stateSize
    limits.sourceSize = maxSource?.bytes ?? limits.sourceSize
    limits.effects = maxEffects ?? limits.effects
    limits.actions = maxActions ?? limits.actions
    limits.viewNodes = maxViewNodes ?? limits.viewNodes
    limits.patternSteps = maxPatternSteps ?? limits.patternSteps
    limits.instructions = maxInstructions ?? limits.instructions
    limits.timeSlice = timeSlice.map(Duration.init(clampingSeconds:)) ?? limits.timeSlice
    limits.instructionSlice = instructionSlice ?? limits.instructionSlice
    return limits
  }
}

/// A number of bytes, written as `4096`, `512K`, `64M` or `2G`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    var digits = Substring(argument)
    let shift: Int
    switch digits.last {
    case "K", "k": shift = 10
    case "M", "m": shift = 20
    case "G", "g": shift = 30
    default: shift = 0
    }
    if shift > 0 { digits.removeLast() }
    guard let count = Int(digits), count > 0, count <= Int.max >> shift else { return nil }
    bytes = count << shift
  }
}

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

  /// What is given for the limits on times, in seconds.
  private var times: [(option: String, limit: WritableKeyPath<Limits, Duration?>, seconds: Double?)]
  {
    [
      ("--max-time", \.time, maxTime), ("--max-load-time", \.loadTime, maxLoadTime),
      ("--time-slice", \.timeSlice, timeSlice),
    ]
  }

  /// What is given for the limits on numbers and bytes.
  private var counts: [(option: String, limit: WritableKeyPath<Limits, Int?>, count: Int?)] {
    [
      ("--max-memory", \.memory, maxMemory?.bytes),
      ("--max-total-memory", \.totalMemory, maxTotalMemory?.bytes),
      ("--max-growth", \.memoryPerTurn, maxGrowth?.bytes),
      ("--max-string", \.stringLength, maxString?.bytes),
      ("--max-source", \.sourceSize, maxSource?.bytes), ("--max-keys", \.tableKeys, maxKeys),
      ("--max-state", \.stateSize, maxState?.bytes),
      ("--max-pattern-steps", \.patternSteps, maxPatternSteps),
      ("--max-effects", \.effects, maxEffects), ("--max-actions", \.actions, maxActions),
      ("--max-view-nodes", \.viewNodes, maxViewNodes),
      ("--max-instructions", \.instructions, maxInstructions),
      ("--instruction-slice", \.instructionSlice, instructionSlice),
    ]
  }

  package func validate() throws {
    // The comparison is negated because `nan` parses as a `Double`, and every comparison with it is
    // false.
    for case (let option, _, let seconds?) in times where !(seconds > 0) {
      throw ValidationError("\(option) must be more than 0 seconds")
    }
    for case (let option, _, let count?) in counts where count < 1 {
      throw ValidationError("\(option) must be at least 1")
    }
  }

  /// Returns the limits of the options.
  ///
  /// - Parameter usual: the limits to start from if no preset is given.
  package func limits(over usual: Limits) -> Limits {
    var limits = limits?.limits ?? usual
    for case (_, let limit, let seconds?) in times {
      limits[keyPath: limit] = Duration(clampingSeconds: seconds)
    }
    for case (_, let limit, let count?) in counts { limits[keyPath: limit] = count }
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

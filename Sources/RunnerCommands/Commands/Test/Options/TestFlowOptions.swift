import ArgumentParser

/// The options for the order and the repetition of tests, and for the end of a run.
struct TestFlowOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Files that run at once. (default: cores)", valueName: "number"))
  var jobs: Int?

  @Flag(help: "Run the tests of each file in a random order.")
  var shuffle = false

  @Option(
    help: ArgumentHelp(
      "Shuffle as the run did that printed this seed.", valueName: "number"))
  var seed: UInt64?

  @Flag(help: "Stop after the first failure.")
  var failFast = false

  @Option(help: ArgumentHelp("Stop after so many failures.", valueName: "number"))
  var bail: Int?

  @Option(name: .customLong("repeat"), help: ArgumentHelp("Run all so often.", valueName: "number"))
  var rounds = 1

  @Option(
    help: ArgumentHelp(
      "Let a test that fails try again so often; one that passes then is told of as flaky.",
      valueName: "number"))
  var retries = 0

  @Option(
    help: ArgumentHelp(
      "Seconds that a test may take; 0 for any number. (default: 10, for plain Lua 60)",
      valueName: "seconds"))
  var timeout: Double?

  @Flag(help: "Do not fail when there is no test to run.")
  var passWithNoTests = false

  @Flag(help: "Write snapshots anew, and remove obsolete ones.")
  var updateSnapshots = false

  /// The highest number of rounds. All rounds of all files are planned in memory before the first
  /// one begins.
  private static let maximumRounds = 1_000_000

  func validate() throws {
    for (name, number, least) in [
      ("--jobs", jobs ?? 1, 1), ("--bail", bail ?? 1, 1), ("--repeat", rounds, 1),
      ("--retries", retries, 0),
    ] where number < least {
      throw ValidationError("\(name) is a number from \(least) on")
    }
    guard rounds <= Self.maximumRounds else {
      throw ValidationError("--repeat is at most \(Self.maximumRounds)")
    }
    guard timeout ?? 0 >= 0, (timeout ?? 0).isFinite else {
      throw ValidationError("--timeout is a number of seconds")
    }
  }
}

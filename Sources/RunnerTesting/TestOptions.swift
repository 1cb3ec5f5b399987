import ArgumentParser
import RunnerShared

/// The options that select tests.
struct TestSelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only tests in whose full name this Lua pattern is found. May be repeated: one is enough.",
      valueName: "pattern"))
  var filter: [String] = []

  @Option(
    help: ArgumentHelp(
      "No tests in whose full name this Lua pattern is found. May be repeated.",
      valueName: "pattern"))
  var filterOut: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Only tests with one of these tags (#slow in a name), separated by commas.",
      valueName: "tags"))
  var tags: [String] = []

  @Option(help: ArgumentHelp("No tests with one of these tags.", valueName: "tags"))
  var excludeTags: [String] = []

  @Flag(help: "Only tests that failed when they ran last.")
  var onlyFailed = false

  @Option(
    help: ArgumentHelp(
      """
      Only files that changed since a revision of git, or that use a script that did, by what they \
      require.
      """, valueName: "revision"))
  var changedSince: String?

  @Option(
    help: ArgumentHelp(
      "One of n parts of the tests, the same tests everywhere: 1/3, 2/3, 3/3.", valueName: "i/n"))
  var shard: Shard?

  /// The selection without the results of the last run.
  var selection: TestSelection {
    TestSelection(
      filters: filter, excludedFilters: filterOut, tags: Self.set(tags),
      excludedTags: Self.set(excludeTags), shard: shard)
  }

  static func set(_ lists: [String]) -> Set<String> {
    Set(
      lists.flatMap { $0.split(separator: ",") }.map { tag in
        let tag = tag.drop { $0 == " " }
        return String(tag.hasPrefix("#") ? tag.dropFirst() : tag)
      })
  }
}

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
  static let maximumRounds = 1_000_000

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

/// The options for what is reported, and where.
struct TestReportOptions: ParsableArguments {
  @Option(
    name: .customLong("reporter"),
    help: ArgumentHelp(
      """
      pretty, dot, tap, junit, json or github; with =file into that file instead of standard output. \
      May be repeated. (default: pretty)
      """, valueName: "name[=file]"))
  var named: [ReporterOption] = []

  /// The name of an output handler of busted, which is mapped to a reporter or refused.
  @Option(name: [.customShort("o"), .customLong("output")], help: .hidden)
  var output: String?

  @Flag(name: .shortAndLong, help: "A line for each test, and tracebacks of failed assertions.")
  var verbose = false

  @Option(help: ArgumentHelp("Tell which tests took longest.", valueName: "number"))
  var slowest = 0

  var reporters: [ReporterOption] {
    guard named.isEmpty else { return named }
    return [ReporterOption(output.flatMap(ReporterOption.Kind.init(handler:)) ?? .pretty)]
  }

  func validate() throws {
    if let output, ReporterOption.Kind(handler: output) == nil {
      let names = ReporterOption.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "busted's output handler '\(output)' does not run here; --reporter takes \(names)")
    }
    if slowest < 0 { throw ValidationError("--slowest is a number from 0 on") }
    let standard = reporters.filter { $0.file == nil }
    if standard.count > 1, let alone = standard.first(where: { !$0.canShare }) {
      throw ValidationError(
        "\(alone.kind.rawValue) needs standard output for itself; give the others a file: "
          + "--reporter pretty=report.txt")
    }
    if standard.count(where: \.isForPeople) > 1 {
      throw ValidationError("of pretty and dot one can go to standard output")
    }
    let files = named.compactMap(\.file)
    if Set(files).count < files.count {
      throw ValidationError("two reporters cannot write the same file")
    }
  }
}

import ScriptedStore

/// The results of a run, for reporters.
struct TestRunOutcome: Sendable {
  var counts = TestCounts()
  /// The counts of file runs: failed if anything failed, skipped if no test passed, else passed.
  var files = TestCounts()
  var seconds = 0.0
  var seed: UInt64?
  /// Whether the tests ran as plain Lua, without the sandbox.
  var isPlain = false
  /// The tests that passed after a failed attempt.
  var flaky: [ScriptTestResult] = []
  /// The slowest tests, slowest first; at most as many as were asked for.
  var slowest: [ScriptTestResult] = []
  var obsoleteSnapshots: [(file: String, names: [String])] = []
  var coverage: CoverageTable?
  var stop: Stop?

  /// Why the run ended before all tests ran.
  enum Stop: Hashable, Sendable {
    case interrupted
    case failures(Int)
  }
}

/// The results of a run, for the command.
struct TestRunResult: Sendable {
  let outcome: TestRunOutcome
  /// The results of each file's tests by file name.
  let results: [String: FailedTests.FileResults]
  /// Messages about reports that are incomplete.
  let outputFailures: [String]
}

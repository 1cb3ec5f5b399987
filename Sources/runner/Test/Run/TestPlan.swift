import ScriptedStore

/// How test files are to be run, as the command line says.
struct TestPlan: Sendable {
  let root: String
  /// Neither an option nor a folder called `scripts` says what the root is.
  var isRootGuessed = false
  var selection = TestSelection()
  /// Files that run at once.
  var jobs = 1
  /// How often each file runs.
  var rounds = 1
  /// How often a test that fails may try again.
  var retries = 0
  /// How many failures end the run; nil for any number.
  var bail: Int?
  /// Seconds that a test may take; nil for any number.
  var timeout: Double?
  /// What shuffles the tests; nil leaves them in their order.
  var seed: UInt64?
  var snapshots = SnapshotPolicy.new
  var measuresCoverage = false
  /// How many of the slowest tests are told.
  var slowest = 0
  var dependencies = Dependencies()
  /// For each test.
  var limits = Limits(
    memory: 1 << 30, effects: Limits.standard.effects, actions: Limits.standard.actions)
  /// Only files that use one of these scripts; nil for all.
  var changed: ChangedFiles?

  /// The files in order, as often as they run.
  func runs(of files: [TestFile]) -> [TestFileRun] {
    (1...rounds).flatMap { round in
      files.map { file in
        // Another order each time, or there would be no point in running again.
        let seed = seed.map { $0 &+ UInt64(round - 1) }
        return TestFileRun(file: file, round: round, rounds: rounds, seed: seed)
      }
    }
  }

  func configuration(
    of run: TestFileRun, measuring coverage: Coverage?
  ) -> ScriptTestFile.Configuration {
    ScriptTestFile.Configuration(
      limits: limits, dependencies: dependencies, timeout: timeout, coverage: coverage,
      snapshots: snapshots,
      seed: run.seed)
  }

  /// Whether a test file uses a script that has changed, if that is asked.
  func isAffected(
    _ file: TestFile, using loaded: ScriptTestFile, _ lastRun: LastRun
  ) -> Bool {
    guard let changed = changed?.paths else { return true }
    // Tests may require more while they run, which the last run knows.
    let before = lastRun.scripts[file.name] ?? []
    return Paths.real(file.path).map(changed.contains) ?? true
      || !changed.isDisjoint(with: loaded.modules) || !changed.isDisjoint(with: before)
  }
}

import RunnerShared
import ScriptedStore

/// How to run the test files, as the command line says.
struct TestPlan: Sendable {
  let root: String
  /// Whether `root` is the current folder only because there is neither an option nor a folder
  /// named `scripts`.
  var isRootGuessed = false
  var selection = TestSelection()
  /// Set if the tests are those of a plain Lua library; nil for the sandbox.
  var plain: PlainLibrary?
  /// The number of files that run at once.
  var jobs = 1
  /// How often each file runs.
  var rounds = 1
  /// How often a failed test may be tried again.
  var retries = 0
  /// The number of failures that ends the run; nil for no limit.
  var bail: Int?
  /// The time limit of a test in seconds; nil for no limit.
  var timeout: Double?
  /// Shuffles the tests of each file; nil to keep their order.
  var seed: UInt64?
  var snapshots = SnapshotPolicy.new
  var measuresCoverage = false
  /// How many of the slowest tests to report.
  var slowest = 0
  var dependencies = Dependencies()
  /// The limits of each test.
  var limits = Limits(
    memory: 1 << 30, effects: Limits.standard.effects, actions: Limits.standard.actions)
  /// If set, only test files that use one of these changed files run.
  var changed: ChangedFiles?

  /// The runs of the files in order, round after round.
  func runs(of files: [FoundFile]) -> [FileRun] {
    (1...rounds).flatMap { round in
      files.map { file in
        // Each round has another order, because repeating the same order would find less.
        let seed = seed.map { $0 &+ UInt64(round - 1) }
        return FileRun(file: file, round: round, rounds: rounds, seed: seed)
      }
    }
  }

  func configuration(
    of run: FileRun, measuring coverage: Coverage?
  ) -> ScriptTestFile.Configuration {
    ScriptTestFile.Configuration(
      limits: limits, dependencies: dependencies,
      timeout: timeout.map { Duration(clampingSeconds: $0) }, coverage: coverage,
      snapshots: snapshots, seed: run.seed, plainLua: plain?.lua)
  }

  /// The file of a run with its tests, none of which has run: those of a plain Lua library are found for that.
  func listed(_ run: FileRun) throws(ScriptError) -> ScriptTestFile {
    var configuration = configuration(of: run, measuring: nil)
    configuration.plainLua?.isOnlyListed = true
    return try ScriptTestFile(run.file.path, root: root, configuration: configuration)
  }

  /// Whether a test file uses a changed script. True if the plan does not ask for changes.
  func isAffected(
    _ file: FoundFile, using loaded: ScriptTestFile, _ lastRun: LastRun
  ) -> Bool {
    guard let changed = changed?.paths else { return true }
    // Tests may require further scripts while they run. The last run has recorded those.
    let before = lastRun.scripts[file.name] ?? []
    return file.isAffected(by: changed, using: before.union(loaded.modules))
  }
}

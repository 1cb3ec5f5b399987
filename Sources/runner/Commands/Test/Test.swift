import ArgumentParser
import ScriptedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Test: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run the tests of scripts.",
    discussion: """
      Tests are written with describe, it and assert in files named *_test.lua or *_spec.lua. Each \
      file runs in a Lua VM of its own, several at once; what is told of them comes in the order of \
      the files. The last line of a report for people says how many passed and failed.

      Exit status: 0; 1 when a test failed, or less ran than --coverage-threshold asks; 64 for wrong \
      usage; 66 when there is nothing to run; 74 when a report cannot be written. Ctrl-C ends the \
      tests that run, tells of what ran, and gives 130 (SIGTERM 143); a second one ends it at once.
      """)

  @Argument(
    help: ArgumentHelp(
      "Files of tests, or folders that hold some. (default: the root)", valueName: "path"))
  var paths: [String] = []

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; without such a folder, the current \
      one)
      """)
  var root: String?

  @Flag(help: "Print the tests that would run.")
  var list = false

  @Flag(
    help: """
      Run again what a changed file concerns. Keys: a runs all, f what failed, p asks for a filter, \
      Enter runs the same again, q quits.
      """)
  var watch = false

  @OptionGroup(title: "Selection")
  var selection: TestSelectionOptions

  @OptionGroup(title: "Flow")
  var flow: TestFlowOptions

  @OptionGroup(title: "Limits, of each test")
  var limits: LimitOptions

  @OptionGroup(title: "Report")
  var report: TestReportOptions

  @OptionGroup(title: "Coverage")
  var coverage: CoverageOptions

  func validate() throws {
    if watch && list { throw ValidationError("--list prints once; --watch does not go with it") }
  }

  func run() throws {
    StandardStreams.prepare()
    try Interruption.install()
    let plan = try plan()
    var runner = TestRunner(
      plan: plan, paths: paths, reporters: report.reporters, isVerbose: report.verbose,
      coverage: coverage, passesWithoutTests: flow.passWithNoTests,
      lastRun: LastRun(root: plan.root))
    let status: ExitCode
    if watch {
      var watch = TestWatch(runner)
      status = try watch.run()
    } else if list {
      status = try runner.list(try runner.findFiles())
    } else {
      status = try runner.run(plan.selection, of: try runner.findFiles())
    }
    if status != .success { throw status }
  }

  private func plan() throws -> TestPlan {
    let root = root ?? (Paths.isFolder("scripts") ? "scripts" : ".")
    var plan = TestPlan(root: root)
    plan.isRootGuessed = self.root == nil && root == "."
    plan.selection = selection.selection
    if selection.onlyFailed { plan.selection.failed = LastRun(root: root).failed }
    plan.changed = try selection.changedSince.map { try ChangedFiles(since: $0, around: root) }
    plan.jobs = flow.jobs ?? ProcessInfo.processInfo.activeProcessorCount
    plan.rounds = flow.rounds
    plan.retries = flow.retries
    plan.bail = flow.failFast ? 1 : flow.bail
    plan.timeout = limits.maxTime ?? (flow.timeout > 0 ? flow.timeout : nil)
    plan.limits = limits.limits(over: plan.limits)
    // Six digits at most, so that it can be typed.
    plan.seed = flow.seed ?? (flow.shuffle ? .random(in: 0..<1_000_000) : nil)
    plan.snapshots = isOnCI ? .never : flow.updateSnapshots ? .update : .new
    plan.measuresCoverage = coverage.isWanted
    plan.slowest = report.slowest
    plan.dependencies = try dependencies()
    return plan
  }

  /// The dependencies that the runner offers to features, so that tests find the same names. They
  /// have no live values: a call that a test does not override raises.
  private func dependencies() throws -> Dependencies {
    try DependencyOptions.parse([]).registered(on: nil)
  }

  private var isOnCI: Bool {
    !["", "0", "false"].contains(StandardStreams.environment("CI"))
  }
}

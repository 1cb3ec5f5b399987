import ArgumentParser
import RunnerShared
import ScriptedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The command `runner test`.
package struct Test: ParsableCommand {
  package static let configuration = CommandConfiguration(
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

  @OptionGroup(title: "Plain Lua libraries")
  var plain: PlainOptions

  @OptionGroup(title: "Flow")
  var flow: TestFlowOptions

  @OptionGroup(title: "Limits, of each test")
  var limits: LimitOptions

  @OptionGroup(title: "Report")
  var report: TestReportOptions

  @OptionGroup(title: "Coverage")
  var coverage: CoverageOptions

  package init() {}

  package func validate() throws {
    if watch && list { throw ValidationError("--list prints once; --watch does not go with it") }
  }

  package func run() throws {
    try Interruption.install()
    let plan = try plan()
    ScriptPaths.use(root: plan.root)
    var runner = TestRunner(
      plan: plan, paths: paths, reporters: report.reporters, isVerbose: report.verbose,
      coverage: coverage, passesWithoutTests: flow.passWithNoTests,
      lastRun: LastRun(root: plan.root))
    let status: ExitCode
    if watch {
      var watch = TestWatch(runner)
      status = watch.run()
    } else if list {
      status = try runner.list(try runner.findFiles())
    } else {
      status = try runner.run(plan.selection, of: try runner.findFiles())
    }
    if status != .success { throw status }
  }

  private func plan() throws -> TestPlan {
    let root = root ?? (isScriptsFolder ? "scripts" : ".")
    var plan = TestPlan(root: root)
    plan.isRootGuessed = self.root == nil && root == "."
    plan.selection = selection.selection
    if selection.onlyFailed { plan.selection.failed = LastRun(root: root).failed }
    plan.changed = try selection.changedSince.map { try ChangedFiles(since: $0, around: root) }
    plan.jobs = flow.jobs ?? ProcessInfo.processInfo.activeProcessorCount
    plan.rounds = flow.rounds
    plan.retries = flow.retries
    plan.bail = flow.failFast ? 1 : flow.bail
    plan.timeout = timeout(usual: 10)
    plan.limits = limits.limits(over: plan.limits)
    // Six digits at most, so that it can be typed.
    plan.seed = flow.seed ?? (flow.shuffle ? .random(in: 0..<1_000_000) : nil)
    plan.snapshots = isOnCI ? .never : flow.updateSnapshots ? .update : .new
    plan.measuresCoverage = coverage.isWanted
    plan.slowest = report.slowest
    try addPlain(to: &plan)
    // Tests find the same names as programs. The dependencies have no live values: a call that a test does not
    // override raises.
    if plan.plain == nil {
      plan.dependencies = try DependencyOptions.usual()
      plan.dependencies.standInRemedy = {
        "give the test store one: dependencies = { \($0) = { … } }"
      }
    }
    return plan
  }

  /// Whether the folder `scripts` is the root if no option says so. In a plain Lua library it may
  /// be a folder of tools.
  private var isScriptsFolder: Bool {
    guard Paths.isFolder("scripts") else { return false }
    return plain.sandbox == true || ScriptedUse.isFound(in: "scripts")
      || (try? FileSearch(["scripts"], root: "scripts").files.isEmpty) == false
  }

  /// Whether the tests are those of a plain Lua library, and run without the sandbox.
  private func isPlain(_ root: String) throws -> Bool {
    if let sandbox = plain.sandbox {
      if !sandbox && limits.limits == .untrusted {
        throw ValidationError(
          "--limits untrusted is for the sandbox, which --no-sandbox leaves out")
      }
      return !sandbox
    }
    return limits.limits != .untrusted && !ScriptedUse.isFound(in: root)
  }

  private func addPlain(to plan: inout TestPlan) throws {
    guard try isPlain(plan.root) else {
      if plain.areUsed {
        throw ValidationError(
          "an option for plain Lua libraries does not go with the sandbox; --no-sandbox leaves it out"
        )
      }
      return
    }
    do throws(ScriptError) {
      let path = plain.configFile ?? Paths.join(plan.root, ".busted")
      var file = BustedFile()
      if plain.configFile != nil || plain.run != nil || Paths.real(path) != nil {
        file = try BustedFile(path, task: plain.run)
      }
      plan.plain = try PlainLibrary(plain, file, root: plan.root)
      try plan.selection.add(file)
      if file.flag("keep-going") == false && plan.bail == nil { plan.bail = 1 }
      if flow.rounds == 1 { plan.rounds = max(1, file.number("repeat") ?? 1) }
      guard plan.rounds <= TestFlowOptions.maximumRounds else {
        throw ScriptError("\(path): 'repeat' is at most \(TestFlowOptions.maximumRounds)")
      }
      for name in file.ignored {
        StandardStreams.error("note: \(path): '\(name)' is not followed here")
      }
    } catch {
      throw fail(.usage, "\(error.description)")
    }
    // The files of a library share the current folder, its files and the environment, as in busted.
    if flow.jobs == nil { plan.jobs = 1 }
    // Tests of libraries may wait in real time, and busted lets them.
    plan.timeout = timeout(usual: 60)
  }

  /// The time limit of a test in seconds; nil for none.
  private func timeout(usual: Double) -> Double? {
    let seconds = limits.maxTime ?? flow.timeout ?? usual
    return seconds > 0 ? seconds : nil
  }

  private var isOnCI: Bool {
    !["", "0", "false"].contains(StandardStreams.environment("CI"))
  }
}

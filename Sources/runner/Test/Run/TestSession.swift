import ArgumentParser
import ScriptedStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The test files of a command line, and how to run them, once or again and again.
struct TestSession {
  let plan: TestPlan
  let paths: [String]
  let reporters: [ReporterOption]
  let isVerbose: Bool
  let coverage: CoverageOptions
  let passesWithoutTests: Bool
  private(set) var lastRun: LastRun

  init(
    _ plan: TestPlan, paths: [String], reporters: [ReporterOption], isVerbose: Bool,
    coverage: CoverageOptions, passesWithoutTests: Bool
  ) {
    self.plan = plan
    self.paths = paths
    self.reporters = reporters
    self.isVerbose = isVerbose
    self.coverage = coverage
    self.passesWithoutTests = passesWithoutTests
    lastRun = LastRun(root: plan.root)
  }

  func discover() throws(ExitCode) -> TestDiscovery { try TestDiscovery(paths, root: plan.root) }

  // MARK: Running

  /// What may end a run before its time, beside signals, and what to wait on for it.
  struct Cancellation {
    var descriptor: Int32 = -1
    var isRequested: () -> Bool = { false }
  }

  /// Runs tests, tells of them, and says how it went.
  mutating func run(
    _ selection: TestSelection, of files: [TestFile], cancellation: Cancellation = Cancellation()
  ) throws(ExitCode) -> ExitCode {
    var plan = plan
    plan.selection = selection
    var outputs: [ReportOutput] = []
    for reporter in reporters {
      outputs.append(try ReportOutput(reporter, root: plan.root, isVerbose: isVerbose))
    }
    let run = TestRun(
      plan, files: files, after: lastRun, report: TestReport(outputs, plan: plan))
    run.start()
    let isWhole = wait(for: run, cancellation)
    let result = run.end(interrupted: !isWhole)
    remember(result, run.scripts)
    if let problem = run.problem { throw fail(.usage, problem) }
    return try status(of: result, isWhole: isWhole, selection)
  }

  /// Returns whether it came to its end.
  private func wait(for run: TestRun, _ cancellation: Cancellation) -> Bool {
    let tick = ProgressLine.isPossible ? 0.1 : nil
    while !run.isDone {
      Interruption.wait(for: cancellation.descriptor, atMost: tick) { run.isDone }
      if run.isDone { break }
      if Interruption.isRequested || cancellation.isRequested() {
        run.stop()
        // What does not let itself be interrupted is left behind.
        run.waitForEnd(atMost: 2)
        return false
      }
      run.showProgress()
    }
    return true
  }

  private mutating func remember(_ result: TestRunResult, _ scripts: [String: Set<String>]) {
    for (file, results) in result.results { lastRun.failed.update(file, with: results) }
    lastRun.scripts.merge(scripts) { $1 }
    let root = plan.root
    let isThere = { (file: String) in
      Paths.real(Paths.join(root, file)) != nil || Paths.real(file) != nil
    }
    lastRun.failed.keep(where: isThere)
    lastRun.scripts = lastRun.scripts.filter { isThere($0.key) }
    lastRun.save()
  }

  private func status(
    of result: TestRunResult, isWhole: Bool, _ selection: TestSelection
  ) throws(ExitCode) -> ExitCode {
    for failure in result.outputFailures { StandardStreams.error("error: \(failure)") }
    if !result.outputFailures.isEmpty { return .ioError }
    if let status = Interruption.signalStatus { return ExitCode(status) }
    let counts = result.outcome.counts
    if counts.total == 0 && isWhole && !passesWithoutTests {
      throw fail(.noInput, reasonForNothing(selection))
    }
    var status = counts.failed > 0 ? ExitCode.failure : .success
    if let table = result.outcome.coverage {
      try coverage.write(table, time: Double(time(nil)))
      if !coverage.isMet(by: table) { status = .failure }
    }
    return status
  }

  private func reasonForNothing(_ selection: TestSelection) -> String {
    if let failed = selection.failed, failed.isEmpty { return "no test failed when it ran last" }
    if !selection.isEverything { return "no test is selected" }
    if plan.changed != nil { return "no test uses what has changed" }
    let places = paths.isEmpty ? plan.root : paths.joined(separator: ", ")
    return "there are no tests in \(places); files of tests are named *_test.lua or *_spec.lua"
  }

  // MARK: Listing

  /// Prints the tests that would run.
  func list(_ files: [TestFile]) throws(ExitCode) -> ExitCode {
    let matcher: TestSelection.Matcher
    do {
      matcher = try TestSelection.Matcher(plan.selection)
    } catch {
      throw fail(.usage, "\(error)")
    }
    var output = OutputStream(1)
    var status = ExitCode.success
    var isEmpty = true
    for file in files {
      if let status = Interruption.signalStatus { return ExitCode(status) }
      let run = TestFileRun(file: file, round: 1, rounds: 1, seed: plan.seed)
      do throws(ScriptError) {
        let loaded = try ScriptTestFile(
          file.path, root: plan.root, configuration: plan.configuration(of: run, measuring: nil))
        guard plan.isAffected(file, using: loaded, lastRun) else { continue }
        for test in try matcher.tests(loaded.tests, of: file) {
          isEmpty = false
          output.write(Array("\(test.file):\(test.line): \(oneLine(test.name))\n".utf8))
        }
      } catch {
        StandardStreams.error("error: \(describe(error))")
        status = .failure
      }
    }
    if isEmpty && status == .success && !passesWithoutTests {
      throw fail(.noInput, reasonForNothing(plan.selection))
    }
    return status
  }
}

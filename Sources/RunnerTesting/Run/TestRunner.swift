import ArgumentParser
import Platform
import RunnerShared
import ScriptChecks
import ScriptedStore

/// Runs the test files of a command line, once or repeatedly.
struct TestRunner {
  let plan: TestPlan
  let paths: [String]
  let reporters: [ReporterOption]
  let isVerbose: Bool
  let coverage: CoverageOptions
  let passesWithoutTests: Bool
  private(set) var lastRun: LastRun
  /// The keys, of which any ends a run early; nil if none does.
  var keys: TerminalKeys?
  /// The key that ended the last run, until it is taken.
  var pressed: Character?

  func findFiles() throws(ExitCode) -> [FoundFile] {
    guard let plain = plan.plain else { return try FileSearch(paths, root: plan.root).files }
    let matches: (String) -> Bool
    do {
      matches = try plain.matcher()
    } catch {
      throw fail(.usage, "\(error.message)")
    }
    return try FileSearch(
      paths.isEmpty ? plain.paths : paths, root: plan.root, matching: matches
    ).files
  }

  // MARK: Running

  /// Runs and reports tests. Returns the exit status.
  mutating func run(
    _ selection: TestSelection, of files: [FoundFile]
  ) throws(ExitCode) -> ExitCode {
    var plan = plan
    plan.selection = selection
    _ = try matcher(of: selection)
    var outputs: [ReportOutput] = []
    for reporter in reporters {
      outputs.append(try ReportOutput(reporter, isVerbose: isVerbose))
    }
    let run = TestRun(
      plan, files: files, after: lastRun, report: TestReport(outputs, plan: plan))
    run.start()
    let isWhole = wait(for: run)
    let reason = isWhole ? reasonForNothing(selection, isAnySelected: run.isAnySelected) : nil
    let summary: TestReport.Summary =
      if run.problem != nil || (!isWhole && !Interruption.isRequested) {
        // A pressed key ended the run: the user wants something else than a summary.
        .never
      } else {
        reason.map(isError) ?? false ? .ifAnyRan : .always
      }
    let result = run.end(interrupted: !isWhole, summary: summary)
    remember(result, run.scripts)
    // A plain Lua library makes no effects and no reducers.
    if plan.plain == nil { warnOfDroppedResults(files, run.scripts) }
    if let problem = run.problem { throw fail(.usage, "\(problem)") }
    return try status(of: result, ifNothingRan: reason)
  }

  func matcher(
    of selection: TestSelection
  ) throws(ExitCode) -> TestSelection.Matcher {
    do {
      return try TestSelection.Matcher(selection)
    } catch {
      throw fail(.usage, "\(error.message)")
    }
  }

  /// Waits for the run. Returns false if it was ended early.
  private mutating func wait(for run: TestRun) -> Bool {
    let tick = ProgressLine.isPossible ? 0.1 : nil
    while !run.isDone {
      Interruption.wait(for: keys?.descriptor ?? -1, atMost: tick) { run.isDone }
      if run.isDone { break }
      pressed = keys?.character()
      if Interruption.isRequested || pressed != nil {
        run.stop()
        // A test that cannot be interrupted is left behind.
        run.waitForEnd(atMost: 2)
        return false
      }
      run.showProgress()
    }
    return true
  }

  /// Warns of results that the test files, and the scripts that they have loaded, drop.
  private func warnOfDroppedResults(_ files: [FoundFile], _ loaded: [String: Set<String>]) {
    let ran = files.filter { loaded[$0.name] != nil }.compactMap { Paths.real($0.path) }
    let scripts = DroppedResultWarnings.scripts(
      at: ran + loaded.values.joined(), under: plan.root)
    for finding in DroppedResultWarnings.findings(in: scripts) {
      StandardStreams.error(TerminalText(warning: finding))
    }
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

  /// - Parameter reason: why nothing ran; nil if tests ran or if the run was ended early.
  private func status(
    of result: TestRunResult, ifNothingRan reason: NothingToRun?
  ) throws(ExitCode) -> ExitCode {
    for failure in result.outputFailures { StandardStreams.error("error: \(failure)") }
    if !result.outputFailures.isEmpty { return .ioError }
    if let status = Interruption.signalStatus { return status }
    let counts = result.outcome.counts
    if counts.total == 0, let reason { try report(reason) }
    if plan.isRootGuessed && result.results.values.contains(where: { !$0.loads }) {
      StandardStreams.error("note: the script root is \(plan.root); --root names another")
    }
    var status = counts.failed > 0 ? ExitCode.failure : .success
    if let table = result.outcome.coverage {
      try coverage.write(table, time: Double(time(nil)))
      // If no test ran, no coverage is missing.
      if counts.total > 0 && !coverage.isMet(by: table) { status = .failure }
    }
    return status
  }
}

extension TestRunner {
  /// Prints the tests that would run.
  func list(_ files: [FoundFile]) throws(ExitCode) -> ExitCode {
    let matcher = try matcher(of: plan.selection)
    var output = DescriptorWriter(STDOUT_FILENO)
    var status = ExitCode.success
    var isEmpty = true
    var isAnySelected = false
    for file in files {
      if let status = Interruption.signalStatus { return status }
      let run = FileRun(file: file, round: 1, rounds: 1, seed: plan.seed)
      do throws(ScriptError) {
        let loaded = try plan.listed(run)
        let isAffected = plan.isAffected(file, using: loaded, lastRun)
        for test in loaded.tests where try matcher.selects(test, in: file) {
          isAnySelected = true
          guard isAffected, plan.selection.shard?.contains(test, in: file) ?? true else { continue }
          isEmpty = false
          output.write("\(oneLine(test.displayedFile)):\(test.line): \(oneLine(test.name))\n")
        }
      } catch {
        StandardStreams.error(TerminalText(error))
        status = .failure
      }
    }
    if let status = output.reportFailure() { throw status }
    if isEmpty && status == .success {
      try report(reasonForNothing(plan.selection, isAnySelected: isAnySelected))
    }
    return status
  }
}

/// Why no test ran.
enum NothingToRun {
  /// Tests are selected, but none is in this shard or affected by the changes. That is no error.
  case elsewhere(String)
  /// No test is selected. That is an error, unless the command line allows it.
  case nowhere(String)
}

extension TestRunner {
  /// - Parameter isAnySelected: as ``TestRun/isAnySelected``.
  func reasonForNothing(_ selection: TestSelection, isAnySelected: Bool) -> NothingToRun {
    if isAnySelected {
      guard let shard = selection.shard else { return .elsewhere("no test uses what has changed") }
      return .elsewhere("no test that is selected is in part \(shard.number)/\(shard.count)")
    }
    if let failed = selection.failed, failed.isEmpty {
      return .nowhere("no test failed when it ran last")
    }
    if !selection.isEverything {
      return .nowhere("no test is selected by \(selection.options)")
    }
    let searched = paths.isEmpty ? plan.root : paths.joined(separator: ", ")
    return .nowhere(
      "there are no tests in \(searched); files of tests are named *_test.lua or *_spec.lua")
  }

  func isError(_ reason: NothingToRun) -> Bool {
    if case .nowhere = reason { !passesWithoutTests } else { false }
  }

  /// Reports why nothing ran. Throws if that is an error.
  func report(_ reason: NothingToRun) throws(ExitCode) {
    switch reason {
    case .elsewhere(let text): StandardStreams.error("note: \(text)")
    case .nowhere(let text): if !passesWithoutTests { throw fail(.noInput, "\(text)") }
    }
  }
}

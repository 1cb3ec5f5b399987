import RunnerShared
import ScriptedStore

/// Counts the results of a run and passes its events to the reporters. It receives the events in
/// the order of the files.
struct TestReport {
  private var outputs: [ReportOutput]
  private let plan: TestPlan
  private var file: TestFileOutcome?
  var progress = ProgressLine()
  private var outcome = TestRunOutcome()
  /// The results of each file's tests in all its runs, by file name.
  private var results: [String: FailedTests.FileResults] = [:]

  init(_ outputs: [ReportOutput], plan: TestPlan) {
    // Reports for people come last, so that their summary is the last text on a shared stream.
    self.outputs =
      outputs.filter { !$0.option.isForPeople } + outputs.filter(\.option.isForPeople)
    self.plan = plan
    outcome.seed = plan.seed
    outcome.isPlain = plan.plain != nil
  }

  /// Whether the run was ended early: no further result is reported.
  var isOver: Bool { outcome.stop != nil }
  var isClosed: Bool { outputs.contains { $0.isStandard && $0.isClosed } }

  // MARK: Events in the order of the files

  mutating func begin() { dispatch(.began(root: plan.root, seed: plan.seed)) }

  mutating func begin(_ run: FileRun) {
    file = TestFileOutcome(run: run)
    dispatch(.fileBegan(run))
  }

  mutating func add(_ result: ScriptTestResult) {
    guard !isOver, var file else { return }
    file.counts.add(result.outcome)
    if case .passed = result.outcome, result.attempts > 1 {
      file.flaky += 1
      outcome.flaky.append(result)
    }
    recordResult(result, of: file.run.file)
    recordTime(of: result)
    self.file = file
    dispatch(.testEnded(result, in: file.run))
    stopIfEnough()
  }

  mutating func add(_ block: FailedBlock) {
    guard !isOver, var file else { return }
    if !block.isReportedByTests { file.counts.failed += 1 }
    self.file = file
    dispatch(.blockFailed(block, in: file.run))
    stopIfEnough()
  }

  mutating func end(_ end: TestFileEnd) {
    guard var file else { return }
    self.file = nil
    let name = file.run.file.name
    file.end = end
    if end.loadFailure != nil {
      file.counts.failed += 1
      results[name, default: .init()].loads = false
    }
    if let defined = end.defined {
      results[name, default: .init()].defined = defined
    }
    if !end.obsoleteSnapshots.isEmpty && file.run.round == 1 {
      outcome.obsoleteSnapshots.append((file.run.title, end.obsoleteSnapshots))
    }
    outcome.counts += file.counts
    if file.counts.failed > 0 {
      outcome.files.failed += 1
    } else if file.counts.passed == 0 {
      outcome.files.skipped += 1
    } else {
      outcome.files.passed += 1
    }
    dispatch(.fileEnded(file))
    stopIfEnough()
  }

  /// Whether reports for people end with a summary. Reports for programs always have their end.
  enum Summary {
    case always
    /// Only if a test ran. Otherwise an error message replaces it.
    case ifAnyRan
    case never
  }

  mutating func end(
    interrupted: Bool, coverage: CoverageTable?, summary: Summary
  ) -> TestRunResult {
    if interrupted && outcome.stop == nil { outcome.stop = .interrupted }
    outcome.seconds = progress.seconds
    outcome.coverage = coverage
    let isForPeople = summary == .always || (summary == .ifAnyRan && outcome.counts.total > 0)
    dispatch(.ended(outcome)) { isForPeople || !$0.isForPeople }
    progress.hide()
    // These sections were asked for, and no report for people on standard output shows them.
    if isForPeople && !outputs.contains(where: { $0.isStandard && $0.option.isForPeople }) {
      let lines = SummaryText(style: TextStyle(takesColor: false)).extras(of: outcome).dropLast()
      if !lines.isEmpty { StandardStreams.error(lines.joined(separator: "\n")) }
    }
    for output in outputs { output.close() }
    return TestRunResult(
      outcome: outcome, results: results, outputFailures: outputs.compactMap(\.failure))
  }

  // MARK: Helpers

  private mutating func dispatch(
    _ event: TestRunEvent, where isReader: (ReporterOption) -> Bool = { _ in true }
  ) {
    for index in outputs.indices where isReader(outputs[index].option) {
      let isStandard = outputs[index].isStandard
      outputs[index].add(event) { if isStandard { progress.hide() } }
    }
  }

  private mutating func stopIfEnough() {
    guard !isOver, let bail = plan.bail else { return }
    let failed = outcome.counts.failed + (file?.counts.failed ?? 0)
    if failed >= bail { outcome.stop = .failures(failed) }
  }

  private mutating func recordResult(_ result: ScriptTestResult, of file: FoundFile) {
    if case .failed(let failures) = result.outcome {
      // An interrupted test has no valid result.
      if failures.contains(where: { $0.kind == .interrupted }) { return }
      results[file.name, default: .init()].failed.insert(result.test.name)
    }
    results[file.name, default: .init()].ran.insert(result.test.name)
  }

  /// Records a result if it is among the slowest.
  private mutating func recordTime(of result: ScriptTestResult) {
    guard plan.slowest > 0 else { return }
    let index = outcome.slowest.firstIndex { $0.duration < result.duration }
    outcome.slowest.insert(result, at: index ?? outcome.slowest.endIndex)
    if outcome.slowest.count > plan.slowest { outcome.slowest.removeLast() }
  }
}

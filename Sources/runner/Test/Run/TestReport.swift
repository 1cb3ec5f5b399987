import ScriptedStore

/// Hears what happens in a run, in order, passes it on to the reporters and counts.
struct TestReport {
  private var outputs: [ReportOutput]
  private let plan: TestPlan
  private var file: TestFileOutcome?
  private var progress = ProgressLine()
  private var outcome = TestRunOutcome()
  /// How the tests of each file did, in all its runs.
  private var results: [String: FailedTests.FileResults] = [:]

  init(_ outputs: [ReportOutput], plan: TestPlan) {
    // What is for people comes last of those that share a stream: its end is the end.
    self.outputs =
      outputs.filter { !$0.option.isForPeople } + outputs.filter(\.option.isForPeople)
    self.plan = plan
    outcome.seed = plan.seed
  }

  /// No test that ends from now on is told of.
  var isOver: Bool { outcome.stop != nil }
  var isClosed: Bool { outputs.contains { $0.isStandard && $0.isClosed } }

  // MARK: In order

  mutating func begin() {
    tell(.began(TestRunBeginning(root: plan.root, seed: plan.seed)))
  }

  mutating func begin(_ run: TestFileRun) {
    file = TestFileOutcome(run: run)
    tell(.fileBegan(run))
  }

  mutating func add(_ result: ScriptTestResult) {
    guard !isOver, var file else { return }
    file.counts.add(result.outcome)
    if case .passed = result.outcome, result.attempts > 1 {
      file.flaky += 1
      outcome.flaky.append(result)
    }
    note(result, of: file.run.file)
    noteTime(of: result)
    self.file = file
    tell(.testEnded(result, in: file.run))
    stopIfEnough()
  }

  mutating func add(_ block: FailedBlock) {
    guard !isOver, var file else { return }
    if !block.isToldByItsTests { file.counts.failed += 1 }
    self.file = file
    tell(.blockFailed(block, in: file.run))
    stopIfEnough()
  }

  mutating func end(_ end: TestFileEnd) {
    guard var file else { return }
    self.file = nil
    let name = file.run.file.name
    if let failure = end.loadFailure {
      file.loadFailure = failure
      file.counts.failed += 1
      results[name, default: .init()].loads = false
    }
    if let defined = end.defined {
      results[name, default: .init()].defined = defined
    }
    file.seconds = end.seconds
    file.obsoleteSnapshots = end.obsoleteSnapshots
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
    tell(.fileEnded(file))
    if outcome.stop == nil, let bail = plan.bail, outcome.counts.failed >= bail {
      outcome.stop = .failures(outcome.counts.failed)
    }
  }

  /// Whether reports for people end with a summary; those for programs always do.
  enum Summary {
    case always
    /// Else there is an error to tell instead.
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
    tell(.ended(outcome)) { isForPeople || !$0.isForPeople }
    progress.hide()
    // Asked for, and in no report that people read.
    if isForPeople && !outputs.contains(where: { $0.isStandard && $0.option.isForPeople }) {
      let lines = SummaryText(style: TextStyle(takesColor: false)).extras(of: outcome).dropLast()
      if !lines.isEmpty { StandardStreams.error(lines.joined(separator: "\n")) }
    }
    for output in outputs { output.close() }
    return TestRunResult(
      outcome: outcome, results: results, outputFailures: outputs.compactMap(\.failure))
  }

  // MARK: Out of order

  mutating func showProgress(_ text: (Double) -> String) {
    let seconds = progress.seconds
    progress.show(text(seconds))
  }

  // MARK: Inside

  private mutating func tell(
    _ event: TestRunEvent, where isReader: (ReporterOption) -> Bool = { _ in true }
  ) {
    for index in outputs.indices where isReader(outputs[index].option) {
      let isStandard = outputs[index].isStandard
      outputs[index].add(event) { if isStandard { progress.hide() } }
    }
  }

  private mutating func stopIfEnough() {
    guard let bail = plan.bail else { return }
    let failed = outcome.counts.failed + (file?.counts.failed ?? 0)
    if failed >= bail { outcome.stop = .failures(failed) }
  }

  private mutating func note(_ result: ScriptTestResult, of file: TestFile) {
    if case .failed(let failures) = result.outcome {
      // How it would have ended is not known.
      if failures.contains(where: { $0.kind == .interrupted }) { return }
      results[file.name, default: .init()].failed.insert(result.test.name)
    }
    results[file.name, default: .init()].ran.insert(result.test.name)
  }

  /// Keeps the slowest.
  private mutating func noteTime(of result: ScriptTestResult) {
    guard plan.slowest > 0 else { return }
    let place = outcome.slowest.firstIndex { $0.seconds < result.seconds }
    outcome.slowest.insert(result, at: place ?? outcome.slowest.endIndex)
    if outcome.slowest.count > plan.slowest { outcome.slowest.removeLast() }
  }
}

/// What is known of a file's run when it is over.
struct TestFileEnd: Sendable {
  var seconds = 0.0
  /// The names of all tests in it, if they are known.
  var defined: Set<String>?
  var loadFailure: ScriptTestFailure?
  var obsoleteSnapshots: [String] = []
}

/// What came of a run.
struct TestRunResult: Sendable {
  let outcome: TestRunOutcome
  /// By the name of the file.
  let results: [String: FailedTests.FileResults]
  /// Reports that are not complete, and why.
  let outputFailures: [String]
}

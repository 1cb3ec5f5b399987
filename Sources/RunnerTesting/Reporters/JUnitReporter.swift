import RunnerShared
import ScriptedStore

/// Writes JUnit's XML as Jenkins reads it (`junit-10.xsd` of its xUnit plug-in): one suite per
/// file. All of it is written at the end of the run.
struct JUnitReporter: Reporter {
  private var suites: [XMLElement] = []
  private var cases: [XMLElement] = []
  private var failures = 0
  private var errors = 0
  /// The sums over all suites.
  private var totals = (tests: 0, failures: 0, errors: 0)

  mutating func text(of event: TestRunEvent) -> String {
    switch event {
    case .began: break
    case .fileBegan:
      cases = []
      (failures, errors) = (0, 0)
    case .testEnded(let result, let run): add(result, run)
    case .blockFailed(let block, let run):
      if !block.isReportedByTests { addCase(block.name, run, [block.failure]) }
    case .fileEnded(let outcome): end(outcome)
    case .ended(let outcome): return document(outcome)
    }
    return ""
  }

  private mutating func add(_ result: ScriptTestResult, _ run: FileRun) {
    var failures: [ScriptTestFailure] = []
    var remark: XMLElement?
    switch result.outcome {
    case .passed where result.attempts > 1:
      remark = XMLElement(
        "flakyFailure",
        [("message", "passed on attempt \(result.attempts)"), ("type", "retried")])
    case .passed: break
    case .failed(let all): failures = all
    case .skipped(let reason):
      remark = XMLElement("skipped", reason.map { [("message", $0)] } ?? [])
    }
    addCase(
      result.test.name, run, failures, seconds: result.duration / .seconds(1), remark: remark,
      output: result.output)
  }

  /// - Parameter remark: an element about a test that did not fail.
  private mutating func addCase(
    _ name: String, _ run: FileRun, _ failures: [ScriptTestFailure], seconds: Double = 0,
    remark: XMLElement? = nil, output: [String] = []
  ) {
    let title = run.rounds > 1 ? "\(name) (run \(run.round) of \(run.rounds))" : name
    var element = XMLElement(
      "testcase",
      [
        ("name", title), ("classname", Self.className(of: run.file)), ("time", fixed(seconds, 3)),
      ])
    if let remark { element.children.append(remark) }
    for failure in failures {
      let text = [failure.locatedMessage, failure.displayedTraceback].compactMap(\.self)
      element.children.append(
        XMLElement(
          failure.kind == .failure ? "failure" : "error",
          [
            ("message", String(failure.bareMessage.prefix { !$0.isNewline })),
            ("type", "\(failure.kind)"),
          ], text: text.joined(separator: "\n")))
    }
    if !output.isEmpty {
      element.children.append(
        XMLElement("system-out", text: output.joined(separator: "\n")))
    }
    cases.append(element)
    // A test counts once, by its first failure.
    switch failures.first?.kind {
    case .failure: self.failures += 1
    case nil: break
    default: errors += 1
    }
  }

  private mutating func end(_ outcome: TestFileOutcome) {
    let file = outcome.run.file
    if let failure = outcome.loadFailure { addCase("loading", outcome.run, [failure]) }
    let suite = XMLElement(
      "testsuite",
      [
        ("name", outcome.run.title), ("file", file.path), ("tests", "\(cases.count)"),
        ("failures", "\(failures)"), ("errors", "\(errors)"),
        ("skipped", "\(outcome.counts.skipped)"), ("time", fixed(outcome.end.seconds, 3)),
      ], children: cases)
    suites.append(suite)
    totals.tests += cases.count
    totals.failures += failures
    totals.errors += errors
  }

  private func document(_ outcome: TestRunOutcome) -> String {
    let root = XMLElement(
      "testsuites",
      [
        ("name", "runner test"), ("tests", "\(totals.tests)"), ("failures", "\(totals.failures)"),
        ("errors", "\(totals.errors)"), ("time", fixed(outcome.seconds, 3)),
      ], children: suites)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    root.write(to: &text)
    return text
  }

  /// The class name, by which Jenkins groups tests into packages. Its parts are separated by dots.
  private static func className(of file: FoundFile) -> String {
    let name = file.name.hasSuffix(".lua") ? file.name.dropLast(4) : file.name[...]
    return String(name.drop { $0 == "/" || $0 == "." }).replacing("/", with: ".")
  }
}

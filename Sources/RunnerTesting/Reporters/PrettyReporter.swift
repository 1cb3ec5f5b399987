import RunnerShared
import ScriptedStore

/// The standard report for people: one line per file with its failed tests below, then the failures
/// in full.
struct PrettyReporter: Reporter {
  private let failureText: FailureText
  private var failures = FailureList()
  /// The lines about the current file's tests, shown below the line of the file.
  private var rows: [TerminalText] = []

  /// - Parameter failureText: if it is verbose, every test has a line.
  init(_ failureText: FailureText) { self.failureText = failureText }

  private var style: TextStyle { failureText.style }

  mutating func text(of event: TestRunEvent) -> String { report(event).text }

  private mutating func report(_ event: TestRunEvent) -> TerminalText {
    failures.add(event)
    switch event {
    case .began(_, let seed):
      return seed.map { "\(style.dim("seed")) \($0)\n\n" } ?? ""
    case .fileBegan:
      rows = []
      return ""
    case .testEnded(let result, _):
      rows += row(of: result)
      return ""
    case .blockFailed(let block, _):
      if !block.isReportedByTests { rows.append("    \(style.red("✗")) \(oneLine(block.name))") }
      return ""
    case .fileEnded(let outcome):
      return ([line(of: outcome)] + rows).joined(separator: "\n") + "\n"
    case .ended(let outcome):
      return "\n" + failures.text(with: failureText) + SummaryText(style: style).text(of: outcome)
    }
  }

  private func line(of outcome: TestFileOutcome) -> TerminalText {
    let counts = outcome.counts
    let title = TerminalText(oneLine(outcome.run.title))
    if outcome.loadFailure != nil {
      return "\(style.red("✗")) \(style.bold(title))  \(style.red("does not load"))"
    }
    guard counts.total > 0 else {
      return "\(style.yellow("○")) \(title)  \(style.yellow("no tests"))"
    }
    var parts: [TerminalText] = []
    if counts.passed > 0 { parts.append(style.dim("\(counts.passed) passed")) }
    if counts.failed > 0 { parts.append(style.red("\(counts.failed) failed")) }
    if counts.skipped > 0 { parts.append(style.yellow("\(counts.skipped) skipped")) }
    if outcome.flaky > 0 { parts.append(style.yellow("\(outcome.flaky) flaky")) }
    let mark = counts.failed > 0 ? style.red("✗") : style.green("✓")
    let name = counts.failed > 0 ? style.bold(title) : title
    let time = style.dim("\(duration(outcome.end.seconds))")
    return "\(mark) \(name)  \(parts.joined(separator: style.dim(", ")))  \(time)"
  }

  private func row(of result: ScriptTestResult) -> [TerminalText] {
    // The output of a failed test is shown with its failure instead.
    let output = result.output.flatMap { text in
      indented(text, by: 6).split(separator: "\n").map { style.dim("\($0)") }
    }
    switch result.outcome {
    case .passed:
      guard failureText.isVerbose || !output.isEmpty || result.attempts > 1 else { return [] }
      return ["    \(style.green("✓")) \(title(of: result))"] + output
    case .failed: return ["    \(style.red("✗")) \(title(of: result))"]
    case .skipped(let reason):
      guard failureText.isVerbose || !output.isEmpty else { return [] }
      let reason = reason.map { style.dim("  \(oneLine($0))") } ?? ""
      return ["    \(style.yellow("-")) \(name(of: result))\(reason)"] + output
    }
  }

  private func name(of result: ScriptTestResult) -> TerminalText {
    TerminalText(path: result.test.path, style)
  }

  /// The name of a test, its attempts if there were several, and its time. It is made only for
  /// tests that have a row, because it takes as long as a small test.
  private func title(of result: ScriptTestResult) -> TerminalText {
    let attempts =
      result.attempts > 1 ? style.yellow("  \(count(result.attempts, "attempt"))") : ""
    return
      "\(name(of: result))\(attempts)\(style.dim("  \(duration(result.duration / .seconds(1)))"))"
  }
}

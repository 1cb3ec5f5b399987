import RunnerShared
import ScriptedStore

/// Renders the end of a report for people.
struct SummaryText {
  let style: TextStyle

  /// The whole summary. The last line has the counts of passed and failed tests.
  func text(of outcome: TestRunOutcome) -> TerminalText {
    var lines: [TerminalText] = []
    lines += section("Passed, but not at the first attempt", outcome.flaky) { result in
      "\(name(of: result.test))  \(style.dim("attempt \(result.attempts)"))"
    }
    lines += obsolete(outcome.obsoleteSnapshots)
    lines += extras(of: outcome)
    switch outcome.stop {
    case .interrupted: lines.append(style.yellow("Interrupted; this is what ran."))
    case .failures(let number):
      lines.append(style.yellow("Stopped after \(count(number, "failure"))."))
    case nil: break
    }
    lines.append(
      "\(style.dim("Files  "))\(colored(outcome.files))\(style.dim("  in "))\(duration(outcome.seconds))"
    )
    if let seed = outcome.seed { lines[lines.count - 1] += "\(style.dim("  seed "))\(seed)" }
    if outcome.isPlain {
      lines[lines.count - 1] += style.dim("  plain Lua, without the sandbox")
    }
    lines.append(colored(outcome.counts))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The slowest tests and the coverage, if they were asked for. An empty line ends each section.
  func extras(of outcome: TestRunOutcome) -> [TerminalText] {
    let width = outcome.slowest.map { duration($0.duration / .seconds(1)).count }.max() ?? 0
    var lines = section("Slowest", outcome.slowest) { result in
      "\(padded(duration(result.duration / .seconds(1)), to: width))  \(name(of: result.test))"
    }
    if let coverage = outcome.coverage { lines += coverage.lines(style) + [""] }
    return lines
  }

  /// The counts in color: `3 passed, 1 failed`.
  func colored(_ counts: TestCounts) -> TerminalText {
    var parts: [TerminalText] = [
      counts.passed > 0 ? style.green("\(counts.passed) passed") : "\(counts.passed) passed",
      counts.failed > 0 ? style.red("\(counts.failed) failed") : "\(counts.failed) failed",
    ]
    if counts.skipped > 0 { parts.append(style.yellow("\(counts.skipped) skipped")) }
    return parts.joined(separator: ", ")
  }

  private func name(of test: ScriptTest) -> TerminalText {
    let location = style.dim("  \(oneLine(test.displayedFile)):\(test.line)")
    return "\(TerminalText(path: test.path, style))\(location)"
  }

  private func obsolete(_ snapshots: [(file: String, names: [String])]) -> [TerminalText] {
    guard !snapshots.isEmpty else { return [] }
    let heading =
      style.yellow("Obsolete snapshots") + style.dim("  --update-snapshots removes them")
    let rows = snapshots.flatMap { file, names in
      names.map { name -> TerminalText in "  \(oneLine(name))  \(style.dim("\(oneLine(file))"))" }
    }
    return [heading] + rows + [""]
  }

  private func section(
    _ heading: TerminalText, _ results: [ScriptTestResult],
    _ row: (ScriptTestResult) -> TerminalText
  ) -> [TerminalText] {
    results.isEmpty ? [] : [style.yellow(heading)] + results.map { "  " + row($0) } + [""]
  }
}

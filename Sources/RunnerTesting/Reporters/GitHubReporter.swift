import RunnerShared
import ScriptedStore

/// Writes workflow commands of GitHub Actions, which show a failure at its line in the change.
struct GitHubReporter: Reporter {
  mutating func text(of event: TestRunEvent) -> String {
    switch event {
    case .began, .fileBegan, .ended: return ""
    case .testEnded(let result, let run):
      let test = result.test
      switch result.outcome {
      case .failed(let failures):
        return failures.map { failure in
          command(
            "error", run, line: test.line, title: test.name, failure.bareMessage, at: failure)
        }.joined()
      case .passed where result.attempts > 1:
        return command(
          "warning", run, line: test.line, title: test.name,
          "flaky: passed on attempt \(result.attempts)")
      case .passed, .skipped: return ""
      }
    case .blockFailed(let block, let run):
      guard !block.isReportedByTests else { return "" }
      return command(
        "error", run, title: block.name, block.failure.bareMessage, at: block.failure)
    case .fileEnded(let outcome):
      var text = ""
      if let failure = outcome.loadFailure {
        text += command(
          "error", outcome.run, title: "\(outcome.run.file.path) does not load",
          failure.bareMessage, at: failure)
      }
      for name in outcome.end.obsoleteSnapshots {
        text += command(
          "warning", outcome.run, title: "Obsolete snapshot", "no test uses the snapshot \(name)")
      }
      return text
    }
  }

  /// - Parameter line: the line to show if the failure has no location.
  private func command(
    _ name: String, _ run: FileRun, line: Int? = nil, title: String, _ message: String,
    at failure: ScriptTestFailure? = nil
  ) -> String {
    let line = failure?.path == nil ? line : failure?.line
    var fields = [("file", failure?.path ?? run.file.path)]
    if let line { fields.append(("line", String(line))) }
    fields.append(("title", title))
    return WorkflowCommand.line(name, fields, message)
  }
}

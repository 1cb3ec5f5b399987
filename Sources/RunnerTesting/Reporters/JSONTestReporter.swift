import LuaBridge
import RunnerShared
import ScriptedStore

/// A report for programs: one JSON object per line, written as soon as its event has happened.
struct JSONTestReporter: Reporter {
  mutating func text(of event: TestRunEvent) -> String {
    switch event {
    case .began(let root, let seed):
      var object: Value.Object = ["event": "begin", "root": .string(root)]
      object["seed"] = seed.map { .string("\($0)") }
      return line(object)
    case .fileBegan: return ""
    case .testEnded(let result, let run): return line(object(of: result, run))
    case .blockFailed(let block, let run):
      var object: Value.Object = ["event": "block", "file": .string(run.file.path)]
      addRound(run, to: &object)
      object["path"] = list(block.path)
      object["hook"] = .string(block.hook)
      object["failure"] = value(block.failure)
      return line(object)
    case .fileEnded(let outcome): return line(object(of: outcome))
    case .ended(let outcome): return line(object(of: outcome))
    }
  }

  private func object(of result: ScriptTestResult, _ run: FileRun) -> Value.Object {
    let test = result.test
    var object: Value.Object = [
      "event": "test", "file": .string(run.file.path), "line": Value(test.line),
      "name": .string(test.name),
      "path": list(test.path), "tags": list(test.tags.sorted()),
    ]
    addRound(run, to: &object)
    switch result.outcome {
    case .passed: object["status"] = "passed"
    case .failed(let failures):
      object["status"] = "failed"
      object["failures"] = .array(Value.List(failures.map(value)))
    case .skipped(let reason):
      object["status"] = "skipped"
      object["reason"] = reason.map { .string($0) }
    }
    object["seconds"] = .float(result.duration / .seconds(1))
    object["attempts"] = Value(result.attempts)
    if !result.output.isEmpty { object["output"] = list(result.output) }
    return object
  }

  private func object(of outcome: TestFileOutcome) -> Value.Object {
    var object: Value.Object = ["event": "file", "file": .string(outcome.run.file.path)]
    addRound(outcome.run, to: &object)
    add(outcome.counts, to: &object)
    object["flaky"] = Value(outcome.flaky)
    object["seconds"] = .float(outcome.end.seconds)
    object["failure"] = outcome.loadFailure.map(value)
    if !outcome.end.obsoleteSnapshots.isEmpty {
      object["obsoleteSnapshots"] = list(outcome.end.obsoleteSnapshots)
    }
    return object
  }

  private func object(of outcome: TestRunOutcome) -> Value.Object {
    var object: Value.Object = ["event": "end"]
    add(outcome.counts, to: &object)
    object["flaky"] = Value(outcome.flaky.count)
    object["files"] = Value(outcome.files.total)
    object["seconds"] = .float(outcome.seconds)
    if let coverage = outcome.coverage { object["coverage"] = .float(coverage.total.share) }
    switch outcome.stop {
    case .interrupted: object["stopped"] = "interrupted"
    case .failures: object["stopped"] = "failures"
    case nil: break
    }
    return object
  }

  private func add(_ counts: TestCounts, to object: inout Value.Object) {
    object["passed"] = Value(counts.passed)
    object["failed"] = Value(counts.failed)
    object["skipped"] = Value(counts.skipped)
  }

  private func addRound(_ run: FileRun, to object: inout Value.Object) {
    if run.rounds > 1 { object["run"] = Value(run.round) }
  }

  private func value(_ failure: ScriptTestFailure) -> Value {
    var object: Value.Object = [
      "kind": .string("\(failure.kind)"), "message": .string(failure.bareMessage),
    ]
    object["script"] = failure.path.map { .string($0) }
    object["line"] = failure.line.map { Value($0) }
    object["traceback"] = failure.displayedTraceback.map { .string($0) }
    return .object(object)
  }

  private func list(_ texts: [String]) -> Value {
    .array(Value.List(texts.map { .string($0) }))
  }

  private func line(_ object: Value.Object) -> String {
    TerminalJSON.text(Value.object(object).json() + "\n")
  }
}

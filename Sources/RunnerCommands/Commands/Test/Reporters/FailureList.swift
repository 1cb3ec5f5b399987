import ScriptedStore

/// Collects the failures of a run for the end of the report. Consecutive tests of a file that fail
/// in the same way share one entry, such as the tests of a block whose setup raised.
struct FailureList {
  private struct Entry {
    var subjects: [FailureText.Subject]
    let failures: [ScriptTestFailure]
    let output: [String]
  }

  private var entries: [Entry] = []

  mutating func add(_ event: TestRunEvent) {
    switch event {
    case .testEnded(let result, _):
      guard case .failed(let failures) = result.outcome else { return }
      add(FailureText.Subject(result.test), failures, output: result.output)
    case .blockFailed(let block, _) where !block.isReportedByTests:
      add(
        FailureText.Subject(
          file: ScriptPaths.path(of: block.file), path: block.path + [block.hook]), [block.failure])
    case .fileEnded(let outcome):
      guard let failure = outcome.loadFailure else { return }
      add(FailureText.Subject(file: outcome.run.title), [failure])
    case .began, .fileBegan, .blockFailed, .ended: break
    }
  }

  private mutating func add(
    _ subject: FailureText.Subject, _ failures: [ScriptTestFailure], output: [String] = []
  ) {
    if let last = entries.indices.last, output.isEmpty, entries[last].output.isEmpty,
      entries[last].subjects.first?.file == subject.file,
      entries[last].failures.elementsEqual(failures, by: Self.areAlike)
    {
      entries[last].subjects.append(subject)
    } else {
      entries.append(Entry(subjects: [subject], failures: failures, output: output))
    }
  }

  private static func areAlike(_ a: ScriptTestFailure, _ b: ScriptTestFailure) -> Bool {
    a.kind == b.kind && a.message == b.message && a.script == b.script && a.line == b.line
  }

  /// All failures in order.
  func text(with style: FailureText) -> TerminalText {
    entries.map { style.text(of: $0.subjects, $0.failures, output: $0.output) }.joined()
  }
}

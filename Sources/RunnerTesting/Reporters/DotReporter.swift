import RunnerShared
import ScriptedStore

/// A short report for people: one character per test (`.` passed, `F` failed, `s` skipped), then
/// the failures in full.
struct DotReporter: Reporter {
  private let failureText: FailureText
  private var failures = FailureList()
  private var column = 0

  private static let width = 80

  init(_ failureText: FailureText) { self.failureText = failureText }

  private var style: TextStyle { failureText.style }

  mutating func text(of event: TestRunEvent) -> String { report(event).text }

  private mutating func report(_ event: TestRunEvent) -> TerminalText {
    failures.add(event)
    switch event {
    case .began(_, let seed):
      return seed.map { "\(style.dim("seed")) \($0)\n" } ?? ""
    case .testEnded(let result, _):
      switch result.outcome {
      case .passed: return mark(style.green("."))
      case .failed: return mark(style.red("F"))
      case .skipped: return mark(style.yellow("s"))
      }
    case .blockFailed(let block, _): return block.isReportedByTests ? "" : mark(style.red("F"))
    case .fileEnded(let outcome): return outcome.loadFailure == nil ? "" : mark(style.red("F"))
    case .fileBegan: return ""
    case .ended(let outcome):
      return (column > 0 ? "\n\n" : "\n") + failures.text(with: failureText)
        + SummaryText(style: style).text(of: outcome)
    }
  }

  private mutating func mark(_ text: TerminalText) -> TerminalText {
    column += 1
    guard column == Self.width else { return text }
    column = 0
    return text + "\n"
  }
}

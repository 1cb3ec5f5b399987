import ScriptedStore

/// The events of a run as reporters get them: in the order of the files, regardless of which file
/// ends first.
enum TestRunEvent {
  /// The seed shuffles the tests; nil if they keep their order.
  case began(root: String, seed: UInt64?)
  case fileBegan(FileRun)
  case testEnded(ScriptTestResult, in: FileRun)
  case blockFailed(FailedBlock, in: FileRun)
  case fileEnded(TestFileOutcome)
  case ended(TestRunOutcome)

  /// Whether the event reports a result.
  var isResult: Bool {
    switch self {
    case .began, .fileBegan: false
    case .fileEnded(let outcome): outcome.counts.total > 0
    case .testEnded, .blockFailed, .ended: true
    }
  }
}

/// A hook of a block, or a block itself, that raised.
struct FailedBlock: Sendable {
  let file: String
  let path: [String]
  /// The kind of hook, such as `setup` or `teardown`.
  let hook: String
  let failure: ScriptTestFailure

  /// Whether the block's tests report the failure: if a setup raises, each test of the block fails
  /// with its error.
  var isReportedByTests: Bool { hook.hasSuffix("setup") }

  var name: String { (path + [hook]).joined(separator: " ") }
}

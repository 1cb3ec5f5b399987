import RunnerShared
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

  /// Nil for an event of another kind.
  init?(_ event: ScriptTestEvent) {
    guard case .blockFailed(let file, let path, let hook, let failure) = event else { return nil }
    (self.file, self.path, self.hook, self.failure) = (file, path, hook, failure)
  }

  /// Whether the block's tests report the failure: if a setup raises, each test of the block fails
  /// with its error.
  var isReportedByTests: Bool { hook.hasSuffix("setup") }

  var name: String { (path + [hook]).joined(separator: " ") }
}

/// One run of a file. With `--repeat` a file has several.
struct FileRun: Hashable, Sendable {
  let file: FoundFile
  /// From 1.
  let round: Int
  /// The total number of rounds.
  let rounds: Int
  /// Shuffles the file's tests; nil to keep their order.
  let seed: UInt64?

  /// The path of the file, with the round if there are several.
  var title: String {
    guard rounds > 1 else { return file.path }
    return "\(file.path) (run \(round) of \(rounds)\(seed.map { ", seed \($0)" } ?? ""))"
  }
}

/// What is known at the end of a file's run.
struct TestFileEnd: Sendable {
  var seconds = 0.0
  /// The names of all tests in the file; nil if they are unknown.
  var defined: Set<String>?
  var loadFailure: ScriptTestFailure?
  var obsoleteSnapshots: [String] = []
}

/// The results of one run of a file, for reporters.
struct TestFileOutcome: Sendable {
  let run: FileRun
  /// The counts of the tests. A failed block or a failed load counts as one more failure.
  var counts = TestCounts()
  /// The number of tests that passed after a failed attempt.
  var flaky = 0
  var end = TestFileEnd()

  /// The error that prevented loading the file.
  var loadFailure: ScriptTestFailure? { end.loadFailure }
}

/// The results of a run, for reporters.
struct TestRunOutcome: Sendable {
  var counts = TestCounts()
  /// The counts of file runs: failed if anything failed, skipped if no test passed, else passed.
  var files = TestCounts()
  var seconds = 0.0
  var seed: UInt64?
  /// Whether the tests ran as plain Lua, without the sandbox.
  var isPlain = false
  /// The tests that passed after a failed attempt.
  var flaky: [ScriptTestResult] = []
  /// The slowest tests, slowest first; at most as many as were asked for.
  var slowest: [ScriptTestResult] = []
  var obsoleteSnapshots: [(file: String, names: [String])] = []
  var coverage: CoverageTable?
  var stop: Stop?

  /// Why the run ended before all tests ran.
  enum Stop: Hashable, Sendable {
    case interrupted
    case failures(Int)
  }
}

/// The results of a run, for the command.
struct TestRunResult: Sendable {
  let outcome: TestRunOutcome
  /// The results of each file's tests by file name.
  let results: [String: FailedTests.FileResults]
  /// Messages about reports that are incomplete.
  let outputFailures: [String]
}

/// How many tests, or files, passed, failed and were skipped.
struct TestCounts: Hashable, Sendable {
  var passed = 0
  var failed = 0
  var skipped = 0

  var total: Int { passed + failed + skipped }

  mutating func add(_ outcome: ScriptTestOutcome) {
    switch outcome {
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    }
  }

  static func += (a: inout TestCounts, b: TestCounts) {
    a.passed += b.passed
    a.failed += b.failed
    a.skipped += b.skipped
  }

  /// The last line of a report: `3 passed, 0 failed`.
  var text: String {
    "\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "")
  }
}

import LuaBridge
import ScriptedStore

/// The events of a run as reporters get them: in the order of the files, regardless of which file
/// ends first.
enum TestRunEvent {
  case began(TestRunBeginning)
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

struct TestRunBeginning: Sendable {
  let root: String
  /// The seed that shuffles the tests; nil if they keep their order.
  let seed: UInt64?
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

struct TestFileOutcome: Sendable {
  let run: FileRun
  /// The counts of the tests. A failed block or a failed load counts as one more failure.
  var counts = TestCounts()
  var seconds = 0.0
  /// The number of tests that passed after a failed attempt.
  var flaky = 0
  /// The error that prevented loading the file.
  var loadFailure: ScriptTestFailure?
  var obsoleteSnapshots: [String] = []
}

struct TestRunOutcome: Sendable {
  var counts = TestCounts()
  /// The counts of file runs: failed if anything failed, skipped if no test passed, else passed.
  var files = TestCounts()
  var seconds = 0.0
  var seed: UInt64?
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

extension ScriptTestFailure {
  /// The failure of a file that cannot be loaded.
  init(loading error: ScriptError, _ source: ScriptExcerpt?) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message, script: error.script,
      line: error.line, traceback: error.traceback, source: source)
  }

  /// The message after its location: `todos_test.lua:3: …`. The location is not repeated if the
  /// message begins with it.
  var locatedMessage: String {
    guard let location, !message.hasPrefix(location) else { return message }
    return "\(location): \(message)"
  }

  /// The message without the location.
  var bareMessage: String {
    guard let location, message.hasPrefix(location + ": ") else { return message }
    return String(message.dropFirst(location.count + 2))
  }

  /// The location: `todos_test.lua:3`.
  var location: String? {
    guard let script else { return nil }
    return line.map { "\(script):\($0)" } ?? script
  }
}

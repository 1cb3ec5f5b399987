import LuaBridge
import ScriptedStore

/// What reporters hear of a run: file after file in the order of their discovery, whichever ends first.
enum TestRunEvent {
  case began(TestRunBeginning)
  case fileBegan(TestFileRun)
  case testEnded(ScriptTestResult, in: TestFileRun)
  case blockFailed(FailedBlock, in: TestFileRun)
  case fileEnded(TestFileOutcome)
  case ended(TestRunOutcome)

  /// It says how something went.
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
  /// What shuffles the tests, if something does.
  let seed: UInt64?
}

/// A hook around the tests of a block, or the block itself, that raised.
struct FailedBlock: Sendable {
  let file: String
  let path: [String]
  /// `setup`, `teardown` and so on.
  let hook: String
  let failure: ScriptTestFailure

  /// The tests of a block whose setup raised fail of that, each by itself.
  var isToldByItsTests: Bool { hook.hasSuffix("setup") }

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
  let run: TestFileRun
  /// With what failed beside tests.
  var counts = TestCounts()
  var seconds = 0.0
  /// How many of the tests that passed needed more than one attempt.
  var flaky = 0
  /// Why there are no tests of it.
  var loadFailure: ScriptTestFailure?
  var obsoleteSnapshots: [String] = []
}

struct TestRunOutcome: Sendable {
  var counts = TestCounts()
  /// Of the file runs, by their worst test; one without tests is skipped.
  var files = TestCounts()
  var seconds = 0.0
  var seed: UInt64?
  /// Tests that passed, but not at the first attempt.
  var flaky: [ScriptTestResult] = []
  /// The tests that took longest, slowest first, as many as were asked for.
  var slowest: [ScriptTestResult] = []
  var obsoleteSnapshots: [(file: String, names: [String])] = []
  var coverage: CoverageTable?
  var stop: Stop?

  /// Why there are tests that did not run.
  enum Stop: Hashable, Sendable {
    case interrupted
    case failures(Int)
  }
}

extension ScriptTestFailure {
  /// What made a file unusable.
  init(loading error: ScriptError, _ source: ScriptExcerpt?) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message, script: error.script,
      line: error.line, traceback: error.traceback, source: source)
  }

  /// `todos_test.lua:3: …`, whether or not the message has the place already.
  var locatedMessage: String {
    guard let place, !message.hasPrefix(place) else { return message }
    return "\(place): \(message)"
  }

  /// The message without the place.
  var bareMessage: String {
    guard let place, message.hasPrefix(place + ": ") else { return message }
    return String(message.dropFirst(place.count + 2))
  }

  /// `todos_test.lua:3`.
  var place: String? {
    guard let script else { return nil }
    return line.map { "\(script):\($0)" } ?? script
  }
}

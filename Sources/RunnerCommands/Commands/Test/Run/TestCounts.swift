import ScriptedStore

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

import ScriptedStore

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
  var seconds = 0.0
  /// The number of tests that passed after a failed attempt.
  var flaky = 0
  /// The error that prevented loading the file.
  var loadFailure: ScriptTestFailure?
  var obsoleteSnapshots: [String] = []
}

import LuaBridge

/// One run of a file's tests. It repeats failed tests, and continues with a new VM when the old one
/// has become unusable.
///
///      began            ended: passed, or no attempts left
///   ──────────▶ running ─────────────────────────────────▶ reported, removed from `queue`
///                 ▲ │ ended: failed, attempts left
///                 └─┘ `attempt` += 1
///
/// 1. `queue` has the tests that have no result yet, in order. The first one is running or runs
///    next.
/// 2. `attempt` counts the attempts at the first test of `queue`. All others are at their first.
/// 3. A repeated test runs alone: the framework stops before and after it.
/// 4. Each round of ``run(in:)`` ends a test or begins another attempt, so the loop ends.
final class TestFileRun {
  private let file: String
  private let tests: [ScriptTest]
  private let retries: Int
  private let handle: (ScriptTestEvent) -> Bool
  /// Indices of tests; see 1.
  private var queue: ArraySlice<Int>
  private let isComplete: Bool
  /// From 1; see 2.
  private var attempt = 1
  /// The index of the running test.
  private var running: Int?
  /// Whether the framework has begun a test. Before the first one in a VM, it reports the blocks
  /// that failed while the file was loaded. Those of a later VM are the same.
  private var hasBegun = false
  private var wantsMore = true
  /// Tests that may have ended before they compared all their snapshots.
  private var unfinished: [ScriptTest] = []

  /// - Parameters:
  ///   - file: The file's name in messages.
  ///   - order: Indices of `tests`.
  init(
    _ file: String, _ tests: [ScriptTest], _ order: [Int], retries: Int,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.file = file
    self.tests = tests
    self.retries = retries
    self.handle = handle
    queue = order[...]
    isComplete = Set(order).count == tests.count
  }

  func run(in file: ScriptTestFile) {
    if queue.isEmpty { reportBrokenBlocks(of: file) }
    while wantsMore && !file.isInterrupted && !queue.isEmpty {
      let left = queue.count
      do throws(ScriptError) {
        // See 3.
        let part = attempt > 1 ? queue.prefix(1) : queue
        let isSpent = try file.perform { (context) throws(ScriptError) in
          try context.run(part) { report in
            self.handleReport(report) || file.isInterrupted || context.isSpent
          }
          return context.isSpent
        }
        if isSpent && !queue.isEmpty { try file.replaceWorker() }
      } catch {
        fail(with: error, in: file)
        // If there can be no new VM, the remaining tests fail with that error.
        if !queue.isEmpty { try? file.replaceWorker() }
      }
      // Ensures 4.
      if queue.count == left && attempt == 1 && wantsMore && !file.isInterrupted {
        fail(with: ScriptError("the test framework ended before the test"), in: file)
      }
    }
    finish(file)
  }

  /// Reports the blocks that failed while the file was loaded. Needed only if no test runs, because
  /// otherwise the framework reports them before the first test.
  private func reportBrokenBlocks(of file: ScriptTestFile) {
    do throws(ScriptError) {
      try file.perform { (context) throws(ScriptError) in try context.run([], handleReport) }
    } catch {
      reportFailure(error, in: "describe")
    }
  }

  private func reportFailure(_ error: ScriptError, in place: String) {
    let failure = ScriptTestFailure(error)
    wantsMore =
      handle(.blockFailed(file: file, path: [], where: place, failure)) && wantsMore
  }

  /// Handles a report. Returns whether the framework should stop.
  private func handleReport(_ report: TestContext.Report) -> Bool {
    switch report {
    case .began(let index):
      running = index
      hasBegun = true
      if attempt == 1 { wantsMore = handle(.began(tests[index])) && wantsMore }
      return false
    case .blockFailed(_, "describe", _) where hasBegun: return !wantsMore
    case .blockFailed(let path, let place, let failure):
      wantsMore =
        handle(.blockFailed(file: file, path: path, where: place, failure)) && wantsMore
      return !wantsMore
    case .ended(let index, let outcome, let seconds, let output):
      running = nil
      let wasRetried = attempt > 1
      return end(index, outcome, seconds: seconds, output: output) || wasRetried || !wantsMore
    }
  }

  /// Handles the end of a test. Returns whether the test is repeated.
  private func end(
    _ index: Int, _ outcome: ScriptTestOutcome, seconds: Double, output: [String]
  ) -> Bool {
    let test = tests[index]
    if case .failed(let failures) = outcome {
      let isInterrupted = failures.contains { $0.kind == .interrupted }
      if attempt <= retries && !isInterrupted {
        attempt += 1
        return true
      }
    }
    if case .passed = outcome {} else { unfinished.append(test) }
    queue = queue.dropFirst()
    let result = ScriptTestResult(
      test: test, outcome: outcome, seconds: seconds, attempts: attempt, output: output)
    attempt = 1
    wantsMore = handle(.ended(result)) && wantsMore
    return false
  }

  /// Handles an error of the framework itself: the running test, or else the next one, fails with
  /// it.
  private func fail(with error: ScriptError, in file: ScriptTestFile) {
    guard let index = running ?? queue.first else { return }
    if running == nil { wantsMore = handle(.began(tests[index])) && wantsMore }
    running = nil
    let source = try? file.perform { $0.excerpt(of: error) }
    let failure = ScriptTestFailure(error, source: source ?? nil)
    _ = end(index, .failed([failure]), seconds: 0, output: [])
  }

  private func finish(_ file: ScriptTestFile) {
    do throws(ScriptError) {
      try file.finishSnapshots(isComplete: isComplete && queue.isEmpty, unfinished: unfinished)
    } catch {
      reportFailure(error, in: "snapshots")
    }
  }
}

extension ScriptTestFile {
  /// Finds the obsolete snapshots after a complete run, and writes the snapshot file.
  ///
  /// - Parameter unfinished: Tests that may have ended before they compared all their snapshots.
  func finishSnapshots(isComplete: Bool, unfinished: [ScriptTest]) throws(ScriptError) {
    if isComplete {
      let obsolete = try perform { (context) throws(ScriptError) in
        try snapshots.takeObsolete(besidesThoseOf: unfinished, in: context.engine)
      }
      setObsoleteSnapshots(obsolete)
    }
    try snapshots.save()
  }
}

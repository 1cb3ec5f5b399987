import LuaBridge

/// One run of a file of a plain Lua library. Its tests are found while they run.
///
/// 1. Tests before `next` have ended. A VM that has become unusable is replaced; the new one finds
///    them again and does not run them.
/// 2. A test that failed and has attempts left is repeated at once, in its blocks.
/// 3. Each round of ``run(in:)`` but the last ends a test, so the loop ends.
final class PlainFileRun {
  private let file: String
  private let seed: UInt64?
  private let retries: Int
  private let selects: (ScriptTest) -> Bool
  private let handle: (ScriptTestEvent) -> Bool
  /// An index; see 1.
  private var next = 0
  /// The attempt at the running test, from 1.
  private var attempt = 1
  private var running: ScriptTest?
  private var wantsMore = true
  /// Whether each test that was found has run.
  private var isComplete = true
  /// Tests that may have ended before they compared all their snapshots.
  private var unfinished: [ScriptTest] = []

  init(
    _ file: String, seed: UInt64?, retries: Int, selects: @escaping (ScriptTest) -> Bool,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.file = file
    self.seed = seed
    self.retries = retries
    self.selects = selects
    self.handle = handle
  }

  /// Returns why the file did not load; nil if it did.
  func run(in file: ScriptTestFile) -> ScriptTestFailure? {
    while wantsMore && !file.isInterrupted {
      let before = next
      var isSpent = false
      do throws(ScriptError) {
        let failure = try file.perform { (context) throws(ScriptError) in
          let failure = try context.runLate(
            self.file, seed: seed, selects: { self.isToRun($0, in: file) }
          ) { report in
            self.handleReport(report, in: context) || file.isInterrupted || context.isSpent
          }
          isSpent = context.isSpent
          return failure
        }
        if let failure { return failure }
      } catch {
        fail(with: error)
        isSpent = true
      }
      guard isSpent && next > before else { break }
      do throws(ScriptError) {
        try file.replaceWorker()
      } catch {
        reportFailure(error, in: "describe")
        break
      }
    }
    finish(file)
    return nil
  }

  private func isToRun(_ test: ScriptTest, in file: ScriptTestFile) -> Bool {
    guard test.index >= next else { return false }
    let isToRun = wantsMore && !file.isInterrupted && selects(test)
    if !isToRun { isComplete = false }
    return isToRun
  }

  /// Handles a report. Returns whether the framework should stop.
  private func handleReport(_ report: TestContext.Report, in context: TestContext) -> Bool {
    switch report {
    case .began(let index):
      let test = context.tests[index]
      running = test
      if attempt == 1 { wantsMore = handle(.began(test)) && wantsMore }
      return false
    case .blockFailed(let path, let place, let failure):
      wantsMore =
        handle(.blockFailed(file: file, path: path, where: place, failure)) && wantsMore
      return !wantsMore
    case .ended(let index, let outcome, let seconds, let output):
      running = nil
      context.repeatsTest = end(
        context.tests[index], outcome, seconds: seconds, output: output,
        mayRepeat: !context.isSpent)
      return !wantsMore
    }
  }

  /// Handles the end of a test. Returns whether the test is repeated.
  private func end(
    _ test: ScriptTest, _ outcome: ScriptTestOutcome, seconds: Double, output: [String],
    mayRepeat: Bool
  ) -> Bool {
    if case .failed(let failures) = outcome {
      let isInterrupted = failures.contains { $0.kind == .interrupted }
      if attempt <= retries && !isInterrupted && mayRepeat {
        attempt += 1
        return true
      }
    }
    if case .passed = outcome {} else { unfinished.append(test) }
    next = test.index + 1
    let result = ScriptTestResult(
      test: test, outcome: outcome, seconds: seconds, attempts: attempt, output: output)
    attempt = 1
    wantsMore = handle(.ended(result)) && wantsMore
    return false
  }

  /// Handles an error of the framework itself: the running test fails with it.
  private func fail(with error: ScriptError) {
    guard let test = running else { return reportFailure(error, in: "describe") }
    running = nil
    _ = end(
      test, .failed([ScriptTestFailure(error)]), seconds: 0, output: [], mayRepeat: false)
  }

  private func reportFailure(_ error: ScriptError, in place: String) {
    let failure = ScriptTestFailure(error)
    wantsMore = handle(.blockFailed(file: file, path: [], where: place, failure)) && wantsMore
  }

  private func finish(_ file: ScriptTestFile) {
    do throws(ScriptError) {
      try file.finishSnapshots(
        isComplete: isComplete && wantsMore && !file.isInterrupted, unfinished: unfinished)
    } catch {
      reportFailure(error, in: "snapshots")
    }
  }
}

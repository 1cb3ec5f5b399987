import LuaBridge

/// One run of a file's tests: what it knows about the running test, and what it reports. It repeats failed tests, and
/// continues with a new VM when the old one has become unusable; ``ListedRun`` and ``FoundRun`` say how.
///
///      began            ended: passed, or no attempts left
///   ──────────▶ running ─────────────────────────────────▶ reported
///                 ▲ │ ended: failed, attempts left
///                 └─┘ `attempt` += 1
class TestFileRun {
  /// The file's name in messages.
  let name: String
  private let retries: Int
  private let handle: (ScriptTestEvent) -> Bool
  /// The attempt at the running test, from 1.
  private(set) var attempt = 1
  private(set) var running: ScriptTest?
  /// Whether a further test may begin.
  private(set) var wantsMore = true
  /// Tests that may have ended before they compared all their snapshots.
  private var unfinished: [ScriptTest] = []

  init(_ name: String, retries: Int, handle: @escaping (ScriptTestEvent) -> Bool) {
    self.name = name
    self.retries = retries
    self.handle = handle
  }

  func report(_ event: ScriptTestEvent) { wantsMore = handle(event) && wantsMore }

  func reportFailure(_ error: ScriptError, in place: String) {
    report(.blockFailed(file: name, path: [], where: place, ScriptTestFailure(error)))
  }

  func begin(_ test: ScriptTest) {
    running = test
    if attempt == 1 { report(.began(test)) }
  }

  /// Handles the end of a test. Returns whether the test is repeated.
  func end(
    _ test: ScriptTest, _ outcome: ScriptTestOutcome, seconds: Double = 0, output: [String] = [],
    mayRepeat: Bool = true
  ) -> Bool {
    running = nil
    if case .failed(let failures) = outcome, attempt <= retries, mayRepeat,
      !failures.contains(where: { $0.kind == .interrupted })
    {
      attempt += 1
      return true
    }
    if case .passed = outcome {} else { unfinished.append(test) }
    let result = ScriptTestResult(
      test: test, outcome: outcome, seconds: seconds, attempts: attempt, output: output)
    attempt = 1
    report(.ended(result))
    return false
  }

  /// Finds the obsolete snapshots after a complete run, and writes the snapshot file.
  func finishSnapshots(of file: ScriptTestFile, isComplete: Bool) {
    do throws(ScriptError) {
      if isComplete {
        let obsolete = try file.perform { (context) throws(ScriptError) in
          try file.snapshots.takeObsolete(besidesThoseOf: unfinished, in: context.engine)
        }
        file.setObsoleteSnapshots(obsolete)
      }
      try file.snapshots.save()
    } catch {
      reportFailure(error, in: "snapshots")
    }
  }
}

/// A run of tests that were listed when their file was loaded.
///
/// 1. `queue` has the tests that have no result yet, in order. The first one is running or runs
///    next. All others are at their first attempt.
/// 2. A repeated test runs alone: the framework stops before and after it.
/// 3. Each round of ``run(in:)`` ends a test or begins another attempt, so the loop ends.
final class ListedRun: TestFileRun {
  private let tests: [ScriptTest]
  /// Indices of tests; see 1.
  private var queue: ArraySlice<Int>
  private let isComplete: Bool
  /// Whether the framework has begun a test. Before the first one in a VM, it reports the blocks
  /// that failed while the file was loaded. Those of a later VM are the same.
  private var hasBegun = false

  /// - Parameter order: Indices of `tests`.
  init(
    _ name: String, _ tests: [ScriptTest], _ order: [Int], retries: Int,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.tests = tests
    queue = order[...]
    isComplete = Set(order).count == tests.count
    super.init(name, retries: retries, handle: handle)
  }

  func run(in file: ScriptTestFile) {
    if queue.isEmpty { reportBrokenBlocks(of: file) }
    while wantsMore && !file.isInterrupted && !queue.isEmpty {
      let left = queue.count
      do throws(ScriptError) {
        // See 2.
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
      // Ensures 3.
      if queue.count == left && attempt == 1 && wantsMore && !file.isInterrupted {
        fail(with: ScriptError("the test framework ended before the test"), in: file)
      }
    }
    finishSnapshots(of: file, isComplete: isComplete && queue.isEmpty)
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

  /// Handles a report. Returns whether the framework should stop.
  private func handleReport(_ report: TestContext.Report) -> Bool {
    switch report {
    case .began(let index):
      hasBegun = true
      begin(tests[index])
      return false
    case .blockFailed(_, "describe", _) where hasBegun: return !wantsMore
    case .blockFailed(let path, let place, let failure):
      self.report(.blockFailed(file: name, path: path, where: place, failure))
      return !wantsMore
    case .ended(let index, let outcome, let seconds, let output):
      let wasRetried = attempt > 1
      return end(index, outcome, seconds: seconds, output: output) || wasRetried || !wantsMore
    }
  }

  private func end(
    _ index: Int, _ outcome: ScriptTestOutcome, seconds: Double = 0, output: [String] = []
  ) -> Bool {
    let isRepeated = end(tests[index], outcome, seconds: seconds, output: output, mayRepeat: true)
    if !isRepeated { queue = queue.dropFirst() }
    return isRepeated
  }

  /// Handles an error of the framework itself: the running test, or else the next one, fails with
  /// it.
  private func fail(with error: ScriptError, in file: ScriptTestFile) {
    guard let index = running?.index ?? queue.first else { return }
    if running == nil { report(.began(tests[index])) }
    let source = try? file.perform { $0.excerpt(of: error) }
    _ = end(index, .failed([ScriptTestFailure(error, source: source ?? nil)]))
  }
}

/// A run of a file of a plain Lua library. Its tests are found while they run.
///
/// 1. Tests before `next` have ended. A VM that has become unusable is replaced; the new one finds
///    them again and does not run them.
/// 2. A test that failed and has attempts left is repeated at once, in its blocks.
/// 3. Each round of ``run(in:)`` but the last ends a test, so the loop ends.
final class FoundRun: TestFileRun {
  private let seed: UInt64?
  private let selects: (ScriptTest) -> Bool
  /// An index; see 1.
  private var next = 0
  /// Whether each test that was found has run.
  private var isComplete = true

  init(
    _ name: String, seed: UInt64?, retries: Int, selects: @escaping (ScriptTest) -> Bool,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.seed = seed
    self.selects = selects
    super.init(name, retries: retries, handle: handle)
  }

  /// Returns why the file did not load; nil if it did.
  func run(in file: ScriptTestFile) -> ScriptTestFailure? {
    while wantsMore && !file.isInterrupted {
      let before = next
      var isSpent = false
      do throws(ScriptError) {
        let failure = try file.perform { (context) throws(ScriptError) in
          let failure = try context.runLate(
            name, seed: seed, selects: { self.isToRun($0, in: file) }
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
    finishSnapshots(of: file, isComplete: isComplete && wantsMore && !file.isInterrupted)
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
      begin(context.tests[index])
      return false
    case .blockFailed(let path, let place, let failure):
      self.report(.blockFailed(file: name, path: path, where: place, failure))
    case .ended(let index, let outcome, let seconds, let output):
      let test = context.tests[index]
      context.repeatsTest = end(
        test, outcome, seconds: seconds, output: output, mayRepeat: !context.isSpent)
      if !context.repeatsTest { next = index + 1 }
    }
    return !wantsMore
  }

  /// Handles an error of the framework itself: the running test fails with it.
  private func fail(with error: ScriptError) {
    guard let test = running else { return reportFailure(error, in: "describe") }
    next = test.index + 1
    _ = end(test, .failed([ScriptTestFailure(error)]), mayRepeat: false)
  }
}

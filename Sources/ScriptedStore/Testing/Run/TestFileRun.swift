import LuaBridge

/// One run of a file's tests: what it knows about the running test, and what it reports. It repeats failed tests, and
/// continues with a new VM when the old one has become unusable; ``ListedRun`` and ``FoundRun`` say how.
///
///      began            ended: passed, or no attempts left
///   ──────────▶ running ─────────────────────────────────▶ reported
///                 ▲ │ ended: failed, attempts left
///                 └─┘ `attempt` += 1
class TestFileRun {
  let file: ScriptTestFile
  private let retries: Int
  private let handle: (ScriptTestEvent) -> Bool
  /// The attempt at the running test, from 1.
  private(set) var attempt = 1
  private(set) var running: ScriptTest?
  private var wantsMore = true
  /// Tests that may have ended before they compared all their snapshots.
  private var unfinished: [ScriptTest] = []
  /// Whether there may be tests that are not known, as those of blocks that were not collected.
  fileprivate var lacksTests = false

  init(_ file: ScriptTestFile, retries: Int, handle: @escaping (ScriptTestEvent) -> Bool) {
    self.file = file
    self.retries = retries
    self.handle = handle
  }

  /// Whether a further test may begin.
  var mayGoOn: Bool { wantsMore && !file.isInterrupted }

  func report(_ event: ScriptTestEvent) {
    if case .blockFailed(_, _, let place, _) = event, leavesTestsOut(place) { lacksTests = true }
    wantsMore = handle(event) && wantsMore
  }

  /// Whether tests of a block that failed there do not exist. In a plain file, blocks are collected after the setup of those
  /// around them.
  private func leavesTestsOut(_ place: String) -> Bool {
    place == "describe" || file.runsLate && ["setup", "lazy_setup"].contains(place)
  }

  func reportFailure(_ error: ScriptError, in place: String) {
    report(.blockFailed(file: file.name, path: [], where: place, ScriptTestFailure(error)))
  }

  func begin(_ test: ScriptTest) {
    running = test
    if attempt == 1 { report(.began(test)) }
  }

  /// Handles the end of a test. Returns whether the test is repeated.
  func end(_ result: ScriptTestResult, mayRepeat: Bool) -> Bool {
    running = nil
    if case .failed(let failures) = result.outcome, attempt <= retries, mayRepeat,
      !failures.contains(where: { $0.kind == .interrupted })
    {
      attempt += 1
      return true
    }
    if case .passed = result.outcome {} else { unfinished.append(result.test) }
    var result = result
    result.attempts = attempt
    attempt = 1
    report(.ended(result))
    return false
  }

  /// Notes whether all tests are known, finds the obsolete snapshots after a complete run, and writes
  /// the snapshot file.
  func finish(isComplete: Bool) {
    file.setKnowsAllTests(!lacksTests)
    do throws(ScriptError) {
      if isComplete && !lacksTests {
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
/// 3. Each round of ``run()`` ends a test or begins another attempt, so the loop ends.
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
    _ file: ScriptTestFile, _ tests: [ScriptTest], _ order: [Int], retries: Int,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.tests = tests
    queue = order[...]
    isComplete = Set(order).count == tests.count
    super.init(file, retries: retries, handle: handle)
  }

  func run() {
    if queue.isEmpty { reportBrokenBlocks() }
    while mayGoOn && !queue.isEmpty {
      let left = queue.count
      do throws(ScriptError) {
        // See 2.
        let part = attempt > 1 ? queue.prefix(1) : queue
        let isSpent = try file.perform { (context) throws(ScriptError) in
          try context.run(part) { self.reply(to: $0, in: context) }
          return context.vm.isSpent
        }
        if isSpent && !queue.isEmpty { try file.replaceWorker() }
      } catch {
        fail(with: error)
        // If there can be no new VM, the remaining tests fail with that error.
        if !queue.isEmpty { try? file.replaceWorker() }
      }
      // Ensures 3.
      if queue.count == left && attempt == 1 && mayGoOn {
        fail(with: ScriptError("the test framework ended before the test"))
      }
    }
    finish(isComplete: isComplete && queue.isEmpty)
  }

  /// Reports the blocks that failed while the file was loaded. Needed only if no test runs, because
  /// otherwise the framework reports them before the first test.
  private func reportBrokenBlocks() {
    do throws(ScriptError) {
      try file.perform { (context) throws(ScriptError) in
        try context.run([]) { self.reply(to: $0, in: context) }
      }
    } catch {
      reportFailure(error, in: "describe")
    }
  }

  private func reply(
    to report: TestContext.Report, in context: TestContext
  ) -> TestContext.Reply {
    switch report {
    case .event(.began(let test)):
      hasBegun = true
      begin(test)
    case .event(.ended(let result)):
      let wasRetried = attempt > 1
      if end(result) || wasRetried { return .stop }
    case .event(.blockFailed(_, _, "describe", _)) where hasBegun: break
    case .event(let event): self.report(event)
    case .found: break
    }
    return mayGoOn && !context.vm.isSpent ? .goOn : .stop
  }

  private func end(_ result: ScriptTestResult) -> Bool {
    let isRepeated = end(result, mayRepeat: true)
    if !isRepeated { queue = queue.dropFirst() }
    return isRepeated
  }

  /// Handles an error of the framework itself: the running test, or else the next one, fails with
  /// it.
  private func fail(with error: ScriptError) {
    guard let test = running ?? queue.first.map({ tests[$0] }) else { return }
    if running == nil { begin(test) }
    let source = try? file.perform { $0.excerpt(of: error) }
    _ = end(ScriptTestResult(failed: test, ScriptTestFailure(error, source: source ?? nil)))
  }
}

/// A run of a file of a plain Lua library. Its tests are found while they run.
///
/// 1. Tests before `next` have ended. A VM that has become unusable is replaced; the new one finds
///    them again and does not run them. Blocks that have failed fail again there, and are not
///    reported again.
/// 2. A test that failed and has attempts left is repeated at once, in its blocks.
/// 3. Each round of ``run()`` but the last ends a test, so the loop ends.
final class FoundRun: TestFileRun {
  private let selects: (ScriptTest) -> Bool
  /// An index; see 1.
  private var next = 0
  /// Whether each test that was found has run.
  private var isComplete = true
  /// How often blocks have failed in this VM, by their names and the place. Two may have the same.
  private var failed: [[String]: Int] = [:]
  /// The same as it was reported.
  private var reported: [[String]: Int] = [:]

  init(
    _ file: ScriptTestFile, retries: Int, selects: @escaping (ScriptTest) -> Bool,
    handle: @escaping (ScriptTestEvent) -> Bool
  ) {
    self.selects = selects
    super.init(file, retries: retries, handle: handle)
  }

  /// Returns why the file did not load; nil if it did.
  func run() -> ScriptTestFailure? {
    while mayGoOn {
      let before = next
      var isSpent = false
      failed = [:]
      do throws(ScriptError) {
        let failure = try file.perform { (context) throws(ScriptError) in
          let failure = try context.runLate { self.reply(to: $0, in: context) }
          isSpent = context.vm.isSpent
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
    // The run may have ended before it found all tests.
    if !mayGoOn { lacksTests = true }
    finish(isComplete: isComplete)
    return nil
  }

  private func reply(
    to report: TestContext.Report, in context: TestContext
  ) -> TestContext.Reply {
    switch report {
    case .found(let test): return isToRun(test) ? .goOn : .stop
    case .event(.began(let test)): begin(test)
    case .event(.ended(let result)):
      if end(result, mayRepeat: !context.vm.isSpent) { return .again }
      next = result.test.index + 1
    case .event(.blockFailed(_, let path, let place, _)) where isKnown(path + [place]): break
    case .event(let event): self.report(event)
    }
    return mayGoOn && !context.vm.isSpent ? .goOn : .stop
  }

  /// Counts a failure of a block. Returns whether it was reported of an earlier VM.
  private func isKnown(_ block: [String]) -> Bool {
    let count = failed[block, default: 0] + 1
    failed[block] = count
    guard count > reported[block, default: 0] else { return true }
    reported[block] = count
    return false
  }

  private func isToRun(_ test: ScriptTest) -> Bool {
    guard test.index >= next else { return false }
    let isToRun = mayGoOn && selects(test)
    if !isToRun { isComplete = false }
    return isToRun
  }

  /// Handles an error of the framework itself: the running test fails with it.
  private func fail(with error: ScriptError) {
    guard let test = running else { return reportFailure(error, in: "describe") }
    next = test.index + 1
    _ = end(ScriptTestResult(failed: test, ScriptTestFailure(error)), mayRepeat: false)
  }
}

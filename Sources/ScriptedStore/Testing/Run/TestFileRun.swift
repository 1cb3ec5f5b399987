import LuaBridge

/// One run of a file's tests: which come next, which are tried again, and what to do when the VM dies.
final class TestFileRun {
  private let file: String
  private let tests: [ScriptTest]
  private let retries: Int
  private let handle: (ScriptTestEvent) -> Bool
  /// Those that have not ended, in order.
  private var queue: ArraySlice<Int>
  private let isComplete: Bool
  /// Which attempt the first of the queue is at.
  private var attempt = 1
  /// The test that runs.
  private var running: Int?
  private var wantsMore = true
  /// Tests that may not have come to their snapshots.
  private var unfinished: [ScriptTest] = []

  /// - Parameters:
  ///   - file: as messages name it.
  ///   - order: indices of `tests`.
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
    if queue.isEmpty { tellBrokenBlocks(of: file) }
    while wantsMore && !file.isInterrupted && !queue.isEmpty {
      let left = queue.count
      do throws(ScriptError) {
        // One that is tried again runs by itself.
        let part = attempt > 1 ? queue.prefix(1) : queue
        let isSpent = try file.perform { (context) throws(ScriptError) in
          try context.run(part) { report in
            self.receive(report) || file.isInterrupted || context.isSpent
          }
          return context.isSpent
        }
        if isSpent && !queue.isEmpty { try file.replaceWorker() }
      } catch {
        fail(with: error, in: file)
        // If it cannot be had, that is what the rest fails of.
        if !queue.isEmpty { try? file.replaceWorker() }
      }
      // Each turn ends a test or is another attempt at one, so that there is an end.
      if queue.count == left && attempt == 1 && wantsMore && !file.isInterrupted {
        fail(with: ScriptError("the test framework ended before the test"), in: file)
      }
    }
    finish(file)
  }

  /// Where no test is left that could bring it up.
  private func tellBrokenBlocks(of file: ScriptTestFile) {
    do throws(ScriptError) {
      try file.perform { (context) throws(ScriptError) in try context.run([], receive) }
    } catch {
      tell(error, in: "describe")
    }
  }

  private func tell(_ error: ScriptError, in place: String) {
    let failure = ScriptTestFailure(error)
    wantsMore =
      handle(.blockFailed(file: file, path: [], where: place, failure)) && wantsMore
  }

  /// Notes what happens; whether the framework should stop.
  private func receive(_ report: TestContext.Report) -> Bool {
    switch report {
    case .began(let index):
      running = index
      if attempt == 1 { wantsMore = handle(.began(tests[index])) && wantsMore }
      return false
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

  /// A test has ended; whether it is tried again.
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

  /// Not even the framework could go on: the test that ran, or the next one, has failed of that.
  private func fail(with error: ScriptError, in file: ScriptTestFile) {
    guard let index = running ?? queue.first else { return }
    if running == nil { wantsMore = handle(.began(tests[index])) && wantsMore }
    running = nil
    let source = try? file.perform { $0.excerpt(of: error) }
    let failure = ScriptTestFailure(error, source: source ?? nil)
    _ = end(index, .failed([failure]), seconds: 0, output: [])
  }

  /// Writes the snapshots, and finds those that are left over.
  private func finish(_ file: ScriptTestFile) {
    do throws(ScriptError) {
      if isComplete && queue.isEmpty {
        let unfinished = unfinished
        file.note(
          obsoleteSnapshots: try file.perform { (context) throws(ScriptError) in
            try file.snapshots.takeObsolete(besidesThoseOf: unfinished, in: context.engine)
          })
      }
      try file.snapshots.save()
    } catch {
      tell(error, in: "snapshots")
    }
  }
}

import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization

/// One run of test files on several threads: who has ended a file takes the next one.
final class TestRun: Sendable {
  private let plan: TestPlan
  private let lastRun: LastRun
  private let runs: [TestFileRun]
  private let sequence: TestSequence
  private let coverage: Coverage?

  private let next = Atomic<Int>(0)
  private let working = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  private struct State {
    /// Those that run now, by index.
    var files: [Int: ScriptTestFile] = [:]
    /// Which scripts each file uses, by its name.
    var scripts: [String: Set<String>] = [:]
    /// There is a test to run, if not in this part or for what has changed.
    var isAnySelected = false
    /// Why the selection makes no sense.
    var problem: String?
  }

  init(
    _ plan: TestPlan, files: [TestFile], after lastRun: LastRun, report: sending TestReport
  ) {
    self.plan = plan
    self.lastRun = lastRun
    let failed = plan.selection.failed
    runs = plan.runs(of: files.filter { failed?.contains(file: $0.name) ?? true })
    sequence = TestSequence(report, files: runs.count)
    coverage = plan.measuresCoverage ? Coverage() : nil
  }

  // MARK: From outside

  func start() {
    sequence.begin()
    let threads = min(plan.jobs, runs.count)
    working.store(threads, ordering: .sequentiallyConsistent)
    for _ in 0..<threads {
      let isStarted = TestThread.start { [self] in
        work()
        leave()
      }
      if !isStarted { leave() }
    }
    // No thread at all: this one does it.
    if isDone { work() }
  }

  var isDone: Bool { working.load(ordering: .sequentiallyConsistent) == 0 }

  /// Not for one that was never at work, or that somebody waits for already.
  func waitForEnd(atMost seconds: Double) {
    _ = hasEnded.wait(timeout: .now() + seconds)
  }

  func showProgress() { sequence.showProgress() }

  /// Ends the tests that run; no other is started.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    for file in state.withLock({ Array($0.files.values) }) { file.interrupt() }
  }

  /// Tells the end.
  func end(interrupted: Bool, summary: TestReport.Summary) -> TestRunResult {
    let table = coverage.map { CoverageTable($0, root: plan.root) }
    return sequence.end(interrupted: interrupted, coverage: table, summary: summary)
  }

  /// Why the selection makes no sense, if it does not.
  var problem: String? { state.withLock { $0.problem } }

  /// Whether there is a test to run, if not in this part or for what has changed.
  var isAnySelected: Bool { state.withLock { $0.isAnySelected } }

  /// Which scripts each file uses, by its name.
  var scripts: [String: Set<String>] { state.withLock { $0.scripts } }

  // MARK: On the threads

  private func leave() {
    let left = working.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
    if left == 0 { hasEnded.signal() }
    Interruption.wake()
  }

  private func work() {
    let matcher: TestSelection.Matcher
    do {
      matcher = try TestSelection.Matcher(plan.selection)
    } catch {
      return refuse(error)
    }
    while !isStopped.load(ordering: .sequentiallyConsistent) {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < runs.count else { return }
      run(runs[index], at: index, matcher)
    }
  }

  private func refuse(_ error: ScriptError) {
    state.withLock { $0.problem = error.message }
    stop()
  }

  private func run(_ run: TestFileRun, at index: Int, _ matcher: TestSelection.Matcher) {
    let start = ContinuousClock().now
    var end: TestFileEnd?
    var source: ScriptExcerpt?
    do throws(ScriptError) {
      let file = try load(run, failingAt: &source)
      end = try self.run(file, as: run, at: index, matcher)
    } catch {
      guard sequence.add(.fileBegan(run), of: index) else { return stopOthers(than: index) }
      end = TestFileEnd(loadFailure: ScriptTestFailure(loading: error, source))
    }
    end?.seconds = (ContinuousClock().now - start) / .seconds(1)
    if !sequence.add(.fileEnded(end), of: index) { stopOthers(than: index) }
  }

  private func load(
    _ run: TestFileRun, failingAt source: inout ScriptExcerpt?
  ) throws(ScriptError) -> ScriptTestFile {
    try ScriptTestFile(
      run.file.path, root: plan.root,
      configuration: plan.configuration(of: run, measuring: coverage), failingAt: &source)
  }

  /// Returns nil if none of the file's tests is to run.
  private func run(
    _ file: ScriptTestFile, as run: TestFileRun, at index: Int, _ matcher: TestSelection.Matcher
  ) throws(ScriptError) -> TestFileEnd? {
    defer { state.withLock { $0.scripts[run.file.name] = Set(file.modules) } }
    let selected: [ScriptTest]
    do throws(ScriptError) {
      selected = try matcher.tests(file.tests, of: run.file)
    } catch {
      refuse(error)
      return nil
    }
    if !selected.isEmpty { state.withLock { $0.isAnySelected = true } }
    guard plan.isAffected(run.file, using: file, lastRun) else { return nil }
    let tests = plan.selection.shard?.part(of: selected, in: run.file) ?? selected
    guard !tests.isEmpty || (file.tests.isEmpty && plan.selection.isEverything) else { return nil }

    state.withLock { $0.files[index] = file }
    defer { state.withLock { $0.files[index] = nil } }
    sequence.add(.fileBegan(run), of: index)
    if !tests.isEmpty && !isStopped.load(ordering: .sequentiallyConsistent) {
      var failures = 0
      file.run(tests, retries: plan.retries) { event in
        if !tell(event, of: run, at: index, &failures) { return false }
        return !isStopped.load(ordering: .sequentiallyConsistent)
      }
    }
    return TestFileEnd(
      defined: Set(file.tests.map(\.name)),
      obsoleteSnapshots: tests.count == file.tests.count ? file.obsoleteSnapshots : [])
  }

  /// Returns whether to go on with the file.
  private func tell(
    _ event: ScriptTestEvent, of run: TestFileRun, at index: Int, _ failures: inout Int
  ) -> Bool {
    var goesOn = true
    switch event {
    case .began(let test): goesOn = sequence.add(.testBegan(test), of: index)
    case .ended(let result):
      if case .failed = result.outcome { failures += 1 }
      goesOn = sequence.add(.testEnded(result), of: index)
    case .blockFailed(let file, let path, let hook, let failure):
      let block = FailedBlock(file: file, path: path, hook: hook, failure: failure)
      if !block.isToldByItsTests { failures += 1 }
      goesOn = sequence.add(.blockFailed(block), of: index)
    }
    if !goesOn { stopOthers(than: index) }
    // Whatever the files before it do, no more of this one will be told of.
    return goesOn && plan.bail.map { failures < $0 } ?? true
  }

  /// The report is complete but for the file that it is at, which ends by itself.
  private func stopOthers(than index: Int) {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    let others = state.withLock { state in
      state.files.filter { $0.key != (sequence.last ?? index) }.map(\.value)
    }
    for file in others { file.interrupt() }
  }
}

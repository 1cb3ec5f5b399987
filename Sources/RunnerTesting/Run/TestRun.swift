// One run of test files on several threads.
//
// 1. Each thread takes the next file (`next`) until none is left or the run is stopped.
// 2. `working` counts the threads that have not left. The last one to leave signals `hasEnded`.
// 3. Each thread has its own matcher, because a Lua VM is used by one thread only.
// 4. When the report needs no more results, the run is stopped, and the files that it does not wait
//    for are interrupted.

import Dispatch
import LuaBridge
import RunnerShared
import ScriptedStore
import Synchronization

/// Runs test files on several threads.
final class TestRun: Sendable {
  private let plan: TestPlan
  private let lastRun: LastRun
  private let runs: [FileRun]
  private let report: OrderedReport
  private let coverage: Coverage?

  private let next = Atomic<Int>(0)
  private let working = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  private struct State {
    /// The files that run now, by their index in `runs`.
    var files: [Int: ScriptTestFile] = [:]
    var scripts: [String: Set<String>] = [:]
    var isAnySelected = false
    var problem: String?
  }

  init(
    _ plan: TestPlan, files: [FoundFile], after lastRun: LastRun, report: sending TestReport
  ) {
    self.plan = plan
    self.lastRun = lastRun
    let failed = plan.selection.failed
    runs = plan.runs(of: files.filter { failed?.contains(file: $0.name) ?? true })
    self.report = OrderedReport(report, files: runs.count)
    coverage = plan.measuresCoverage ? Coverage() : nil
  }

  // MARK: Control

  func start() {
    report.begin()
    let threads = min(plan.jobs, runs.count)
    working.store(threads, ordering: .sequentiallyConsistent)
    for _ in 0..<threads {
      do {
        try BlockingThread.run { [self] in
          work()
          leave()
        }
      } catch {
        leave()
      }
    }
    // No thread was started: run the files on this thread. If all threads have ended already,
    // nothing is left to run.
    if isDone { work() }
  }

  var isDone: Bool { working.load(ordering: .sequentiallyConsistent) == 0 }

  /// Waits until the last thread has left or the time has passed. May be called once, and only if
  /// there was a thread: `hasEnded` is signalled once.
  func waitForEnd(atMost seconds: Double) {
    _ = hasEnded.wait(timeout: .now() + seconds)
  }

  func showProgress() { report.showProgress() }

  /// Interrupts the running tests, but for those of the file at an index, and starts no others.
  func stop(besides spared: Int? = nil) {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    let files = state.withLock { $0.files.filter { $0.key != spared }.map(\.value) }
    for file in files { file.interrupt() }
  }

  /// Ends the report.
  func end(interrupted: Bool, summary: TestReport.Summary) -> TestRunResult {
    let table = coverage.map { CoverageTable($0, root: plan.root) }
    return report.end(interrupted: interrupted, coverage: table, summary: summary)
  }

  /// The error in the selection, such as a malformed pattern; nil if it is valid.
  var problem: String? { state.withLock { $0.problem } }

  /// Whether any test is selected, even if it is in another shard or not affected by the changes.
  var isAnySelected: Bool { state.withLock { $0.isAnySelected } }

  /// The scripts that each test file uses, by file name.
  var scripts: [String: Set<String>] { state.withLock { $0.scripts } }

  // MARK: Test threads

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
    while !isToStop {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < runs.count else { return }
      run(runs[index], at: index, matcher)
    }
  }

  private func refuse(_ error: ScriptError) {
    state.withLock { $0.problem = error.message }
    stop()
  }

  private func run(_ run: FileRun, at index: Int, _ matcher: TestSelection.Matcher) {
    let start = ContinuousClock().now
    var end: TestFileEnd?
    var source: ScriptExcerpt?
    do throws(ScriptError) {
      let file = try ScriptTestFile(
        run.file.path, root: plan.root,
        configuration: plan.configuration(of: run, measuring: coverage), failingAt: &source)
      end = runTests(of: file, as: run, at: index, matcher)
    } catch {
      guard report.add(.fileBegan(run), of: index) else { return stopOthers(than: index) }
      end = TestFileEnd(loadFailure: ScriptTestFailure(error, source: source))
    }
    end?.seconds = (ContinuousClock().now - start) / .seconds(1)
    if !report.add(.fileEnded(end), of: index) { stopOthers(than: index) }
  }

  /// Returns nil if none of the file's tests is to run.
  ///
  /// The tests of features are known before they run. Those of a plain Lua library are found while
  /// they run, so that its file is reported when the first selected test begins.
  private func runTests(
    of file: ScriptTestFile, as run: FileRun, at index: Int, _ matcher: TestSelection.Matcher
  ) -> TestFileEnd? {
    var known: Set<ScriptTest>?
    if plan.plain == nil {
      state.withLock { $0.scripts[run.file.name] = Set(file.modules) }
      known = Set(file.tests.filter { isToRun($0, of: run, matcher) })
    }
    var hasNoTest: Bool { file.tests.isEmpty && plan.selection.isEverything }
    guard isAffected(file, of: run), known?.isEmpty != true || hasNoTest else { return nil }
    var hasBegun = false
    var failures = 0
    var selected = 0
    func begin() {
      if !hasBegun { report.add(.fileBegan(run), of: index) }
      hasBegun = true
    }
    func isSelected(_ test: ScriptTest) -> Bool {
      let isToRun = known?.contains(test) ?? isToRun(test, of: run, matcher)
      if isToRun { selected += 1 }
      return isToRun
    }
    if known != nil { begin() }
    state.withLock { $0.files[index] = file }
    // Without any test, the run reports the blocks that raised an error.
    let problem = file.run(where: isSelected, retries: plan.retries) { event in
      begin()
      return forward(event, of: run, at: index, &failures) && !isToStop
    }
    // Tests may have required further scripts.
    state.withLock { state in
      state.files[index] = nil
      state.scripts[run.file.name] = Set(file.modules)
    }
    guard hasBegun || problem != nil || hasNoTest else { return nil }
    begin()
    return TestFileEnd(
      defined: problem == nil && file.knowsAllTests ? Set(file.tests.map(\.name)) : nil,
      loadFailure: problem,
      obsoleteSnapshots: selected == file.tests.count ? file.obsoleteSnapshots : [])
  }

  /// Whether the file is concerned by what has changed. If the last run has not recorded what a
  /// file of a plain Lua library requires, its tests are listed to find out.
  private func isAffected(_ file: ScriptTestFile, of run: FileRun) -> Bool {
    guard plan.changed != nil, plan.plain != nil, lastRun.scripts[run.file.name] == nil else {
      return plan.isAffected(run.file, using: file, lastRun)
    }
    guard let listed = try? plan.listed(run) else { return true }
    return plan.isAffected(run.file, using: listed, lastRun)
  }

  /// Whether no further test is to begin.
  private var isToStop: Bool { isStopped.load(ordering: .sequentiallyConsistent) }

  /// Whether a test that was found is to run: whether it is selected, and in this shard.
  private func isToRun(
    _ test: ScriptTest, of run: FileRun, _ matcher: TestSelection.Matcher
  ) -> Bool {
    guard !isToStop else { return false }
    do throws(ScriptError) {
      guard try matcher.selects(test, in: run.file) else { return false }
    } catch {
      refuse(error)
      return false
    }
    state.withLock { $0.isAnySelected = true }
    return plan.selection.shard?.contains(test, in: run.file) ?? true
  }

  /// Reports an event. Returns whether to continue with the file.
  private func forward(
    _ event: ScriptTestEvent, of run: FileRun, at index: Int, _ failures: inout Int
  ) -> Bool {
    if case .ended(let result) = event, case .failed = result.outcome { failures += 1 }
    if FailedBlock(event)?.isReportedByTests == false { failures += 1 }
    let goesOn = report.add(.test(event), of: index)
    if !goesOn { stopOthers(than: index) }
    // If this file alone has reached the limit of failures, no further result of it can be
    // reported, whatever the files before it do.
    return goesOn && plan.bail.map { failures < $0 } ?? true
  }

  /// Stops the run because the report needs no more results. The file that the report waits for
  /// ends by itself; all others are interrupted.
  private func stopOthers(than index: Int) {
    stop(besides: report.pendingFile ?? index)
  }
}

import ScriptedStore
import Synchronization

/// Brings what the threads of a run report into the order of the files: that of the first file that is not over is
/// passed on at once, that of the others waits.
final class TestSequence: Sendable {
  enum Event: Sendable {
    case fileBegan(TestFileRun)
    case testBegan(ScriptTest)
    case testEnded(ScriptTestResult)
    case blockFailed(FailedBlock)
    /// Nil if it has nothing to tell of: no test of it is selected.
    case fileEnded(TestFileEnd?)
  }

  fileprivate struct State {
    var report: TestReport
    /// The index of the file whose events are passed on.
    var first = 0
    var waiting: [Int: [Event]] = [:]
    /// Over all files, told of or not.
    var counts = TestCounts()
    var endedFiles = 0
    /// The tests that run, with the indices of their files, in the order in which they began.
    var current: [(index: Int, test: ScriptTest)] = []
  }

  private let state: Mutex<State>
  private let files: Int

  init(_ report: sending TestReport, files: Int) {
    state = Mutex(State(report: report))
    self.files = files
  }

  func begin() { state.withLock { $0.report.begin() } }

  /// Returns whether it makes sense to go on.
  @discardableResult
  func add(_ event: Event, of index: Int) -> Bool {
    state.withLock { state in
      state.count(event, of: index)
      if index == state.first {
        state.pass(event)
      } else {
        state.waiting[index, default: []].append(event)
      }
      return !state.report.isOver && !state.report.isClosed
    }
  }

  /// The file that the report waits for, if the run is over but for that.
  var last: Int? { state.withLock { $0.report.isOver ? $0.first : nil } }

  func showProgress() {
    state.withLock { state in
      let (counts, ended, current) = (state.counts, state.endedFiles, state.current.first?.test)
      state.report.showProgress { seconds in
        "\(ended)/\(files) files  \(counts.text)  \(fixed(seconds, 0)) s"
          + (current.map { oneLine("  \($0.file): \($0.name)") } ?? "")
      }
    }
  }

  /// Tells what was waiting, and what came of it all.
  func end(
    interrupted: Bool, coverage: CoverageTable?, summary: TestReport.Summary
  ) -> TestRunResult {
    state.withLock { state in
      state.passAll()
      return state.report.end(interrupted: interrupted, coverage: coverage, summary: summary)
    }
  }
}

extension TestSequence.State {
  fileprivate mutating func count(_ event: TestSequence.Event, of index: Int) {
    switch event {
    case .testBegan(let test): current.append((index, test))
    case .testEnded(let result):
      current.removeAll { $0.index == index }
      counts.add(result.outcome)
    case .fileEnded: endedFiles += 1
    case .fileBegan, .blockFailed: break
    }
  }

  fileprivate mutating func pass(_ event: TestSequence.Event) {
    guard tell(event) else { return }
    first += 1
    passWaiting()
  }

  private mutating func passWaiting() {
    while let events = waiting.removeValue(forKey: first) {
      let hasEnded = events.reduce(false) { hasEnded, event in tell(event) || hasEnded }
      guard hasEnded else { return }
      first += 1
    }
  }

  /// The run is over: a file that never ended is told of as far as it got.
  fileprivate mutating func passAll() {
    _ = tell(.fileEnded(TestFileEnd()))
    for index in waiting.keys.sorted() {
      first = index
      for event in waiting[index] ?? [] { _ = tell(event) }
      _ = tell(.fileEnded(TestFileEnd()))
    }
    waiting = [:]
  }

  /// Returns whether that was the last of its file.
  private mutating func tell(_ event: TestSequence.Event) -> Bool {
    switch event {
    case .fileBegan(let run): if !report.isOver { report.begin(run) }
    case .testBegan: break
    case .testEnded(let result): report.add(result)
    case .blockFailed(let block): report.add(block)
    case .fileEnded(let end):
      if let end { report.end(end) }
      return true
    }
    return false
  }
}

// Brings the events of test files that run at once into the order of the files.
//
// 1. The events of one file arrive in order; events of different files arrive in any order.
// 2. `first` is the index of the first file that has not ended. Its events go to the report at
//    once.
// 3. `waiting` holds the events of the files after `first`. They are passed on when all files
//    before have ended.
// 4. `counts`, `endedFiles` and `current` cover all events, passed on or not. Only the progress
//    line uses them.

import RunnerShared
import ScriptedStore
import Synchronization

/// Passes the events of several threads to the report in the order of the files.
final class OrderedReport: Sendable {
  enum Event: Sendable {
    case fileBegan(FileRun)
    case test(ScriptTestEvent)
    /// Nil if none of the file's tests is selected; the file is then not reported.
    case fileEnded(TestFileEnd?)
  }

  fileprivate struct State {
    var report: TestReport
    /// The index of the file whose events are passed on at once (invariant 2).
    var first = 0
    var waiting: [Int: [Event]] = [:]
    /// The counts over all files (invariant 4).
    var counts = TestCounts()
    var endedFiles = 0
    /// The tests that run now, with the indices of their files, in the order in which they began.
    var current: [(index: Int, test: ScriptTest)] = []
  }

  private let state: Mutex<State>
  private let files: Int

  init(_ report: sending TestReport, files: Int) {
    state = Mutex(State(report: report))
    self.files = files
  }

  func begin() { state.withLock { $0.report.begin() } }

  /// Adds an event of the file at `index`. Returns false if the report needs no more events.
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

  /// The index of the file that the report still waits for, once it takes no further results.
  var pendingFile: Int? { state.withLock { $0.report.isOver ? $0.first : nil } }

  func showProgress() {
    state.withLock { state in
      let (counts, ended, current) = (state.counts, state.endedFiles, state.current.first?.test)
      state.report.progress.show { seconds in
        "\(ended)/\(files) files  \(counts.text)  \(fixed(seconds, 0)) s"
          + (current.map { oneLine("  \($0.displayedFile): \($0.name)") } ?? "")
      }
    }
  }

  /// Passes on the waiting events and ends the report.
  func end(
    interrupted: Bool, coverage: CoverageTable?, summary: TestReport.Summary
  ) -> TestRunResult {
    state.withLock { state in
      state.passAll()
      return state.report.end(interrupted: interrupted, coverage: coverage, summary: summary)
    }
  }
}

extension OrderedReport.State {
  fileprivate mutating func count(_ event: OrderedReport.Event, of index: Int) {
    switch event {
    case .test(.began(let test)): current.append((index, test))
    case .test(.ended(let result)):
      current.removeAll { $0.index == index }
      counts.add(result.outcome)
    case .fileEnded: endedFiles += 1
    case .fileBegan, .test: break
    }
  }

  fileprivate mutating func pass(_ event: OrderedReport.Event) {
    guard deliver(event) else { return }
    first += 1
    while let events = waiting.removeValue(forKey: first) {
      let hasEnded = events.reduce(false) { hasEnded, event in deliver(event) || hasEnded }
      guard hasEnded else { return }
      first += 1
    }
  }

  /// Passes on all waiting events at the end of the run. Files that did not end are reported as far
  /// as they ran.
  fileprivate mutating func passAll() {
    _ = deliver(.fileEnded(TestFileEnd()))
    for index in waiting.keys.sorted() {
      first = index
      for event in waiting[index] ?? [] { _ = deliver(event) }
      _ = deliver(.fileEnded(TestFileEnd()))
    }
    waiting = [:]
  }

  /// Returns whether the event was the last one of its file.
  private mutating func deliver(_ event: OrderedReport.Event) -> Bool {
    switch event {
    case .fileBegan(let run): if !report.isOver { report.begin(run) }
    case .test(.ended(let result)): report.add(result)
    case .test(let event): if let block = FailedBlock(event) { report.add(block) }
    case .fileEnded(let end):
      if let end { report.end(end) }
      return true
    }
    return false
  }
}

import LuaBridge
import ScriptedStore
import Synchronization

/// A report that the threads on which effects go on share with the one that reads the input.
final class SharedReport: Sendable {
  private let report: Mutex<Report>
  private let failFast: Bool
  /// How many actions of the input were reduced.
  private let answers = Atomic<Int>(0)

  /// - Parameter failFast: the first error ends the run.
  init(_ report: sending Report, failFast: Bool) {
    self.report = Mutex(report)
    self.failFast = failFast
  }

  func begin(with state: Value) { report.withLock { $0.begin(with: state) } }

  func add(_ record: ActionRecord) {
    change { $0.add(record) }
    if record.source == .input {
      answers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      Interruption.wake()
    }
  }

  func add(_ warning: RuntimeWarning) { change { $0.add(warning) } }

  /// Waits until so many actions of the input were reduced, which other threads may be at.
  func waitForAnswers(_ count: Int) {
    Interruption.wait { answers.load(ordering: .sequentiallyConsistent) >= count }
  }

  func close(effects: [EffectDescription]?, printsState: Bool) {
    report.withLock { $0.close(effects: effects, printsState: printsState) }
  }

  private func change(_ body: (inout Report) -> Void) {
    let isOver = report.withLock { report in
      body(&report)
      return report.output.failure != nil || (failFast && report.hasErrors)
    }
    if isOver { Interruption.request() }
  }

  var hasErrors: Bool { report.withLock { $0.hasErrors } }

  /// Why printing failed, unless it is because the reader of a pipe has seen enough.
  var outputFailure: String? {
    report.withLock { report in
      guard let number = report.output.failure, !report.output.isClosed else { return nil }
      return errorText(number)
    }
  }
}

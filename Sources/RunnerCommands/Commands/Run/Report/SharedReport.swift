import ScriptValue
import ScriptedStore
import Synchronization

/// A report that several threads use: those that run effects, and the one that reads the input.
final class SharedReport: Sendable {
  private let report: Mutex<Report>
  private let failFast: Bool
  /// The number of input actions that are reduced.
  private let reducedInputs = Atomic<Int>(0)

  /// - Parameter failFast: whether the first error ends the run.
  init(_ report: sending Report, failFast: Bool) {
    self.report = Mutex(report)
    self.failFast = failFast
  }

  func begin(with state: Value) { report.withLock { $0.begin(with: state) } }

  func add(_ record: ActionRecord) {
    change { $0.add(record) }
    if record.source == .input {
      reducedInputs.wrappingAdd(1, ordering: .sequentiallyConsistent)
      Interruption.wake()
    }
  }

  func add(_ warning: RuntimeWarning) { change { $0.add(warning) } }

  /// Waits until `count` input actions are reduced. Other threads may reduce them.
  func waitForReducedActions(_ count: Int) {
    Interruption.wait { reducedInputs.load(ordering: .sequentiallyConsistent) >= count }
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

  /// The code of the first message that has one.
  var firstCode: String? { report.withLock { $0.firstCode } }

  /// The reason why output failed; nil if it did not, or if the reader of a pipe closed it.
  var outputFailure: String? { report.withLock { $0.output.failureText } }
}

import ArgumentParser
import LuaBridge
import ScriptedStore
import Synchronization

enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// What is printed about a run: each action with what it changed, and what went wrong.
struct Report {
  private let format: ReportFormat
  private let takesColor: Bool
  private(set) var output = OutputStream(1)
  private(set) var hasErrors = false

  /// Without a format, text on a terminal and JSON elsewhere.
  init(format: ReportFormat?) {
    self.format = format ?? (StandardStreams.outputIsTerminal ? .text : .json)
    takesColor = StandardStreams.outputTakesColor
  }

  mutating func add(_ record: ActionRecord) {
    output.write(
      format == .json
        ? JSONReport.line(record) : TextReport(takesColor: takesColor).text(record))
    if let error = record.error {
      hasErrors = true
      let feature = error.feature.map { " of \($0)" } ?? ""
      StandardStreams.error(
        """
        error: \(describe(error))
        in action \(record.number)\(feature): \(record.action.value.json())
        """)
    }
  }

  mutating func finish(_ state: Value) {
    output.write(
      format == .json
        ? JSONReport.line(state: state) : TextReport(takesColor: takesColor).text(state: state))
  }
}

/// A report that the store's observer and the session that drives the store both hold.
final class SharedReport: Sendable {
  private let report: Mutex<Report>

  init(_ report: sending Report) { self.report = Mutex(report) }

  func add(_ record: ActionRecord) { report.withLock { $0.add(record) } }
  func finish(_ state: Value) { report.withLock { $0.finish(state) } }

  var hasErrors: Bool { report.withLock { $0.hasErrors } }

  /// Nothing more can be printed, so there is no point in going on.
  var isUnwritable: Bool { report.withLock { $0.output.failure != nil } }

  /// Why printing failed, unless it is because the reader of a pipe has seen enough.
  var outputFailure: String? {
    report.withLock { report in
      guard let number = report.output.failure, !report.output.isClosed else { return nil }
      return errorText(number)
    }
  }
}

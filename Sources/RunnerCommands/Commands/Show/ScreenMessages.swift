import LuaBridge
import ScriptView
import ScriptedStore
import Synchronization

/// What standard error has beside a screen: errors and warnings of its views, of actions and of
/// effects. They arrive on several threads.
final class ScreenMessages: Sendable {
  private let failed = Mutex(false)
  /// Writes a message, which may have several lines.
  private let write: @Sendable (TerminalText) -> Void
  /// The most errors of views that are printed. A list may have one in each row.
  private static let mostFailures = 10

  init(write: @escaping @Sendable (TerminalText) -> Void = { StandardStreams.error($0) }) {
    self.write = write
  }

  var hasErrors: Bool { failed.withLock { $0 } }

  func add(_ record: ActionRecord) {
    if let error = record.error { report(TerminalText(error, of: record)) }
  }

  func add(_ warning: RuntimeWarning) {
    guard warning.kind != .effectError else {
      return report(TerminalText(effectError: warning))
    }
    let effect: TerminalText = warning.effectText.map { "\n\($0)" } ?? ""
    write(TerminalText(warning) + effect)
  }

  /// Prints the errors of views, each once, however many rows have it.
  func add(_ failures: [ViewFailure]) {
    var seen: Set<ViewFailure> = []
    let different = failures.filter { seen.insert($0).inserted }
    for failure in different.prefix(Self.mostFailures) { report("error: \(TerminalText(failure))") }
    let rest = different.count - Self.mostFailures
    if rest > 0 { write("note: there are \(count(rest, "more error"))") }
  }

  private func report(_ failure: TerminalText) {
    failed.withLock { $0 = true }
    write(failure)
  }
}

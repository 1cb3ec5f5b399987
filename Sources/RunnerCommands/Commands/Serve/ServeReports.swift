import ScriptedStore
import Synchronization

/// What standard error has beside a server, and the bars in its pages.
final class ServeReports: Sendable {
  private let server = Mutex<(any PageServer)?>(nil)

  /// Tells this server as well from now on.
  func use(_ server: any PageServer) { self.server.withLock { $0 = server } }

  private var used: (any PageServer)? { server.withLock { $0 } }

  func add(_ warning: RuntimeWarning) {
    let isError = warning.kind == .effectError
    StandardStreams.error(
      isError ? TerminalText(effectError: warning) : TerminalText(warning))
    used?.report(warning)
  }

  func add(_ error: ScriptError, _ action: Action) {
    let place = action.value == ["type": "view"] ? "" : "\nin action \(action.path)"
    StandardStreams.error(TerminalText(error) + "\(place)")
    used?.report(error, action)
  }

  func add(_ result: Result<ReloadReport, ReloadError>) {
    switch result {
    case .success(let report):
      if report.hasChanges { StandardStreams.error("\(report.description)") }
    case .failure(let error): StandardStreams.error("error: \(ConsoleText.refusal(error))")
    }
    used?.report(result)
  }
}

#if Server
import ScriptedStore

/// Something that an author has to know: a warning, an error, or what a reload did.
struct DevelopmentMessage: Sendable {
  let value: Value

  private init(_ kind: String, _ text: String, location: String? = nil, traceback: String? = nil) {
    var object: Value.Object = ["kind": .string(kind), "text": .string(text)]
    object["location"] = location.map { .string($0) }
    object["traceback"] = traceback.map { .string($0) }
    value = .object(object)
  }

  init(_ warning: RuntimeWarning) {
    self.init(
      warning.kind == .effectError ? "error" : "warning", warning.message,
      location: warning.origin.isEmpty ? nil : warning.origin, traceback: warning.traceback)
  }

  init(_ error: ScriptError, _ action: Action) {
    let place = action.value == ["type": "view"] ? "" : "\(action.path): "
    self.init(
      "error", place + error.message, location: DevelopmentMessage.location(of: error),
      traceback: error.traceback)
  }

  static func messages(of result: Result<ReloadReport, ReloadError>) -> [DevelopmentMessage] {
    switch result {
    case .success(let report): [DevelopmentMessage("reload", "\(report)")]
    case .failure(let error):
      error.errors.map {
        DevelopmentMessage(
          "error", "not reloaded, the old code runs on: \($0.message)", location: location(of: $0),
          traceback: $0.traceback)
      }
    }
  }

  static func location(of error: ScriptError) -> String? {
    guard let script = error.script else { return nil }
    return error.line.map { "\(script):\($0)" } ?? script
  }
}
#endif

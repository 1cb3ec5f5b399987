#if Server
import ScriptedStore

/// Something that an author has to know: a warning, an error, or what a reload did.
struct DevelopmentMessage: Sendable {
  let value: Value
  /// What is broken until it is mended; nil for what is told once.
  let problem: Problem?

  /// The errors that pages show until they are mended, whether the bar is open or not. (An error of a view stands in its place
  /// on the page.)
  enum Problem {
    /// A handler or an effect has failed: mended when scripts are loaded again.
    case running
    /// A saved script does not load: mended when it does, and another one when it is saved again.
    case loading
  }

  private init(
    _ kind: String, _ text: String, location: String? = nil, traceback: String? = nil,
    problem: Problem? = nil
  ) {
    self.problem = problem
    var object: Value.Object = ["kind": .string(kind), "text": .string(text)]
    object["location"] = location.map { .string($0) }
    object["traceback"] = traceback.map { .string($0) }
    value = WireProperty.visible(.object(object))
  }

  init(_ warning: RuntimeWarning) {
    self.init(
      warning.kind == .effectError ? "error" : "warning", warning.message,
      location: warning.origin.isEmpty ? nil : warning.origin, traceback: warning.traceback,
      problem: warning.kind == .effectError ? .running : nil)
  }

  init(_ error: ScriptError, _ action: Action) {
    let isOfView = action.value == ["type": "view"]
    self.init(
      "error", (isOfView ? "" : "\(action.path): ") + error.message,
      location: error.location, traceback: error.traceback,
      problem: isOfView ? nil : .running)
  }

  static func messages(of result: Result<ReloadReport, ReloadError>) -> [DevelopmentMessage] {
    switch result {
    case .success(let report): [DevelopmentMessage("reload", "\(report)")]
    case .failure(let error):
      error.errors.map {
        DevelopmentMessage(
          "error", "not reloaded, the old code runs on: \($0.message)", location: $0.location,
          traceback: $0.traceback, problem: .loading)
      }
    }
  }
}
#endif

/// Something in a script that is, or may be, wrong.
struct Finding {
  enum Severity: String, CaseIterable {
    /// It does not load, or raises when it runs.
    case error
    /// It runs, and does not do what it seems to say.
    case warning
    /// It may be meant so.
    case hint
  }

  enum Code: String {
    case syntax
    case load
    case cycle
    case missingModule = "missing-module"
    case unknownGlobal = "unknown-global"
    case unknownField = "unknown-field"
    case composition
    case initialState = "initial-state"
    case unknownDependency = "unknown-dependency"
    case undeclaredDependency = "undeclared-dependency"
    case unknownAction = "unknown-action"
    case unhandledAction = "unhandled-action"
    case unsentAction = "unsent-action"
    case unread

    var severity: Severity {
      switch self {
      case .unhandledAction, .unread: .warning
      case .unsentAction: .hint
      default: .error
      }
    }
  }

  let code: Code
  /// As seen from the current folder.
  let path: String
  let line: Int
  /// From 1, in characters; nil where only the line is known.
  let column: Int?
  let message: String
  /// What to do about it.
  let remedy: String?

  var severity: Severity { code.severity }
}

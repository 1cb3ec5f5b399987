import LuaSyntax

/// A certain or possible mistake in a script.
struct Finding {
  enum Severity: String, CaseIterable {
    /// The script does not load, or raises when it runs.
    case error
    /// The script runs, but does not do what its text suggests.
    case warning
    /// The code may be intended.
    case hint
  }

  enum Code: String, CaseIterable {
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
    case unhandledFailure = "unhandled-failure"
    case unsentAction = "unsent-action"
    case unheardAction = "unheard-action"
    case droppedResult = "dropped-result"
    case unknownState = "unknown-state"
    case unreadState = "unread-state"
    case missingID = "missing-id"
    case misspeltPattern = "misspelt-pattern"
    case duplicateKey = "duplicate-key"
    case sharedConflict = "shared-conflict"
    case sharedCollision = "shared-collision"
    case sharedNested = "shared-nested"
    case unusedShared = "unused-shared"
    case unknownProperty = "unknown-property"
    case invalidProperty = "invalid-property"
    case unknownBinding = "unknown-binding"
    case unknownChild = "unknown-child"
    case missingView = "missing-view"
    case impureView = "impure-view"
    case lengthRange = "length-range"
    case wrongParameter = "wrong-parameter"
    case unknownCancel = "unknown-cancel"
    case unread

    var severity: Severity {
      switch self {
      case .unhandledAction, .unread, .droppedResult, .unknownState, .missingID, .misspeltPattern,
        .unknownBinding, .lengthRange, .duplicateKey, .unhandledFailure:
        .warning
      case .unsentAction, .unheardAction, .unreadState, .unusedShared, .wrongParameter,
        .unknownCancel:
        .hint
      default: .error
      }
    }
  }

  let code: Code
  /// Relative to the current folder.
  let path: String
  let line: Int
  /// The column, from 1, counted in Unicode scalars; nil where only the line is known.
  let column: Int?
  let message: String
  /// How to correct the mistake.
  let remedy: String?

  var severity: Severity { code.severity }
}

extension ScriptFile {
  /// A finding at a position of the script.
  func finding(
    _ code: Finding.Code, at position: SourcePosition, _ message: String, _ remedy: String? = nil
  ) -> Finding {
    Finding(
      code: code, path: file.path, line: position.line, column: column(of: position),
      message: message, remedy: remedy)
  }
}

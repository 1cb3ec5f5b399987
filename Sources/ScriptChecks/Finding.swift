import LuaBridge
import LuaSyntax
import ScriptedStore

/// A certain or possible mistake in a script.
package struct Finding {
  package enum Severity: String, CaseIterable {
    /// The script does not load, or raises when it runs.
    case error
    /// The script runs, but does not do what its text suggests.
    case warning
    /// The code may be intended.
    case hint
  }

  package enum Code: String, CaseIterable {
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

    package var severity: Severity {
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

  package let code: Code
  /// Relative to the current folder.
  package internal(set) var path: String
  package let line: Int
  /// The column, from 1, counted in Unicode scalars; nil where only the line is known.
  package let column: Int?
  package let message: String
  /// How to correct the mistake.
  package let remedy: String?

  package var severity: Severity { code.severity }
}

extension Finding {
  /// A finding at a position of a script.
  init(
    _ code: Code, in script: ScriptFile, at position: SourcePosition, _ message: String,
    _ remedy: String? = nil
  ) {
    self.init(code, in: script, at: position, line: position.line, message, remedy)
  }

  /// A finding of which perhaps only the line is known.
  init(
    _ code: Code, in script: ScriptFile, at position: SourcePosition? = nil, line: Int,
    _ message: String, _ remedy: String? = nil
  ) {
    self.init(
      code: code, path: script.path, line: position?.line ?? line,
      column: position.map(script.column), message: message, remedy: remedy)
  }
}

/// The error that prevents a script from loading, or its feature from becoming a store.
struct LoadFailure {
  private let step: ScriptInspection.Step
  private let error: ScriptError
  private let script: ScriptFile

  init(_ failure: (step: ScriptInspection.Step, error: ScriptError), of script: ScriptFile) {
    (step, error) = failure
    self.script = script
  }

  /// The script and source line of the error. If neither the error nor its message names them, line
  /// 1 of the loaded script.
  private var site: (script: String, line: Int) {
    if let script = error.script { return (script, error.line ?? 1) }
    // An origin in a message, such as `feature at todos.lua:18`.
    for word in error.message.split(whereSeparator: { " (),".contains($0) }) {
      let parts = word.split(separator: ":")
      if parts.count >= 2, parts[0].hasSuffix(".lua"), let line = Int(parts[1]) {
        return (String(parts[0]), line)
      }
    }
    return (self.script.name, 1)
  }

  private static let cycle = "these modules require each other: "

  /// Equal for the same failure found by several scripts, so that it is reported once. Modules that
  /// require each other fail in a different order for each script, so their names are sorted.
  private var identity: String {
    guard error.message.hasPrefix(Self.cycle) else { return "\(site) \(error.message)" }
    let modules = error.message.dropFirst(Self.cycle.count).split(separator: " → ")
    return Set(modules).sorted().joined(separator: " ")
  }

  private var code: Finding.Code {
    if error.message.hasPrefix(Self.cycle) { return .cycle }
    if error.message.contains("there is no dependency '") { return .unknownDependency }
    if error.message.contains("there is no module '") { return .missingModule }
    if let code = SharedFindings.code(ofFailure: error.message) { return code }
    switch step {
    case .loading:
      if error.message.contains("cannot be stored in state") { return .initialState }
      return error.kind == .syntax ? .syntax : .load
    case .composing: return .composition
    case .makingStore: return .initialState
    }
  }

  /// Reports each failure once. Omits a failure that another finding already explains: an error on
  /// the same source line, the same unknown dependency, or what is found about sharing. The text of a
  /// script that does not compile is explained by nothing else.
  ///
  /// - Parameters:
  ///   - failures: the failures of all checked scripts.
  ///   - others: the findings from other checks.
  ///   - path: maps a script's name to its path for the report.
  static func findings(
    _ failures: [LoadFailure], beside others: [Finding], path: (_ script: String) -> String
  ) -> [Finding] {
    var seen: Set<String> = []
    let errors = others.filter { $0.severity == .error }
    let sites = Set(errors.map { "\($0.path):\($0.line)" })
    let sharing = Set(errors.map(\.code)).intersection([
      .sharedConflict, .sharedCollision, .sharedNested,
    ])
    let dependencies = Set(errors.filter { $0.code == .unknownDependency }.map(\.message))
    return failures.compactMap { failure in
      let (script, line) = failure.site
      let path = path(script)
      let isExplained =
        sites.contains("\(path):\(line)") || sharing.contains(failure.code)
        || dependencies.contains { failure.error.message.contains($0) }
      guard failure.code == .syntax || !isExplained, seen.insert(failure.identity).inserted else {
        return nil
      }
      return Finding(
        code: failure.code, path: path, line: line, column: nil, message: failure.error.message,
        remedy: nil)
    }
  }
}

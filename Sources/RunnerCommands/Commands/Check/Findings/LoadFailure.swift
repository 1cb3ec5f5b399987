import LuaBridge
import ScriptedStore

/// The error that prevents a script from loading, or its feature from becoming a store.
struct LoadFailure {
  private let step: ScriptInspection.Step
  private let error: ScriptError
  private let file: FoundFile

  init(_ failure: (step: ScriptInspection.Step, error: ScriptError), of file: FoundFile) {
    (step, error) = failure
    self.file = file
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
    return (file.name, 1)
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

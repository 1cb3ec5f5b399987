import LuaBridge
import ScriptedStore

/// Why a script does not load, or no store can be made of it.
struct LoadFailure {
  private let step: ScriptInspection.Step
  private let error: ScriptError
  private let file: TestFile

  init(_ failure: (step: ScriptInspection.Step, error: ScriptError), of file: TestFile) {
    (step, error) = failure
    self.file = file
  }

  /// Where it happened: what messages say, or else the script that was loaded.
  private var place: (script: String, line: Int) {
    if let script = error.script { return (script, error.line ?? 1) }
    // `feature at todos.lua:18`
    for word in error.message.split(whereSeparator: { " (),".contains($0) }) {
      let parts = word.split(separator: ":")
      if parts.count >= 2, parts[0].hasSuffix(".lua"), let line = Int(parts[1]) {
        return (String(parts[0]), line)
      }
    }
    return (file.name, 1)
  }

  private static let cycle = "these modules require each other: "

  /// The same for a failure that several scripts come to.
  private var identity: String {
    guard error.message.hasPrefix(Self.cycle) else { return "\(place) \(error.message)" }
    let modules = error.message.dropFirst(Self.cycle.count).split(separator: " → ")
    return Set(modules).sorted().joined(separator: " ")
  }

  private var code: Finding.Code {
    if error.message.hasPrefix(Self.cycle) { return .cycle }
    if error.message.contains("there is no dependency '") { return .unknownDependency }
    if error.message.contains("there is no module '") { return .missingModule }
    switch step {
    case .loading:
      if error.message.contains("cannot be stored in state") { return .initialState }
      return error.kind == .syntax ? .syntax : .load
    case .composing: return .composition
    case .beginning: return .initialState
    }
  }

  /// Each failure once, and none that another finding is the reason of.
  static func findings(
    _ failures: [LoadFailure], beside others: [Finding], path: (_ script: String) -> String
  ) -> [Finding] {
    var seen: Set<String> = []
    let errors = others.filter { $0.severity == .error }
    let places = Set(errors.map { "\($0.path):\($0.line)" })
    let dependencies = Set(errors.filter { $0.code == .unknownDependency }.map(\.message))
    return failures.compactMap { failure in
      let (script, line) = failure.place
      let path = path(script)
      let isExplained =
        places.contains("\(path):\(line)")
        || dependencies.contains { failure.error.message.contains($0) }
      guard !isExplained, seen.insert(failure.identity).inserted else { return nil }
      return Finding(
        code: failure.code, path: path, line: line, column: nil, message: failure.error.message,
        remedy: nil)
    }
  }
}

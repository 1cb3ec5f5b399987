import LuaSyntax

/// Finds parameters whose names are those of other values: `function(state, deps)` for a handler,
/// which gets its action in second place.
///
/// Only functions that are written where they are used are looked at, and only names that surely mean
/// another value.
struct ParameterFindings {
  private(set) var findings: [Finding] = []
  private let script: ScriptFile

  /// The names that mean one of the values which functions get.
  private static let names: Set = ["state", "action", "deps", "send", "env"]

  init?(_ script: ScriptFile) {
    guard let analysis = script.analysis else { return nil }
    self.script = script
    for feature in analysis.features {
      for handler in feature.definition?.field("on")?.tableFields ?? [] {
        check(handler.value, "a handler", gets: ["state", "action", "deps"])
      }
      check(feature.definition?.field("reduce"), "`reduce`", gets: ["state", "action", "deps"])
      // A third parameter of a view is found where it is used.
      check(feature.definition?.field("view"), "a view", gets: ["state", "env"], upTo: 2)
    }
    for call in analysis.chunk.calls {
      guard case .call(let callee, let arguments) = call.kind,
        LuaReference(callee) == .scripted("effect", "run")
      else { continue }
      check(arguments.first, "the function of effect.run", gets: ["send", "deps"])
      check(
        arguments.dropFirst().first?.tableLiteral?.field("catch"), "`catch`",
        gets: ["error", "send", "deps"])
    }
  }

  private mutating func check(
    _ function: LuaExpression?, _ user: String, gets values: [String], upTo count: Int = 5
  ) {
    guard let function, case .function(let body) = function.kind else { return }
    let parameters = body.parameters.map(\.name)
    // The first parameter may have any name, unless the state is surely meant to be the second.
    let isMethod = parameters.starts(with: ["self", "state"])
    let wrong = parameters.prefix(count).indices.first { index in
      Self.names.contains(parameters[index])
        && (index >= values.count || parameters[index] != values[index])
    }
    guard let index = isMethod ? 0 : wrong else { return }
    let list = values.dropLast().joined(separator: ", ") + " and " + (values.last ?? "")
    let meaning = index < values.count ? "`\(values[index])`" : "nil"
    findings.append(
      script.finding(
        .wrongParameter, at: function.position,
        "\(user) gets \(list), so that '\(parameters[index])' is \(meaning) here",
        "write function(\(values.joined(separator: ", ")))"))
  }
}

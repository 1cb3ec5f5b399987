/// Finds handlers of actions that no script, test or file of actions names. Either the host sends
/// these actions, or the handler is no longer needed.
struct UnsentActions {
  private let words: Set<String>

  init(_ scripts: [ScriptFile], _ recorded: Set<String>) {
    words = scripts.reduce(into: recorded) { $0.formUnion($1.analysis?.words ?? []) }
  }

  func findings(in scripts: [ScriptFile], _ roles: ScriptRoles) -> [Finding] {
    var findings: [Finding] = []
    for script in scripts {
      if case .test = roles[script] { continue }
      for pattern in script.analysis?.features.flatMap(\.patterns) ?? [] {
        guard let name = pattern.string, name != "binding",
          ScriptAnalysis.words(of: name) == [name],
          !words.contains(name)
        else { continue }
        findings.append(
          script.finding(
            .unsentAction, at: pattern.position,
            "no script, test or file of actions sends \"\(name)\"",
            "test it if the host sends it"))
      }
    }
    return findings
  }
}

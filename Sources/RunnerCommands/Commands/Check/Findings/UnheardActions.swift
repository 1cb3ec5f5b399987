/// Finds actions that a child lists for its parent, as `delegate.saved`, and that no feature handles.
/// Either the parent forgot to, or only the host observes them.
struct UnheardActions {
  private let scripts: ProjectScripts

  init(_ scripts: ProjectScripts) { self.scripts = scripts }

  func findings(in script: ScriptFile) -> [Finding] {
    guard !scripts.hasReduce, let analysis = script.analysis, hasParent(script, analysis) else {
      return []
    }
    return analysis.features.flatMap { feature in
      feature.listedActions.compactMap { listed in
        // A parent's pattern, as `cells[*].delegate.saved`, has the action's first names at its end, or all of them and
        // more.
        guard let name = listed.string, name.contains("."),
          !scripts.childPatterns.match(name.split(separator: ".")[...])
        else { return nil }
        return script.finding(
          .unheardAction, at: listed.position,
          "\(feature.name ?? "the feature") sends \"\(name)\" to its parent, and no feature handles it",
          "handle it in the parent, unless the host observes it")
      }
    }
  }

  /// Whether a feature of the script may be the child of another one.
  private func hasParent(_ script: ScriptFile, _ analysis: ScriptAnalysis) -> Bool {
    analysis.features.count > 1 || scripts.users(of: script).contains { !scripts.isTest($0) }
  }
}

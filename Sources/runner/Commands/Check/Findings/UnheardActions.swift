/// Finds actions that a child lists for its parent, as `delegate.saved`, and that no feature handles.
/// Either the parent forgot to, or only the host observes them.
struct UnheardActions {
  private let scripts: [ScriptFile]

  init(_ scripts: [ScriptFile], _ roles: ScriptRoles) {
    self.scripts = scripts.filter { if case .test = roles[$0] { false } else { true } }
  }

  func findings(in script: ScriptFile) -> [Finding] {
    guard let analysis = script.analysis, hasParent(script, analysis) else { return [] }
    // Features with `reduce` see all actions.
    let features = scripts.flatMap { $0.analysis?.features ?? [] }
    if features.contains(where: { $0.definition?.field("reduce") != nil }) { return [] }
    let patterns = features.flatMap(\.patterns).compactMap(\.string)
    return analysis.features.flatMap { feature in
      feature.listedActions.compactMap { listed in
        guard let name = listed.string, name.contains("."),
          !patterns.contains(where: { Self.pattern($0, hears: name) })
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
    analysis.features.count > 1
      || scripts.contains { other in
        other.analysis?.required.contains { script.moduleNames.contains($0.name) } ?? false
      }
  }

  /// Whether a parent's pattern, as `cells[*].delegate.saved`, takes the child's action: the pattern
  /// has the action's first names at its end, or all of them and more.
  private static func pattern(_ pattern: String, hears action: String) -> Bool {
    let pattern = pattern.split(separator: ".").map { $0.prefix { $0 != "[" } }
    let action = action.split(separator: ".")
    return pattern.indices.dropFirst().contains { start in
      zip(pattern[start...], action).allSatisfy { $0 == $1 }
    }
  }
}

import LuaBridge

/// Finds patterns whose first segment is a misspelt child, as `["shete.tapped"]` beside
/// `:ifLet("sheet", Sheet)`. Such a pattern matches actions of the feature's own, so that it
/// composes, and never runs.
struct PatternFindings {
  private let scripts: [ScriptFile]
  private let words: ProjectWords

  init(_ scripts: [ScriptFile], _ words: ProjectWords) {
    self.scripts = scripts
    self.words = words
  }

  func findings(in script: ScriptFile) -> [Finding] {
    guard let analysis = script.analysis else { return [] }
    let attachments = analysis.attachments
    return analysis.features.enumerated().flatMap { number, feature in
      let own = attachments.filter { $0.feature == number }
      return feature.patterns.compactMap { pattern in
        finding(pattern, feature, own, in: script, analysis)
      }
    }
  }

  private func finding(
    _ pattern: LuaExpression, _ feature: ScriptAnalysis.Feature, _ attachments: [ChildAttachment],
    in script: ScriptFile, _ analysis: ScriptAnalysis
  ) -> Finding? {
    guard let text = pattern.string else { return nil }
    let segments = Self.segments(of: text)
    let names = attachments.compactMap(\.action)
    guard segments.count > 1, !names.contains(segments[0]), !words.isInText(segments[0]),
      let nearest = Suggestion.nearest(to: segments[0], in: names),
      let child = attachments.first(where: { $0.action == nearest })?.child,
      handles(child, segments[1], analysis)
    else { return nil }
    let name = feature.name ?? "the feature"
    return script.finding(
      .misspeltPattern, at: pattern.position,
      "\(name) has no child '\(segments[0])', and nothing sends \"\(text)\"",
      "did you mean '\(nearest)'?")
  }

  /// The names in a pattern without what stands in brackets: `todos` and `toggle` of
  /// `todos[*].toggle`.
  private static func segments(of pattern: String) -> [String] {
    pattern.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
  }

  /// Whether a child surely handles an action: a feature in the same script, or a module with a
  /// feature that does.
  private func handles(_ child: LuaExpression, _ name: String, _ analysis: ScriptAnalysis) -> Bool {
    let features: [ScriptAnalysis.Feature]
    if let number = analysis.feature(child) {
      features = [analysis.features[number]]
    } else if let reference = LuaReference(child), reference.fields.isEmpty,
      case .module(let module) = reference.root
    {
      let script = scripts.first { $0.moduleNames.contains(module) }
      features = script?.analysis?.features ?? []
    } else {
      return false
    }
    return features.contains { feature in
      feature.patterns.contains { $0.string.map { Self.segments(of: $0).first == name } ?? false }
    }
  }
}

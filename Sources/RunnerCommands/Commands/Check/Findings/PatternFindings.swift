import LuaBridge

/// Finds patterns whose first segment is a misspelt child, as `["shete.tapped"]` beside
/// `:ifLet("sheet", Sheet)`. Such a pattern matches actions of the feature's own, so that it
/// composes, and never runs.
struct PatternFindings {
  private let scripts: ProjectScripts
  private let words: ProjectWords

  init(_ scripts: ProjectScripts, _ words: ProjectWords) {
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
      has(child, segments[1], analysis)
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

  /// Whether a child surely has an action: a feature in the same script, one of the features of a
  /// module, or a case.
  private func has(_ child: LuaExpression, _ name: String, _ analysis: ScriptAnalysis) -> Bool {
    if let number = analysis.feature(child) {
      return analysis.actionNames(of: number).contains { Self.segments(of: $0).first == name }
    }
    if case .call(let callee, let arguments) = child.methodRoot.kind,
      LuaReference(callee) == .scripted("cases")
    {
      return arguments.first?.tableLiteral?.field(name) != nil
    }
    guard let reference = LuaReference(child), reference.fields.isEmpty,
      case .module(let module) = reference.root,
      let other = scripts.script(ofModule: module)?.analysis
    else { return false }
    return other.features.indices.contains { number in
      other.actionNames(of: number).contains { Self.segments(of: $0).first == name }
    }
  }
}

extension ScriptAnalysis {
  /// The actions that a feature handles, those that it lists, and those of its children.
  fileprivate func actionNames(of feature: Int) -> [String] {
    features[feature].patterns.compactMap(\.string)
      + features[feature].listedActions.compactMap(\.string)
      + attachments.filter { $0.feature == feature }.compactMap(\.action)
  }
}

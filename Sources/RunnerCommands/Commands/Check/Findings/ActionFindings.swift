import LuaBridge
import ScriptedStore

/// The actions that the checked scripts send, as questions to all scripts: does a reducer handle
/// this action?
///
/// Every script is asked, because any script may combine the sending feature with a reducer that
/// handles the action.
struct SentActions {
  /// The questions, numbered by their index in `senders`.
  let questions: FeatureQuestions<String>
  /// The sender of each question, by the question's number.
  private let senders: [(script: ScriptFile, feature: String?, sent: ScriptAnalysis.Sent)]

  init(_ scripts: [ScriptFile]) {
    senders = scripts.flatMap { script in
      (script.analysis?.sent ?? []).filter { !$0.features.isEmpty }.map { sent in
        let names = sent.features.sorted().map { script.analysis?.features[$0].name }
        return (script, names.first ?? nil, sent)
      }
    }
    questions = FeatureQuestions(
      senders.map { script, _, sent in FeatureQuestion(sent.path, sent.features, of: script) })
  }

  /// Returns a finding for each sent action that no script handles, or whose path is malformed.
  ///
  /// - Parameter answers: the answers of each script, by the question's number.
  func findings(_ answers: [[Int: ScriptAnswers.Handling]]) -> [Finding] {
    // The first answer counts, except that a later answer replaces `unhandled`, unless it is
    // `unhandled` too.
    var handlings: [Int: ScriptAnswers.Handling] = [:]
    for answer in answers {
      for (number, handling) in answer {
        switch (handlings[number], handling) {
        case (nil, _), (.unhandled?, .handled), (.unhandled?, .malformed):
          handlings[number] = handling
        default: break
        }
      }
    }
    return senders.enumerated().compactMap { number, sender in
      let (script, sent) = (sender.script, sender.sent)
      switch handlings[number] {
      case nil, .handled?: return nil
      case .malformed(let message)?:
        return script.finding(.unknownAction, at: sent.position, message)
      case .unhandled(let name, let nearest)? where sent.isName:
        return script.finding(
          .unknownAction, at: sent.position,
          "\(sender.feature ?? "the feature") has no action '\(name)'",
          nearest.map { "did you mean '\($0)'?" })
      case .unhandled(let name, let nearest)?:
        let (message, remedy) = Self.text(name, nearest, sent, of: sender.feature ?? "the feature")
        return script.finding(.unhandledAction, at: sent.position, message, remedy)
      }
    }
  }

  private static func text(
    _ name: String, _ nearest: String?, _ sent: ScriptAnalysis.Sent, of feature: String
  ) -> (message: String, remedy: String) {
    if case .binding(let key) = sent.origin {
      return (
        "the view of \(feature) binds \"\(key)\", and nothing there handles its bindings",
        "add `binding = true` to \(feature)"
      )
    }
    let sender = if case .node = sent.origin { "the view of \(feature)" } else { feature }
    let path = name == sent.path ? "" : ", in \"\(sent.path)\""
    return (
      "\(sender) sends \"\(name)\"\(path), which nothing handles",
      nearest.map { "did you mean \"\($0)\"?" }
        ?? "if it is meant for a parent, list it in `actions`"
    )
  }
}

extension ScriptAnalysis.Sent {
  /// Whether the action is read from `Feature.actions`.
  fileprivate var isName: Bool { if case .actions = origin { true } else { false } }
}

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

/// Finds features that send what `effect.result` returns and handle only its success. The failure is
/// an action that matches no pattern, so that what waits for the answer waits for ever.
///
/// Another reducer may handle the failure: a parent, one that stands beside the feature, or one with
/// `reduce`, which sees all actions. So any pattern in any script that may take it is enough.
struct UnhandledFailures {
  /// An action of a feature that says that what it has waited for has succeeded.
  private struct Success: Hashable {
    let feature: Int
    let name: String
  }

  private let scripts: ProjectScripts

  init(_ scripts: ProjectScripts) { self.scripts = scripts }

  func findings(in script: ScriptFile) -> [Finding] {
    guard let analysis = script.analysis else { return [] }
    let sent = analysis.sent.filter {
      !$0.results.isEmpty && !$0.path.contains { ".[".contains($0) }
    }
    guard !sent.isEmpty, !scripts.mayHandleAnything else { return [] }
    let successes = Set(
      sent.flatMap { action in
        action.features.flatMap { feature in
          action.results.map { Success(feature: feature, name: "\(action.path).\($0).success") }
        }
      })
    return analysis.features.enumerated().flatMap { number, feature in
      feature.patterns.compactMap { pattern -> Finding? in
        guard let text = pattern.string,
          successes.contains(Success(feature: number, name: text))
        else { return nil }
        let result = text.dropLast(".success".count)
        // A pattern may take the failure with others, as `done` or `child.done` does that of `done.result`.
        let failure: [Substring] = result.split(separator: ".") + ["failure"]
        guard !scripts.patterns.match(failure[...]) else { return nil }
        return script.finding(
          .unhandledFailure, at: pattern.position,
          "\(feature.name ?? "the feature") handles \"\(text)\", and nothing handles the failure",
          "handle \"\(result).failure\" too")
      }
    }
  }
}

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

import LuaBridge
import LuaSyntax
import ScriptedStore

/// The actions that the checked scripts send, as questions to all scripts: does a reducer handle
/// this action? Any script may combine the sending feature with a reducer that handles the action.
struct SentActions {
  private enum Handling {
    case handled
    case unhandled(String, nearest: String?)
    case malformed(String)
  }

  private let senders: [(script: ScriptFile, feature: String, sent: ScriptAnalysis.Sent)]
  private let asked: AskedFeatures
  /// The answers, by the index of the sender. None for a feature that no script composes.
  private var handlings: [Int: Handling] = [:]

  init(_ scripts: [ScriptFile]) {
    senders = scripts.flatMap { script in
      (script.analysis?.sent ?? []).filter { !$0.features.isEmpty }.map { sent in
        let first = sent.features.min().flatMap { script.analysis?.features[$0] }
        return (script, first?.title ?? "the feature", sent)
      }
    }
    asked = AskedFeatures(senders.map { ($0.script, $0.sent.features) })
  }

  /// Asks a loaded script. The first answer counts, except that a later answer replaces `unhandled`, unless it
  /// is `unhandled` too.
  mutating func ask(_ inspection: ScriptInspection) {
    for (number, origins) in asked.questions(for: inspection) {
      let path = senders[number].sent.path
      let handling = Self.handling(of: path, byFeatureAt: origins, inspection)
      switch (handlings[number], handling) {
      case (nil, _), (.unhandled?, .handled), (.unhandled?, .malformed):
        handlings[number] = handling
      default: break
      }
    }
  }

  private static func handling(
    of path: String, byFeatureAt origins: [String], _ inspection: ScriptInspection
  ) -> Handling {
    do throws(ScriptError) {
      let unhandled = try inspection.unhandled(path, byFeatureAt: origins)
      return unhandled.map { .unhandled($0.name, nearest: $0.nearest) } ?? .handled
    } catch {
      return .malformed(error.message)
    }
  }

  /// A finding for each sent action that no script handles, or whose path is malformed.
  var findings: [Finding] {
    senders.enumerated().compactMap { number, sender in
      let (script, feature, sent) = sender
      switch handlings[number] {
      case nil, .handled?: return nil
      case .malformed(let message)?:
        return Finding(.unknownAction, in: script, at: sent.position, message)
      case .unhandled(let name, let nearest)? where sent.isName:
        return Finding(
          .unknownAction, in: script, at: sent.position,
          "\(feature) has no action '\(name)'",
          nearest.map { "did you mean '\($0)'?" })
      case .unhandled(let name, let nearest)?:
        let (message, remedy) = Self.text(name, nearest, sent, of: feature)
        return Finding(.unhandledAction, in: script, at: sent.position, message, remedy)
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

/// Misspelt patterns, actions without a handler, and handlers of actions that are never sent.
extension ScriptFindings {
  /// Patterns whose first segment is a misspelt child, as `["shete.tapped"]` beside
  /// `:ifLet("sheet", Sheet)`. Such a pattern matches actions of the feature's own, so that it
  /// composes, and never runs.
  mutating func findMisspeltPatterns(_ project: Project) {
    for (number, feature) in analysis.features.enumerated() {
      let attachments = analysis.attachments.filter { $0.feature == number }
      let names = attachments.compactMap(\.action)
      for pattern in feature.patterns {
        let segments = pattern.actionNames
        guard let text = pattern.string, segments.count > 1,
          !names.contains(segments[0]), !project.isInText(segments[0]),
          let nearest = Suggestion.nearest(to: segments[0], in: names),
          let child = attachments.first(where: { $0.action == nearest })?.child,
          has(child, segments[1], project)
        else { continue }
        add(
          .misspeltPattern, at: pattern.position,
          "\(feature.title) has no child '\(segments[0])', and nothing sends \"\(text)\"",
          "did you mean '\(nearest)'?")
      }
    }
  }

  /// Whether a child surely has an action: a feature in the same script, one of the features of a
  /// module, or a case.
  private func has(_ child: LuaExpression, _ name: String, _ project: Project) -> Bool {
    if let number = analysis.feature(child) { return analysis.hasAction(name, of: number) }
    if let arguments = child.methodRoot.arguments(of: .scripted("cases")) {
      return arguments.first?.tableLiteral?.field(name) != nil
    }
    guard let reference = LuaReference(child), reference.fields.isEmpty,
      case .module(let module) = reference.root,
      let other = project.script(ofModule: module)?.analysis
    else { return false }
    return other.features.indices.contains { other.hasAction(name, of: $0) }
  }

  /// Features that send what `effect.result` returns and handle only its success. The failure is an
  /// action that matches no pattern, so that what waits for the answer waits for ever.
  ///
  /// Another reducer may handle the failure: a parent, one that stands beside the feature, or one with
  /// `reduce`, which sees all actions. So any pattern in any script that may take it is enough.
  mutating func findUnhandledFailures(_ project: Project) {
    guard !project.mayHandleAnything else { return }
    // The successes that a feature waits for.
    var successes: [Int: Set<String>] = [:]
    for action in analysis.sent where !action.path.contains(where: { ".[".contains($0) }) {
      for feature in action.features {
        successes[feature, default: []].formUnion(
          action.results.map { "\(action.path).\($0).success" })
      }
    }
    for (number, names) in successes {
      for pattern in analysis.features[number].patterns {
        guard let text = pattern.string, names.contains(text) else { continue }
        let result = text.dropLast(".success".count)
        // A pattern may take the failure with others, as `done` or `child.done` does that of `done.result`.
        let failure = pattern.actionNames.dropLast() + ["failure"]
        guard !project.patterns.match(failure[...]) else { continue }
        add(
          .unhandledFailure, at: pattern.position,
          "\(analysis.features[number].title) handles \"\(text)\", and nothing handles the failure",
          "handle \"\(result).failure\" too")
      }
    }
  }

  /// Actions that a child lists for its parent, as `delegate.saved`, and that no feature handles. Either
  /// the parent forgot to, or only the host observes them.
  mutating func findUnheardActions(_ project: Project) {
    let hasParent =
      analysis.features.count > 1 || project.users(of: script).contains { !project.isTest($0) }
    guard !project.hasReduce, hasParent else { return }
    for feature in analysis.features {
      for listed in feature.listedActions {
        // A parent's pattern, as `cells[*].delegate.saved`, has the action's first names at its end, or all of them and
        // more.
        let names = listed.actionNames
        guard let name = listed.string, names.count > 1,
          !project.childPatterns.match(names[...])
        else { continue }
        add(
          .unheardAction, at: listed.position,
          "\(feature.title) sends \"\(name)\" to its parent, and no feature handles it",
          "handle it in the parent, unless the host observes it")
      }
    }
  }

  /// Handlers of actions that no script, test or file of actions names. Either the host sends these
  /// actions, or the handler is no longer needed.
  mutating func findUnsentActions(_ project: Project) {
    guard role != .test else { return }
    for pattern in analysis.features.flatMap(\.patterns) {
      // Stores send `recovered` themselves.
      guard let name = pattern.string, name != "binding", name != "recovered",
        ScriptAnalysis.words(of: name) == [name], !project.isSent(name)
      else { continue }
      add(
        .unsentAction, at: pattern.position,
        "no script, test or file of actions sends \"\(name)\"", "test it if the host sends it")
    }
  }
}

extension ScriptAnalysis {
  /// Whether a feature handles or lists an action, or a child of it has the name.
  fileprivate func hasAction(_ name: String, of feature: Int) -> Bool {
    let own = features[feature].patterns + features[feature].listedActions
    return own.contains { $0.actionNames.first == name }
      || attachments.contains { $0.feature == feature && $0.action == name }
  }
}

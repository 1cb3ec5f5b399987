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

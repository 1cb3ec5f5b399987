import ScriptedStore

/// Actions that features send: whether somebody handles them is asked of all scripts, as any of them may combine a
/// feature with one that does.
struct SentActions {
  let questions: [SentQuestion]
  /// Who sends what, by the number of the question.
  private let senders: [(script: ScriptFile, feature: String?, sent: ScriptAnalysis.Sent)]

  init(_ scripts: [ScriptFile]) {
    senders = scripts.flatMap { script in
      (script.analysis?.sent ?? []).filter { !$0.owners.isEmpty }.map { sent in
        let names = sent.owners.sorted().map { script.analysis?.features[$0].name }
        return (script, names.first ?? nil, sent)
      }
    }
    questions = senders.map { script, _, sent in
      let lines = sent.owners.flatMap { script.analysis?.features[$0].lines ?? [] }
      return SentQuestion(path: sent.path, places: lines.map { "\(script.file.name):\($0)" })
    }
  }

  /// - Parameter answers: of each script, by the number of the question.
  func findings(_ answers: [[Int: ScriptAnswers.Handling]]) -> [Finding] {
    senders.enumerated().compactMap { number, sender in
      var finding: Finding?
      for answer in answers {
        switch answer[number] {
        case nil: continue
        case .handled?: return nil
        case .malformed(let message)?:
          return self.finding(.unknownAction, sender.script, sender.sent, message, nil)
        case .unhandled(let name, let nearest)?:
          if finding != nil { continue }
          let feature = sender.feature ?? "the feature"
          let what = name == sender.sent.path ? "" : ", in \"\(sender.sent.path)\""
          finding = self.finding(
            .unhandledAction, sender.script, sender.sent,
            "\(feature) sends \"\(name)\"\(what), which nothing handles",
            nearest.map { "did you mean \"\($0)\"?" }
              ?? "if it is meant for a parent, list it in `actions`")
        }
      }
      return finding
    }
  }

  private func finding(
    _ code: Finding.Code, _ script: ScriptFile, _ sent: ScriptAnalysis.Sent, _ message: String,
    _ remedy: String?
  ) -> Finding {
    Finding(
      code: code, path: script.file.path, line: sent.position.line,
      column: script.column(of: sent.position), message: message, remedy: remedy)
  }
}

/// Handlers of actions that no script names, tests and files of actions included: they are the host's to send, or left
/// over.
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
          Finding(
            code: .unsentAction, path: script.file.path, line: pattern.position.line,
            column: script.column(of: pattern.position),
            message: "no script, test or file of actions sends \"\(name)\"",
            remedy: "test it if the host sends it"))
      }
    }
    return findings
  }
}

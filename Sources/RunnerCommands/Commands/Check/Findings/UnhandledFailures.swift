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

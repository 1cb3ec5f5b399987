/// Finds features that send what `effect.result` returns and handle only its success. The failure is
/// an action that matches no pattern, so that what waits for the answer waits for ever.
///
/// Another reducer may handle the failure: a parent, one that stands beside the feature, or one with
/// `reduce`, which sees all actions. So any pattern in any script that may take it is enough.
struct UnhandledFailures {
  private let scripts: [ScriptFile]

  init(_ scripts: [ScriptFile], _ roles: ScriptRoles) {
    self.scripts = scripts.filter { if case .test = roles[$0] { false } else { true } }
  }

  func findings(in script: ScriptFile) -> [Finding] {
    guard let analysis = script.analysis else { return [] }
    let sent = analysis.sent.filter {
      !$0.results.isEmpty && !$0.path.contains { ".[".contains($0) }
    }
    guard !sent.isEmpty, !scripts.contains(where: \.seesAllActions) else { return [] }
    let patterns = scripts.flatMap { $0.analysis?.features.flatMap(\.patterns) ?? [] }
    return analysis.features.enumerated().flatMap { number, feature in
      feature.patterns.compactMap { pattern -> Finding? in
        guard let text = pattern.string,
          sent.contains(where: { action in
            action.features.contains(number)
              && action.results.contains { text == "\(action.path).\($0).success" }
          })
        else { return nil }
        let result = text.dropLast(".success".count)
        guard !patterns.contains(where: { $0.string.map { Self.takes($0, result) } ?? true }) else {
          return nil
        }
        return script.finding(
          .unhandledFailure, at: pattern.position,
          "\(feature.name ?? "the feature") handles \"\(text)\", and nothing handles the failure",
          "handle \"\(result).failure\" too")
      }
    }
  }

  /// Whether a pattern may take the failure of a result, as `done.result.failure`, `done` or
  /// `child.done` for `done.result`.
  private static func takes(_ pattern: String, _ result: Substring) -> Bool {
    let names: [Substring] = pattern.split(separator: ".").map { $0.prefix { $0 != "[" } }
    let failure: [Substring] = result.split(separator: ".") + ["failure"]
    return names.indices.contains { start in
      names[start] == failure[0] && zip(names[start...], failure).allSatisfy(==)
    }
  }
}

extension ScriptFile {
  /// Whether the script has a reducer that sees all actions, or patterns that are unknown.
  fileprivate var seesAllActions: Bool {
    guard let analysis else { return true }
    return analysis.features.contains { feature in
      guard let definition = feature.definition, definition.field("reduce") == nil else {
        return true
      }
      guard let on = definition.field("on") else { return false }
      return on.tableFields.map { $0.count != feature.patterns.count } ?? true
    }
  }
}

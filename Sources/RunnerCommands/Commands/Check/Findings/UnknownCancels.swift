import LuaBridge

/// Finds ids of `effect.cancel` that are nearly an id of the script's effects, and that no text of any
/// script has besides. Such a call cancels nothing.
struct UnknownCancels {
  private let scripts: ProjectScripts

  init(_ scripts: ProjectScripts) { self.scripts = scripts }

  /// The operators of an effect whose first argument is its id.
  private static let operators: Set = ["cancellable", "debounce", "throttle"]

  func findings(in script: ScriptFile) -> [Finding] {
    guard let analysis = script.analysis else { return [] }
    let ids = analysis.chunk.calls.compactMap { call -> String? in
      guard case .method(_, let name, let arguments) = call.kind, Self.operators.contains(name)
      else { return nil }
      return arguments.first?.resolved.string
    }
    return analysis.chunk.calls.compactMap { call in
      guard case .call(let callee, let arguments) = call.kind,
        LuaReference(callee) == .scripted("effect", "cancel"), let id = arguments.first?.string,
        // Short ids, as "a" and "b", are near each other by chance.
        id.count >= 4, !ids.contains(id), let nearest = Suggestion.nearest(to: id, in: ids),
        scripts.hasOnce(id)
      else { return nil }
      return script.finding(
        .unknownCancel, at: arguments[0].position,
        "effect.cancel gets the id \"\(id)\", which no effect here has",
        "did you mean \"\(nearest)\"?")
    }
  }
}

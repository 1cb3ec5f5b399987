import LuaBridge
import LuaSyntax
import ScriptView

/// Bindings of keys that the state does not have: `bind = "descripton"`.
///
/// As for fields that are read, nothing is said about a state whose keys are not all written out, or
/// about a key that some script writes. The keys of `selection`, `focus`, dates and files may be
/// absent, so only those are found that are nearly a field.
extension ScriptFindings {
  mutating func findUnknownBindings(_ project: Project) {
    for node in analysis.viewNodes
    where !node.features.isEmpty && !analysis.roles.isInRow(node.call.function) {
      for (property, key, field) in node.boundFields {
        let mayBeAbsent = property != "bind" || ViewElement.named(node.kind)?.isClearable == true
        checkBinding(of: key, field, node, mayBeAbsent: mayBeAbsent, project)
      }
      for (property, value) in node.values(of: { $0 == .field }) {
        checkBoundValue(value, of: property)
      }
    }
  }

  /// Finds a value of the state in place of a key: `bind = state.name`. A text that is a field's name
  /// may be meant as a key.
  private mutating func checkBoundValue(_ value: LuaExpression, of property: String) {
    guard let use = analysis.stateUse(value.resolved), let first = use.features.min(),
      let initial = analysis.defaultValue(at: use.path[...], of: first)?.resolved,
      initial.typeName != nil, initial.typeName != "nil"
    else { return }
    if let key = initial.string {
      guard let keys = analysis.defaultKeys(at: [], of: first), !keys.contains(key) else { return }
    }
    add(
      .unknownBinding, at: value.position,
      "\(property) takes the name of a field, and this is the field's value",
      "write \(property) = \"\(use.path.joined(separator: "."))\"")
  }

  /// Whether the script uses the key elsewhere, as a view does that shows what is selected.
  private func isRead(_ path: [String], of features: FeatureSet) -> Bool {
    analysis.stateUses.contains { $0.path == path && !$0.features.isDisjoint(with: features) }
  }

  /// - Parameter mayBeAbsent: whether the state lacks the key while nothing is selected, focused or
  ///   chosen.
  private mutating func checkBinding(
    of key: String, _ field: LuaExpression, _ node: ViewNodeUse, mayBeAbsent: Bool,
    _ project: Project
  ) {
    let features = node.features
    guard let segments = try? ActionPath(bindingKey: key).segments else { return }
    // Which fields the elements of a list have is not known.
    let end = segments.firstIndex { $0.id != nil }.map { $0 + 1 } ?? segments.count
    let path = segments[..<end].map(\.name)
    for (depth, name) in path.enumerated() {
      var known: [String] = []
      for feature in features {
        guard let keys = analysis.defaultKeys(at: path[..<depth], of: feature) else { return }
        known += keys
      }
      // A feature without any may get its state from a parent.
      guard !known.isEmpty, !analysis.stateUses.replaceTable(at: path[..<depth]) else { return }
      if known.contains(name) { continue }
      guard !project.isWritten(name), !analysis.commentWords.contains(name) else { return }
      let nearest = Suggestion.nearest(to: name, in: known)
      if mayBeAbsent && depth == path.count - 1 {
        // `row` beside the list `rows` is the selected one of them.
        guard let nearest, nearest != name + "s", !isRead(path, of: features) else { return }
      }
      add(
        .unknownBinding, at: field.position,
        "the view of \(title(of: features)) binds \"\(key)\", which its state does not have",
        nearest.map { "did you mean '\($0)'?" } ?? "give the field a default in `state`")
      return
    }
  }
}

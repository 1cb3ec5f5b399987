import LuaSyntax

/// A field of a feature's state that a script reads or writes: `state.user.name`.
struct StateUse {
  /// The features whose state it may be.
  let features: FeatureSet
  /// The keys from the state to the field.
  let path: [String]
  /// The position of the last key.
  let position: SourcePosition
  let isAssigned: Bool
}

extension ScriptAnalysis {
  /// The field of a state that an expression names with constant keys; nil for all other
  /// expressions. A view cannot write, so that what it assigns is no use.
  func stateUse(_ expression: LuaExpression) -> StateUse? {
    guard let (base, names) = expression.fieldPath, !names.isEmpty,
      case .state(let features)? = roles.role(base),
      !(expression.isAssigned && roles.isInView(expression.function))
    else { return nil }
    return StateUse(
      features: features, path: names, position: expression.detail,
      isAssigned: expression.isAssigned)
  }

  var stateUses: [StateUse] { chunk.indexes.compactMap(stateUse) }
}

extension [StateUse] {
  /// Whether one of them assigns the whole table at a path, whose keys are then unknown.
  func replaceTable(at path: ArraySlice<String>) -> Bool {
    !path.isEmpty && contains { $0.isAssigned && path.starts(with: $0.path) }
  }
}

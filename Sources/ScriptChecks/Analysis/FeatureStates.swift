import LuaSyntax
import ScriptedStore

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
}

extension [StateUse] {
  /// Whether one of them assigns the whole table at a path, whose keys are then unknown.
  func replaceTable(at path: ArraySlice<String>) -> Bool {
    !path.isEmpty && contains { $0.isAssigned && path.starts(with: $0.path) }
  }
}

extension ScriptAnalysis {
  /// The keys at a path of a feature's default state; nil if they are unknown, because a script
  /// computes the table or a part of its keys.
  func defaultKeys(at path: ArraySlice<String>, of feature: Int) -> [String]? {
    guard let definition = features[feature].definition else { return nil }
    // What a shared field contains is said by its key, which may be in another module.
    let shared = definition.field("shared")
    if shared != nil, shared?.tableFields == nil { return nil }
    let sharedNames = shared?.tableFields?.compactMap { $0.key?.string } ?? []
    if let first = path.first, sharedNames.contains(first) { return nil }
    guard definition.field("state") != nil else { return path.isEmpty ? sharedNames : nil }
    guard let fields = defaultValue(at: path, of: feature)?.tableFields else { return nil }
    let names = fields.compactMap { $0.key?.string }
    guard names.count == fields.count, path.isEmpty || !names.isEmpty else { return nil }
    return path.isEmpty ? names + sharedNames : names
  }

  /// The expression at a path of a feature's default state; nil if there is none, or a part of the
  /// path is computed.
  func defaultValue(at path: ArraySlice<String>, of feature: Int) -> LuaExpression? {
    guard var current = features[feature].definition?.field("state") else { return nil }
    for key in path {
      guard let inner = current.tableLiteral?.field(key) else { return nil }
      current = inner
    }
    return current
  }

  /// Whether a field of a feature's default state is surely a list: `scripted.array`, a table with
  /// elements, the list of an operator, or an empty table that the script uses as a list.
  func isList(at path: ArraySlice<String>, of feature: Int) -> Bool {
    guard let value = defaultValue(at: path, of: feature)?.resolved else { return false }
    if case .call = value.kind { return value.arguments(of: .scripted("array")) != nil }
    guard let fields = value.tableFields else { return false }
    if !fields.isEmpty { return fields.allSatisfy { $0.key == nil } }
    return attachments.contains {
      $0.feature == feature && $0.path[...] == path && $0.hasElements
    }
      || chunk.calls.contains { call in
        guard case .call(let callee, let arguments) = call.kind, let list = arguments.first,
          let use = stateUse(list.resolved), use.path[...] == path, use.features.contains(feature),
          let reference = LuaReference(callee)
        else { return false }
        return reference == .global("ipairs") || reference == .ui("forEach")
          || reference.root == .global("table") || reference.fields.first == "list"
      }
  }
}

/// A call of an operator that takes a key of the state: `Feature:forEach("todos", Todo)`.
struct ChildAttachment {
  let kind: ReducerKind
  /// When the child is there; nil for an operator without a child.
  let presence: ChildPresence?
  /// The feature that the operator, or a chain of operators, is applied to.
  let feature: Int
  /// The key, a string literal.
  let key: LuaExpression
  /// The keys from the state to the child's state.
  let path: [String]
  /// The child; nil if there is none.
  let child: LuaExpression?
  /// The table of options; nil if there is none.
  let options: LuaExpression?

  /// Whether the operator runs on the elements of what is at the key.
  var hasElements: Bool { presence?.hasIDs == true }

  /// The type of the child's actions; nil if it is unknown.
  var action: String? { presence == nil ? nil : option("action", usual: path.last) }

  /// The field that identifies an element; nil if it is unknown.
  var idKey: String? { option("id", usual: "id") }

  /// The text of an option; nil if it is unknown.
  private func option(_ name: String, usual: String?) -> String? {
    guard let options else { return usual }
    guard let table = options.tableLiteral else { return nil }
    guard let option = table.field(name) else { return usual }
    return option.string
  }
}

extension ScriptAnalysis {
  /// The child that a call attaches to a feature; nil for other calls.
  func attachment(_ call: LuaExpression) -> ChildAttachment? {
    guard case .method(let receiver, let name, let arguments) = call.kind,
      let kind = ReducerKind(rawValue: name), kind.parameters?.first == .key,
      let feature = feature(receiver), let key = arguments.first, let text = key.string
    else { return nil }
    let path = text.splitAtDots()
    guard !path.isEmpty else { return nil }
    let presence = kind.childPresence
    return ChildAttachment(
      kind: kind, presence: presence, feature: feature, key: key, path: path,
      child: presence.flatMap { kind.argument(.child($0), among: arguments) },
      options: kind.argument(.options, among: arguments))
  }
}

extension ReducerKind {
  /// What a call of the operator gives for a parameter; nil if it gives nothing.
  fileprivate func argument(
    _ parameter: Parameter, among arguments: [LuaExpression]
  ) -> LuaExpression? {
    zip(parameters ?? [], arguments).first { $0.0 == parameter }?.1
  }
}

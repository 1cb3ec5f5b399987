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
    if case .call(let callee, _) = value.kind { return LuaReference(callee) == .scripted("array") }
    guard let fields = value.tableFields else { return false }
    if !fields.isEmpty { return fields.allSatisfy { $0.key == nil } }
    return attachments.contains {
      $0.feature == feature && $0.path[...] == path && [.forEach, .stack].contains($0.kind)
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

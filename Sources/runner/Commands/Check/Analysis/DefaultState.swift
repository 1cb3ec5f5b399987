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
}

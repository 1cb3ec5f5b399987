extension ScriptAnalysis {
  /// The fields that the handlers of features read of their action, by the line at which the handler
  /// begins: `["user", "name"]` for `action.user.name`. A function that is given the action is not
  /// followed.
  var actionReads: [Int: [[String]]] {
    var lines: [ObjectIdentifier: Int] = [:]
    for handler in features.flatMap({ $0.definition?.field("on")?.tableFields ?? [] }) {
      guard let body = handler.value.functionLiteral, body.parameters.count > 1 else { continue }
      lines[ObjectIdentifier(body.parameters[1])] = handler.value.resolved.position.line
    }
    var reads: [Int: [[String]]] = [:]
    for index in chunk.indexes where !index.isAssigned {
      guard let (base, names) = index.fieldPath, case .local(let variable) = base.kind,
        let line = lines[ObjectIdentifier(variable)]
      else { continue }
      reads[line, default: []].append(names)
    }
    return reads
  }
}

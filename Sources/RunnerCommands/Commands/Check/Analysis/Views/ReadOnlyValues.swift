/// What views get, which they may only read, and what they pass on of it to other functions of the
/// script.
struct ReadOnlyValues {
  private var names: [ObjectIdentifier: String] = [:]

  init(_ analysis: ScriptAnalysis) {
    for body in analysis.roles.viewFunctions { add(body.parameters, ["its state", "env"]) }
    for node in analysis.viewNodes where node.kind == "forEach" {
      // The function of the rows. Of a range it gets a number, which has no fields.
      add(node.arguments.last?.functionLiteral?.parameters ?? [], ["an element"])
    }
    var count = 0
    while count != names.count {
      count = names.count
      for call in analysis.chunk.calls {
        guard case .call(let callee, let arguments) = call.kind, let body = callee.functionLiteral
        else { continue }
        add(body.parameters, arguments.map(name))
      }
    }
  }

  private mutating func add(_ parameters: [LuaVariable], _ names: [String?]) {
    for (parameter, name) in zip(parameters, names) where !parameter.isAssigned {
      let key = ObjectIdentifier(parameter)
      self.names[key] = self.names[key] ?? name
    }
  }

  /// What a write to a place would change, as `its state` for `state.todos[1].title`; nil for a place
  /// that may be another one.
  func name(of place: LuaExpression) -> String? {
    var current = place.resolved
    for _ in 0..<LuaExpression.maximumSteps {
      switch current.kind {
      case .index(let base, _): current = base.resolved
      case .local(let variable):
        guard let list = variable.elementOf, !variable.isAssigned else {
          return names[ObjectIdentifier(variable)]
        }
        current = list.resolved
      default: return nil
      }
    }
    return nil
  }
}

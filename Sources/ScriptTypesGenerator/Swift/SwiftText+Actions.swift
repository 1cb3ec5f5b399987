extension SwiftText {
  /// - Parameter path: the name of the type from outside.
  mutating func add(_ action: ActionDeclaration, path: String) {
    let head = (action.isIndirect ? "indirect " : "") + "enum \(action.name)"
    block("\(access)\(head): ScriptAction", from: action.source) { text in
      for one in action.cases { text.addCase(one) }
      if !action.cases.isEmpty { text.blankLine() }
      text.block("\(text.access)func encoded() throws -> Value") { text in
        text.line("switch self {")
        for one in action.cases { text.addValue(of: one) }
        text.line("}")
      }
      for nested in action.nested {
        text.blankLine()
        text.add(nested, path: "\(path).\(nested.name)")
      }
    }
    if let store = action.store {
      blankLine()
      line(
        "\(access)typealias \(store.name) = ScriptStore<\(store.state), \(action.name)>",
        from: action.source)
    }
    for one in action.cases {
      guard case .binding(let state, let fields) = one.content, !fields.isEmpty else { continue }
      blankLine()
      addBinding(of: state, fields, from: one.source)
    }
    for scope in action.scopes {
      blankLine()
      add(scope, parent: path)
    }
  }

  private mutating func addCase(_ one: ActionDeclaration.Case) {
    let name = SwiftName.escaped(one.name)
    switch one.content {
    case .fields(let fields) where fields.isEmpty: line("case \(name)", from: one.source)
    case .fields(let fields):
      let labels = fields.map {
        "\(SwiftName.escaped($0.name)): \($0.type.text)" + ($0.type.isOptional ? " = nil" : "")
      }
      list("case \(name)(", labels, ")", from: one.source)
    case .anyFields: line("case \(name)([String: Value] = [:])", from: one.source)
    case .nested(let type): line("case \(name)(\(type))", from: one.source)
    case .element(let id, let type): line("case \(name)(id: \(id.text), \(type))", from: one.source)
    case .stack(let state, let action):
      line("case \(name)(StackAction<\(state), \(action)>)", from: one.source)
    case .binding(let state, _): line("case \(name)(ScriptBinding<\(state)>)", from: one.source)
    }
  }

  private mutating func addValue(of one: ActionDeclaration.Case) {
    let (name, key) = (SwiftName.escaped(one.name), SwiftName.literal(one.key))
    switch one.content {
    case .fields(let fields) where fields.isEmpty:
      line("case .\(name): return .action(\(key))", from: one.source)
    case .fields(let fields):
      // Numbered, as no label may hide another one.
      let names = fields.indices.map { "let field\($0)" }
      list("case .\(name)(", names, "):", from: one.source)
      let values = fields.indices.map {
        ".field(\(SwiftName.literal(fields[$0].key)), field\($0))"
      }
      list("  return try .action(", [key] + values, ")", from: one.source)
    case .anyFields:
      line("case .\(name)(let fields): return .action(\(key), fields: fields)", from: one.source)
    case .element:
      line("case .\(name)(let id, let action):", from: one.source)
      line("  return try .action(\(key), id: id, action)", from: one.source)
    case .nested, .stack:
      line("case .\(name)(let action): return try .action(\(key), action)", from: one.source)
    case .binding:
      line("case .\(name)(let binding): return try binding.encoded()", from: one.source)
    }
  }

  private mutating func addBinding(of state: String, _ fields: [Property], from source: SourceLine?)
  {
    block("extension ScriptBinding where State == \(state)", from: source) { text in
      for field in fields {
        let (name, key) = (SwiftName.escaped(field.name), SwiftName.literal(field.key))
        text.block(
          "\(text.access)static func \(name)(_ value: \(field.type.text)) -> ScriptBinding",
          from: field.source
        ) { $0.line("ScriptBinding(key: \(key), value)") }
      }
    }
  }

  private mutating func add(_ scope: ActionDeclaration.Scope, parent: String) {
    let constraint =
      "Parent == \(parent), State == \(scope.state), Action == \(scope.childAction)"
    let names = "of: \(SwiftName.literal(scope.key)), action: \(SwiftName.literal(scope.action))"
    let name = SwiftName.escaped(scope.name)
    block("extension ScriptScope where \(constraint)", from: scope.source) { text in
      switch scope.kind {
      case .child:
        text.line("\(text.access)static var \(name): ScriptScope { ScriptScope(\(names)) }")
      case .element(let id):
        text.block("\(text.access)static func \(name)(id: \(id.text)) -> ScriptScope") {
          $0.line("ScriptScope(element: id, \(names))")
        }
      }
    }
  }
}

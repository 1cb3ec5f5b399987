/// Text of Swift that knows which line of a script each of its lines comes from.
struct SwiftText {
  struct Line {
    let text: String
    let source: SourceLine?
  }

  /// In front of each declaration: `public `, `package ` or nothing.
  let access: String
  private(set) var lines: [Line] = []
  private var indent = 0
  private var source: SourceLine?

  init(_ access: SwiftTypes.Access) {
    self.access = access == .internal ? "" : access.rawValue + " "
  }

  var text: String { lines.map { $0.text + "\n" }.joined() }

  mutating func line(_ text: String, from source: SourceLine? = nil) {
    let text = text.isEmpty ? "" : String(repeating: "  ", count: indent) + text
    lines.append(Line(text: text, source: source ?? self.source))
  }

  mutating func blankLine() { line("") }

  /// A block in braces, whose lines come from `source` unless they say otherwise.
  mutating func block(
    _ head: String, from source: SourceLine? = nil, _ body: (inout SwiftText) -> Void
  ) {
    let outer = self.source
    self.source = source ?? outer
    defer { self.source = outer }
    line(head + " {")
    indent += 1
    body(&self)
    indent -= 1
    line("}")
  }

  /// A list of items in brackets: on one line if that has a hundred characters at most, else one item
  /// a line.
  mutating func list(_ head: String, _ items: [String], _ tail: String, from source: SourceLine?) {
    let short = head + items.joined(separator: ", ") + tail
    guard indent * 2 + short.count > 100, !items.isEmpty else { return line(short, from: source) }
    line(head, from: source)
    indent += 1
    for (index, item) in items.enumerated() {
      line(index + 1 < items.count ? item + "," : item, from: source)
    }
    indent -= 1
    line(tail, from: source)
  }
}

extension SwiftText {
  mutating func add(_ declaration: Declaration) {
    switch declaration {
    case .structure(let structure): add(structure)
    case .literals(let literals): add(literals)
    case .cases(let cases): add(cases)
    case .action(let action): add(action, path: action.name)
    }
  }

  private mutating func add(_ structure: StructDeclaration) {
    let isIdentifiable = structure.properties.contains {
      $0.name == "id" && ($0.type == .int || $0.type == .string)
    }
    let protocols = "Codable, Sendable, Equatable" + (isIdentifiable ? ", Identifiable" : "")
    block("\(access)struct \(structure.name): \(protocols)", from: structure.source) { text in
      for property in structure.properties {
        text.line(
          "\(text.access)var \(SwiftName.escaped(property.name)): \(property.type.text)",
          from: property.source)
      }
      if !text.access.isEmpty {
        text.blankLine()
        text.addInitializer(of: structure)
      }
      if structure.properties.contains(where: { $0.name != $0.key }) {
        text.blankLine()
        text.block("enum CodingKeys: String, CodingKey") { text in
          for property in structure.properties {
            let name = SwiftName.escaped(property.name)
            text.line(
              property.name == property.key
                ? "case \(name)" : "case \(name) = \(SwiftName.literal(property.key))",
              from: property.source)
          }
        }
      }
      for nested in structure.nested {
        text.blankLine()
        text.add(nested)
      }
    }
  }

  /// Swift makes this one by itself, but only for the structure's own module.
  private mutating func addInitializer(of structure: StructDeclaration) {
    let names = structure.properties.map { SwiftName.escaped($0.name) }
    let parameters = zip(names, structure.properties).map { name, property in
      "\(name): \(property.type.text)" + (property.type.isOptional ? " = nil" : "")
    }
    list("\(access)init(", parameters, ") {", from: structure.source)
    for name in names { line("  self.\(name) = \(name)", from: structure.source) }
    line("}", from: structure.source)
  }

  private mutating func add(_ literals: LiteralsDeclaration) {
    let protocols = "\(literals.rawType.text), Codable, Sendable, CaseIterable"
    block("\(access)enum \(literals.name): \(protocols)", from: literals.source) { text in
      for (name, literal) in literals.cases {
        let escaped = SwiftName.escaped(name)
        let isPlain = SwiftName.literal(name) == literal
        text.line(isPlain ? "case \(escaped)" : "case \(escaped) = \(literal)")
      }
    }
  }

  private mutating func add(_ cases: CasesDeclaration) {
    let head = (cases.isIndirect ? "indirect " : "") + "enum \(cases.name)"
    block("\(access)\(head): Codable, Sendable, Equatable", from: cases.source) { text in
      for property in cases.cases {
        text.line("case \(SwiftName.escaped(property.name))(\(property.type.text))")
      }
      text.blankLine()
      text.block("\(text.access)init(from decoder: any Decoder) throws") { text in
        let keys = cases.cases.map { SwiftName.literal($0.key) }
        text.list(
          "let state = try TaggedState(from: decoder, cases: [", keys, "])", from: cases.source)
        text.line("switch state.name {")
        for (index, property) in cases.cases.enumerated() {
          let label =
            index + 1 < cases.cases.count ? "case \(SwiftName.literal(property.key))" : "default"
          text.line("\(label): self = .\(SwiftName.escaped(property.name))(try state.decoded())")
        }
        text.line("}")
      }
      text.blankLine()
      text.block("\(text.access)func encode(to encoder: any Encoder) throws") { text in
        text.line("switch self {")
        for property in cases.cases {
          let key = SwiftName.literal(property.key)
          text.line("case .\(SwiftName.escaped(property.name))(let state):")
          text.line("  try TaggedState.encode(state, as: \(key), to: encoder)")
        }
        text.line("}")
      }
    }
  }
}

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

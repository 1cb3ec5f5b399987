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

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
    block("struct \(structure.name): \(protocols)", from: structure.source) { text in
      for property in structure.properties {
        text.line(
          "var \(SwiftName.escaped(property.name)): \(property.type.text)", from: property.source)
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

  private mutating func add(_ literals: LiteralsDeclaration) {
    let protocols = "\(literals.rawType.text), Codable, Sendable, CaseIterable"
    block("enum \(literals.name): \(protocols)", from: literals.source) { text in
      for (name, literal) in literals.cases {
        let escaped = SwiftName.escaped(name)
        let isPlain = SwiftName.literal(name) == literal
        text.line(isPlain ? "case \(escaped)" : "case \(escaped) = \(literal)")
      }
    }
  }

  private mutating func add(_ cases: CasesDeclaration) {
    let head = (cases.isIndirect ? "indirect " : "") + "enum \(cases.name)"
    block("\(head): Codable, Sendable, Equatable", from: cases.source) { text in
      for property in cases.cases {
        text.line("case \(SwiftName.escaped(property.name))(\(property.type.text))")
      }
      text.blankLine()
      text.block("init(from decoder: any Decoder) throws") { text in
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
      text.block("func encode(to encoder: any Encoder) throws") { text in
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

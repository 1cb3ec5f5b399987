/// Names of Lua as names of Swift.
enum SwiftName {
  private static let keywords: Set = [
    "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
    "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
    "Any", "Self", "Type", "Protocol",
  ]
  /// Types that generated code names, which a generated type would hide.
  private static let types: Set = [
    "Action", "Any", "Array", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys",
    "Decoder", "Dictionary", "Double", "Encoder", "Equatable", "Identifiable", "Int", "Optional",
    "PresentationAction", "Protocol", "ScriptAction", "ScriptBinding", "ScriptScope", "ScriptStore",
    "Self", "Sendable", "StackAction", "StackElement", "Store", "String", "TaggedState", "Type",
    "Value",
  ]

  /// A property, a case or a label: `isOn` of `is-on` and `is on`. Nil if nothing of the name can stay.
  static func identifier(_ name: String) -> String? {
    var identifier = ""
    var beginsWord = false
    for character in name {
      guard character.isIdentifierPart else {
        beginsWord = !identifier.isEmpty
        continue
      }
      identifier += beginsWord ? character.uppercased() : String(character)
      beginsWord = false
    }
    guard let first = identifier.first, identifier.contains(where: { $0 != "_" }) else {
      return nil
    }
    return first.isNumber ? "_" + identifier : identifier
  }

  /// The identifier as it stands in code.
  static func escaped(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  /// A type: `SyncUp` of `sync_up`, `sync-up` and `syncUp`. Nil if nothing of the name can stay.
  static func type(_ name: String) -> String? {
    let words = name.split { !$0.isIdentifierPart || $0 == "_" }
    let type = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    guard let first = type.first else { return nil }
    let escaped = first.isNumber ? "_" + type : type
    return types.contains(escaped) ? escaped + "Value" : escaped
  }

  /// A text as a literal of Swift.
  static func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\" + String(scalar)
      case _ where scalar.value < 32 || scalar.value == 127:
        literal += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return "\"\(literal)\""
  }
}

extension Character {
  /// Only letters that every version of Swift takes. Combining marks and emoji are left out.
  fileprivate var isIdentifierPart: Bool {
    unicodeScalars.count == 1 && (isLetter || self == "_" || isASCII && isNumber)
  }
}

/// A type that is generated.
enum Declaration {
  case structure(StructDeclaration)
  case literals(LiteralsDeclaration)
  case cases(CasesDeclaration)
  case action(ActionDeclaration)
}

/// A field of a state, or of a table in one.
struct Property {
  /// The key in Lua.
  let key: String
  let name: String
  var type: SwiftType
  let source: SourceLine?
}

struct StructDeclaration {
  let name: String
  var properties: [Property]
  var nested: [Declaration]
  let source: SourceLine?
}

/// An enum of texts or of integers.
struct LiteralsDeclaration {
  let name: String
  let rawType: SwiftType
  /// The names in Swift and the literals.
  let cases: [(name: String, literal: String)]
  let source: SourceLine?
}

/// The state of `scripted.cases`.
struct CasesDeclaration {
  let name: String
  let cases: [Property]
  let isIndirect: Bool
  let source: SourceLine?
}

struct ActionDeclaration {
  enum Content {
    /// No payload, or the fields that an annotation names.
    case fields([Property])
    /// A payload that is not known.
    case anyFields
    /// The action of a child or of an own group, by the name of its type.
    case nested(String)
    /// The action of an element.
    case element(id: SwiftType, String)
    /// The actions of a stack: the names of the types of its state and of its action.
    case stack(state: String, action: String)
    /// A binding: its fields belong to the state with this name.
    case binding(state: String, fields: [Property])
  }

  struct Case {
    let key: String
    let name: String
    let content: Content
    let source: SourceLine?
  }

  /// What `ScriptStore.scope` finds: a child, and its types.
  struct Scope {
    enum Kind {
      case child
      case element(id: SwiftType)
    }

    let key: String
    let action: String
    let name: String
    let kind: Kind
    let state: String
    let childAction: String
    let source: SourceLine?
  }

  let name: String
  var cases: [Case]
  var nested: [ActionDeclaration]
  var scopes: [Scope]
  var isIndirect = false
  /// The name of the type of its store, and that of its state; nil for what is no feature.
  var store: (name: String, state: String)?
  let source: SourceLine?
}

/// A type in generated Swift.
indirect enum SwiftType: Hashable {
  case int, double, string, bool
  /// Any value: `Value`.
  case value
  /// A generated type, or a generic one of the library.
  case named(String)
  case optional(SwiftType)
  case array(SwiftType)
  case dictionary(SwiftType)

  var text: String {
    switch self {
    case .int: "Int"
    case .double: "Double"
    case .string: "String"
    case .bool: "Bool"
    case .value: "Value"
    case .named(let name): name
    case .optional(let type): type.text + "?"
    case .array(let type): "[\(type.text)]"
    case .dictionary(let type): "[String: \(type.text)]"
    }
  }

  var isOptional: Bool { if case .optional = self { true } else { false } }

  /// The optional of this type; the type itself if it is one.
  var asOptional: SwiftType { isOptional ? self : .optional(self) }
}

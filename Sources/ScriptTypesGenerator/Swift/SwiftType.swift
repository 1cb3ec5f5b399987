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

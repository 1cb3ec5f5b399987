import ScriptValue

/// How a child can be dismissed.
enum Presentation {
  /// By the action `dismiss`, as the child of an `ifLet`.
  case presented
  /// By the action `popFrom`, as an element of a stack.
  case stacked
}

extension Presentation {
  /// The operator's action that dismisses the child, which has this key in a stack. Nil if the
  /// action nests too deep.
  func dismissal(type: String, key: Value?) -> Value? {
    switch self {
    case .presented: return Value.nesting(["type": "dismiss"], type: type)
    case .stacked: return Value.nesting(["type": "popFrom", "id": key ?? .null], type: type)
    }
  }

  /// The override that makes `deps.isPresented` true for a child.
  static func override(origin: String) -> DependencyOverride {
    DependencyOverride("isPresented", .script(true), origin: origin)
  }
}

import LuaBridge

/// How a child can be let go of.
enum Presentation {
  /// By `dismiss`, as what `ifLet` presents.
  case presented
  /// By `popFrom`, as an element of a stack.
  case stacked
}

extension Presentation {
  /// The action of its operator that lets go of the child (the element with this key).
  func dismissal(type: String, key: Value?) -> Value? {
    switch self {
    case .presented: return Value.nesting(["type": "dismiss"], type: type)
    case .stacked: return Value.nesting(["type": "popFrom", "id": key ?? .null], type: type)
    }
  }

  /// Lets `deps.isPresented` be true for a child.
  static func override(origin: String) -> DependencyOverride {
    DependencyOverride("isPresented", .script(true), origin: origin)
  }
}

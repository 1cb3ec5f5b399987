import LuaBridge

/// When an operator's child is there, and where in the operator's state: the shape of an operator with a child.
///
/// What tells operators apart by this, as the generator of Swift types does, switches over the cases, so that the
/// compiler names all places that a new shape concerns.
package enum ChildPresence: Sendable, Hashable {
  /// The child is always there, as that of `scope`.
  case always
  /// The child may be absent, and can be dismissed, as that of `ifLet`.
  case optional
  /// The child is each element of a list, or each value of an object, as that of `forEach`.
  case elements
  /// The child is each element of a navigation stack, and can be popped, as that of `stack`.
  case stack
  /// The child is the state's case while the state is in it, as that of `ifCaseLet`.
  case inCase

  /// Whether an action says by an id which child it is for.
  package var hasIDs: Bool {
    switch self {
    case .always, .optional, .inCase: false
    case .elements, .stack: true
    }
  }

  /// How the child can be dismissed; nil if it cannot.
  var presentation: Presentation? {
    switch self {
    case .always, .elements, .inCase: nil
    case .optional: .presented
    case .stack: .stacked
    }
  }
}

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

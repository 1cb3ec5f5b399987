/// `ignored`: nothing runs on a value.
class ValueNode: ReducerNode {}

/// `ephemeral`: nothing runs on it, and its `ifLet` lets go of it after an action.
final class EphemeralNode: ValueNode {}

/// What of a domain goes by itself after an action.
enum Ephemeral {
  case none
  case whole
  case cases([String])

  /// A case does, too.
  mutating func add(_ name: String) {
    if case .cases(let names) = self {
      self = .cases(names + [name])
    } else {
      self = .cases([name])
    }
  }
}

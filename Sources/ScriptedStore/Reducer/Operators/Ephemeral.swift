/// `ignored`: a value that no reducer runs on.
class IgnoredNode: ReducerNode {}

/// `ephemeral`: a value that no reducer runs on, and that its `ifLet` dismisses after an action.
final class EphemeralNode: IgnoredNode {}

/// The part of a domain's state that is dismissed after an action: nothing, the whole state, or the
/// cases with these names.
enum Ephemeral {
  case none
  case whole
  case cases([String])

  /// Makes a case ephemeral.
  mutating func add(_ name: String) {
    if case .cases(let names) = self {
      self = .cases(names + [name])
    } else {
      self = .cases([name])
    }
  }
}

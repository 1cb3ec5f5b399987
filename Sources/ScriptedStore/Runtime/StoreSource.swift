/// What a store was made of. A reload uses it to compile the store's code from the new scripts.
final class StoreSource: Sendable {
  enum Reducing: Sendable {
    /// The name of a module, or a path that ends in `.lua`.
    case feature(String)
    case reducer(Reducer)
  }

  let reducing: Reducing
  /// The dependencies that the store overrides.
  let dependencies: [String: Dependency]

  init(_ reducing: Reducing, dependencies: [String: Dependency]) {
    self.reducing = reducing
    self.dependencies = dependencies
  }
}

/// The state that a store begins with, and that ``ScriptHost/reset()`` gives it again.
enum InitialState {
  /// The initial state of a feature, in which the top-level keys of `overrides` are replaced.
  case feature(String, overrides: Value?)
  /// A state that the host gave as a whole.
  case given(Value)
}

/// What a store was made of, as long as it exists.
struct StoreOrigin {
  /// A reload compiles the store from it again; nil for a store that stays on its generation.
  var source: StoreSource?
  /// Nil for stores of tests and replays, which are not reset.
  var initial: InitialState?
  /// The limits of the store's own; nil for those of the host.
  var limits: TurnLimits?
}

/// The compiled code of a store in one generation.
struct StoreCode {
  let domain: Domain
  let dependencies: DependencyScope
}

extension Generation {
  func code(for source: StoreSource) throws(ScriptError) -> StoreCode {
    let domain =
      switch source.reducing {
      case .feature(let name): try feature(name).domain
      case .reducer(let reducer): try compiler.domain(of: reducer)
      }
    return StoreCode(domain: domain, dependencies: try scope(source.dependencies))
  }
}

/// What a store was made of, so that it can be made of other scripts again.
final class StoreSource: Sendable {
  enum Reducing: Sendable {
    /// A module's name, or a path that ends in `.lua`.
    case feature(String)
    case reducer(Reducer)
  }

  let reducing: Reducing
  /// What its scripts find in `deps` instead of the host's.
  let dependencies: [String: Dependency]

  init(_ reducing: Reducing, dependencies: [String: Dependency]) {
    self.reducing = reducing
    self.dependencies = dependencies
  }
}

/// What a store of a source runs in one generation.
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

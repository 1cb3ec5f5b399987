/// Which of a dependency's values a host's stores get.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  case live
  /// The preview value where there is one, else the live one.
  case preview
  /// The test value. Of a dependency without one the values can be read, but calling it raises.
  case test
}

/// The dependencies that a host offers to scripts, by name; as TCA's `DependencyValues`.
///
/// ```swift
/// var dependencies = Dependencies()
/// dependencies.register("numberFact", live: .client([
///   "fetch": .asyncFunction("number") { (number: Int) in try await facts.fetch(number) }
/// ]))
/// let host = try ScriptHost(root: "scripts", configuration: .init(dependencies: dependencies))
/// ```
public struct Dependencies: Sendable {
  struct Registration: Sendable {
    let live: Dependency
    let preview: Dependency?
    let test: Dependency?
  }

  private(set) var registrations: [String: Registration]

  /// What is always there: `date`, `uuid`, `random` and `log`.
  public init() { registrations = Dependencies.builtIn }

  /// Offers `live` as `deps.<name>`, or what else there is for another ``DependencyContext``. A second one of a
  /// name, which may be that of a built-in one, replaces the first.
  public mutating func register(
    _ name: String, live: Dependency, preview: Dependency? = nil, test: Dependency? = nil
  ) {
    registrations[name] = Registration(live: live, preview: preview, test: test)
  }

  /// All names, sorted.
  public var names: [String] { registrations.keys.sorted() }
}

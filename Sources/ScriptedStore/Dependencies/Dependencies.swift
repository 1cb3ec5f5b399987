/// Which value of each dependency the stores of a host get.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  case live
  /// The preview value if there is one, else the live one.
  case preview
  /// The test value. A dependency without one is unimplemented: its values can be read, but calling
  /// its functions raises.
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
  typealias Registration = ContextValues<Dependency>

  private(set) var registrations: [String: Registration]

  /// Creates the built-in dependencies: `date`, `uuid`, `random` and `log`.
  public init() { registrations = Dependencies.builtIn }

  /// Offers a dependency as `deps.<name>`: `live`, or the value for another ``DependencyContext``.
  /// A name that is registered again replaces the earlier one, also a built-in one. The functions
  /// of a `log` without a test value do nothing in tests.
  public mutating func register(
    _ name: String, live: Dependency, preview: Dependency? = nil, test: Dependency? = nil
  ) {
    registrations[name] = Registration(
      live: live, preview: preview, test: test ?? (name == "log" ? live.silent : nil))
  }

  /// The names of all dependencies, sorted.
  public var names: [String] { registrations.keys.sorted() }
}

/// What one dependency is in each ``DependencyContext``.
struct ContextValues<Content> {
  let live: Content
  let preview: Content?
  let test: Content?
}

extension ContextValues: Sendable where Content: Sendable {}

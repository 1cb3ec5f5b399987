import LuaBridge

extension Reducer {
  /// `self` as a reducer of a parent: it runs on the parent's object at `state`, for actions
  /// `{ type = action, action = … }`. This was `pullback` in TCA before 1.0;
  /// ``scope(_:action:_:file:line:)`` attaches a child to its parent.
  ///
  /// ```swift
  /// let app = Reducer.combine(
  ///   .script("counter").pullback(state: "first"), .script("counter").pullback(state: "second"),
  ///   .script("app"))
  /// ```
  ///
  /// - Parameters:
  ///   - state: the dotted path of the object.
  ///   - action: the type of its actions in the parent; by default the last segment of `state`.
  ///   - dependencies: what it finds in `deps` in place of the parent's dependencies.
  ///   - file: the file that calls this, for messages.
  ///   - line: the line that calls this, for messages.
  public func pullback(
    state: String, action: String? = nil, dependencies: [String: Dependency] = [:],
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let child = dependencies.sorted { $0.key < $1.key }
      .reduce(self) { $0.dependency($1.key, $1.value, file: file, line: line) }
    return Reducer.empty.attaching(
      child, at: Reducer.path(state), action: action, origin: "pullback at \(file):\(line)",
      ReducerCompiler.scope)
  }
}

extension ReducerCompiler {
  func environment(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    guard case .function(let make) = try description.get("make") else {
      throw ScriptError("\(origin) has no function")
    }
    return EnvironmentNode(
      base: try compile(try description.base(origin), &builder), make: make, origin: origin)
  }
}

/// Runs a reducer with the dependencies that a script's function returns: the `dependencies` of
/// `pullback`, as the environment of TCA before 1.0. The function gets the `deps` around this
/// reducer.
final class EnvironmentNode: OverridingNode {
  private let make: LuaFunction
  /// The overrides that the function returned in a scope, by the scope's number.
  private var made: [UInt64: [DependencyOverride]] = [:]
  /// The most scopes in ``made``. Each store with its own dependencies has a scope, and the entry
  /// of a store that is gone is only dropped when this limit is reached.
  private static let scopeLimit = 256

  init(base: ReducerNode, make: LuaFunction, origin: String) {
    self.make = make
    super.init(base, origin: origin)
  }

  override func scope(inside outer: DependencyScope) throws(ScriptError) -> DependencyScope {
    var scope = outer
    for override in try overrides(in: outer) { scope = override.scope(inside: scope) }
    return scope
  }

  private func overrides(in scope: DependencyScope) throws(ScriptError) -> [DependencyOverride] {
    if let known = made[scope.number] { return known }
    let deps = try DependencyTable(scope: scope, feature: origin, isRecorded: false).make()
    guard case .table(let table) = try make.call([.other(deps)]).at(0) else {
      throw ScriptError("\(origin): `dependencies` must return a table of dependencies by name")
    }
    var overrides: [DependencyOverride] = []
    for (key, value) in try table.entries() {
      guard case .string(let name) = key else {
        throw ScriptError("\(origin): `dependencies` must return a table of dependencies by name")
      }
      try scope.registry.check(name, origin: origin)
      overrides.append(DependencyOverride(name, .script(value), origin: origin))
    }
    if made.count >= EnvironmentNode.scopeLimit { made = [:] }
    overrides.sort { $0.name < $1.name }
    made[scope.number] = overrides
    return overrides
  }
}

extension Reducer {
  /// `self` for a child whose state may be absent. An action that arrives while it is absent is a
  /// runtime warning that names this operator. This was `optional` in TCA before 1.0, where it
  /// stood before `pullback`.
  public func optional(file: StaticString = #fileID, line: UInt = #line) -> Reducer {
    let origin = "optional at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.optional(.swift(self), origin, &builder)
    }
  }
}

extension ReducerCompiler {
  /// Compiles `base` itself. The origin is what a scope's warning about an absent child names.
  func optional(
    _ base: ReducerSource, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.optionalOrigin = origin
    return try compile(base, &builder)
  }
}

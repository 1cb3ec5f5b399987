import LuaBridge

/// A reducer that finds in `deps` what a script's function of the `deps` around it returns: the `dependencies` of
/// `pullback`, as the environment of TCA before 1.0.
final class EnvironmentNode: AroundNode {
  private let make: LuaFunction
  private let registry: DependencyRegistry
  /// What the function returned in a scope, by its number.
  private var made: [UInt64: [DependencyOverride]] = [:]
  /// Stores with dependencies of their own each have a scope; what was made for one that is gone goes in time.
  private static let most = 256

  init(base: ReducerNode, make: LuaFunction, registry: DependencyRegistry, origin: String) {
    self.make = make
    self.registry = registry
    super.init(base, origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let outer = context.dependencies
    var scope = outer.takeUnretainedValue()
    for override in try overrides(in: scope) { scope = override.scope(inside: scope) }
    context.dependencies = .passUnretained(scope)
    defer { context.dependencies = outer }
    return try base.reduce(context, draft, action)
  }

  private func overrides(in scope: DependencyScope) throws(ScriptError) -> [DependencyOverride] {
    if let known = made[scope.number] { return known }
    let deps = try DependencyRecord(scope: scope, feature: origin).make()
    guard case .table(let table) = try make.call([.other(deps)]).at(0) else {
      throw ScriptError("\(origin): `dependencies` must return a table of dependencies by name")
    }
    var overrides: [DependencyOverride] = []
    for (key, value) in try table.entries() {
      guard case .string(let name) = key else {
        throw ScriptError("\(origin): `dependencies` must return a table of dependencies by name")
      }
      try registry.check(name, origin: origin)
      overrides.append(DependencyOverride(name, .script(value), origin: origin))
    }
    if made.count >= EnvironmentNode.most { made = [:] }
    overrides.sort { $0.name < $1.name }
    made[scope.number] = overrides
    return overrides
  }

  override var outline: NodeOutline { NodeOutline(kind: "pullback", parts: [base]) }
}

extension Reducer {
  /// `self` as a reducer of a parent: of the object at `state` there, for actions `{ type = action, action = … }`. What
  /// was `pullback` in TCA before 1.0; ``scope(_:action:_:file:line:)`` attaches a child to its parent.
  ///
  /// ```swift
  /// let app = Reducer.combine(
  ///   .script("counter").pullback(state: "first"), .script("counter").pullback(state: "second"),
  ///   .script("app"))
  /// ```
  ///
  /// - Parameters:
  ///   - state: a dotted path.
  ///   - action: the type of its actions in the parent; the last segment of `state` without.
  ///   - dependencies: what it finds in `deps` instead of what its parent does.
  public func pullback(
    state: String, action: String? = nil, dependencies: [String: Dependency] = [:],
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let child = dependencies.sorted { $0.key < $1.key }
      .reduce(self) { $0.dependency($1.key, $1.value, file: file, line: line) }
    let path = Reducer.path(state)
    return Reducer(
      .scope(base: .empty, path: path, action: action ?? path[path.count - 1], child: child),
      origin: "pullback at \(file):\(line)")
  }

  /// `self` for a child that may be absent: an action that comes then is a runtime warning that names this. What was
  /// `optional` in TCA before 1.0, before `pullback`.
  public func optional(file: StaticString = #fileID, line: UInt = #line) -> Reducer {
    Reducer(.optional(base: self), origin: "optional at \(file):\(line)")
  }
}

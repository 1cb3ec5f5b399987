import LuaBridge

extension Reducer {
  /// `self`, everything below it and their effects find `dependency` as `deps.<name>`. A client
  /// replaces only the members that it names. As TCA's `dependency`.
  ///
  /// The innermost override wins. Making a store throws if neither the host nor a script offers
  /// `name`.
  ///
  /// ```swift
  /// Reducer.script("onboarding").dependency("date", .constantDate(0))
  /// ```
  public func dependency(
    _ name: String, _ dependency: Dependency, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    overriding(name, origin: "dependency at \(file):\(line)") { .host(dependency) }
  }

  /// Overrides a dependency like ``dependency(_:_:file:line:)``, with what `transform` returns for
  /// the current one. As TCA's `transformDependency`. It runs inside the VM's lock, when a script
  /// first reads `deps.<name>`. Functions of scripts in the current dependency are opaque:
  /// `transform` can return them, and nothing else.
  public func transformDependency(
    _ name: String, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Dependency) throws -> Dependency
  ) -> Reducer {
    overriding(name, origin: "transformDependency at \(file):\(line)") { .hostTransform(transform) }
  }

  private func overriding(
    _ name: String, origin: String, by change: @escaping @Sendable () -> DependencyOverride.Change
  ) -> Reducer {
    Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.dependency(
        .swift(self), DependencyOverride(name, change(), origin: origin), &builder)
    }
  }
}

extension ReducerCompiler {
  func dependency(
    _ base: ReducerSource, _ override: DependencyOverride, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    // The base is compiled first: a script in it may declare the dependency.
    let base = try compile(base, &builder)
    try dependencies.check(override.name, origin: override.origin)
    return DependencyNode(base: base, override: override)
  }

  func dependency(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let name = try description.string("dependency") ?? ""
    // A script's error about the name comes before those of its base.
    try dependencies.check(name, origin: origin)
    let change: DependencyOverride.Change
    if case .function(let transform) = try description.get("transform") {
      change = .scriptTransform(transform)
    } else {
      change = .script(try description.get("value"))
    }
    return try dependency(
      try description.base(origin), DependencyOverride(name, change, origin: origin), &builder)
  }
}

/// Runs all code of a reducer, of everything below it and of their effects in a scope of dependencies of
/// its own.
class OverridingNode: WrapperNode {
  /// The scope in which the reducer runs. `outer` is the scope around this node.
  func scope(inside outer: DependencyScope) throws(ScriptError) -> DependencyScope { outer }

  final override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let outer = context.dependencies
    context.dependencies = .passUnretained(try scope(inside: outer.takeUnretainedValue()))
    defer { context.dependencies = outer }
    return try base.reduce(context, draft, action)
  }

  final override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard base.reacts else { return .none }
    let outer = context.dependencies
    context.dependencies = .passUnretained(try scope(inside: outer.takeUnretainedValue()))
    defer { context.dependencies = outer }
    return try super.react(context, draft, old: old, action)
  }
}

/// Runs a reducer, everything below it and their effects with one dependency overridden. As TCA's
/// `dependency` and `transformDependency`.
final class DependencyNode: OverridingNode {
  private let override: DependencyOverride

  init(base: ReducerNode, override: DependencyOverride) {
    self.override = override
    super.init(base, origin: override.origin)
  }

  override func scope(inside outer: DependencyScope) -> DependencyScope {
    override.scope(inside: outer)
  }

  override var outline: NodeOutline {
    NodeOutline(kind: "dependency", key: override.name)
  }
}

import LuaBridge

/// Runs a reducer, everything below it and their effects with one dependency overridden. As TCA's
/// `dependency` and `transformDependency`.
final class DependencyNode: WrapperNode {
  private let override: DependencyOverride

  init(base: ReducerNode, override: DependencyOverride) {
    self.override = override
    super.init(base, origin: override.origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let outer = context.dependencies
    context.dependencies = .passUnretained(override.scope(inside: outer.takeUnretainedValue()))
    defer { context.dependencies = outer }
    return try base.reduce(context, draft, action)
  }

  override var outline: NodeOutline {
    NodeOutline(kind: "dependency", key: override.name, parts: [base])
  }
}

extension Reducer {
  /// `self`, everything below it and their effects find `dependency` as `deps.<name>`. A client
  /// replaces only the members that it names. As TCA's `dependency`.
  ///
  /// The innermost override wins. Making a store throws if neither the host nor a script offers
  /// `name`.
  public func dependency(
    _ name: String, _ dependency: Dependency, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    Reducer(
      .dependency(base: self, name: name, .dependency(dependency)),
      origin: "dependency at \(file):\(line)")
  }

  /// Overrides a dependency like ``dependency(_:_:file:line:)``, with what `transform` returns for
  /// the current one. As TCA's `transformDependency`. It runs inside the VM's lock, when a script
  /// first reads `deps.<name>`. Functions of scripts in the current dependency are opaque:
  /// `transform` can return them, and nothing else.
  public func transformDependency(
    _ name: String, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Dependency) throws -> Dependency
  ) -> Reducer {
    Reducer(
      .dependency(base: self, name: name, .transform(transform)),
      origin: "transformDependency at \(file):\(line)")
  }

  /// How an operator in Swift changes a dependency.
  enum DependencyChange: Sendable {
    case dependency(Dependency)
    case transform(@Sendable (Dependency) throws -> Dependency)
  }
}

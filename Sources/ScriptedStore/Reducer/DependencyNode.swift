import LuaBridge

/// A reducer that sees a dependency overridden, with all below it and their effects; as TCA's `dependency` and
/// `transformDependency`.
final class DependencyNode: AroundNode {
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
  /// `self` and all below it find `dependency` as `deps.<name>`, in their effects too. A client replaces only the
  /// members that it names. As TCA's `dependency`.
  ///
  /// The innermost override wins. A store of a reducer that overrides what nobody offers cannot be made.
  public func dependency(
    _ name: String, _ dependency: Dependency, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    Reducer(
      .dependency(base: self, name: name, .dependency(dependency)),
      origin: "dependency at \(file):\(line)")
  }

  /// The same with what `transform` makes of the current one, as TCA's `transformDependency`. It runs when a script
  /// first reads `deps.<name>`, inside the VM's lock. Scripts' functions in the current one are opaque: they can be
  /// put back, and nothing else.
  public func transformDependency(
    _ name: String, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Dependency) throws -> Dependency
  ) -> Reducer {
    Reducer(
      .dependency(base: self, name: name, .transform(transform)),
      origin: "transformDependency at \(file):\(line)")
  }

  /// How an operator changes a dependency.
  enum DependencyChange: Sendable {
    case dependency(Dependency)
    case transform(@Sendable (Dependency) throws -> Dependency)
  }
}

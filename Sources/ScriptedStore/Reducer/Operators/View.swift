import LuaBridge

extension Reducer {
  /// Draws a state: returns a node, as `Value.object` with a `kind`, or null for nothing.
  public typealias ViewBody =
    @Sendable (_ state: ViewState, _ environment: ViewState) throws -> Value

  /// Gives the reducer a view, which counts instead of those in it. `docs/view-api.md` says what it may return.
  ///
  /// The view runs again when something has changed that it has read of `state` and `environment`.
  ///
  /// ```swift
  /// let app = Reducer.script("counter").view { state, _ in
  ///   ["kind": "text", "text": .string("Count: \(state["count"].int ?? 0)")]
  /// }
  /// ```
  public func view(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping ViewBody
  ) -> Reducer {
    let origin = "view at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      let base = try compiler.compile(.swift(self), &builder)
      return compiler.view(.host(body), base, origin, builder)
    }
  }
}

extension ReducerCompiler {
  func view(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try compile(try description.base(origin), &builder)
    guard let handler = try description.handler("view") else {
      throw ScriptError("\(origin) has no function")
    }
    return view(.script(handler), base, origin, builder)
  }

  fileprivate func view(
    _ body: ViewFunction.Body, _ base: ReducerNode, _ origin: String,
    _ builder: borrowing DomainBuilder
  ) -> ReducerNode {
    let name = builder.name ?? origin
    let view = ViewFunction(
      body: body, owner: modules.vm.arena.pointee.owner(named: name), feature: name,
      origin: origin)
    return ViewNode(base, view, origin: origin)
  }
}

/// A reducer with a view.
final class ViewNode: WrapperNode {
  init(_ base: ReducerNode, _ view: ViewFunction, origin: String) {
    super.init(base, origin: origin, feature: base.feature, view: view)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    try base.reduce(context, draft, action)
  }
}

import LuaBridge

extension Reducer {
  /// Runs `child` on the object at `key` for actions `{ type = action, action = … }`, then `self`.
  /// As TCA's `Scope`.
  ///
  /// ```swift
  /// Reducer.script("app").scope("settings", .script("settings"))
  /// ```
  ///
  /// - Parameters:
  ///   - key: the dotted path of the object.
  ///   - action: the type of the child's actions; by default the last segment of `key`.
  ///   - child: the reducer of the child.
  ///   - file: the file that calls this, for messages.
  ///   - line: the line that calls this, for messages.
  public func scope(
    _ key: String, action: String? = nil, _ child: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    attaching(
      child, at: Reducer.path(key), action: action, origin: "scope at \(file):\(line)",
      ReducerCompiler.scope)
  }
}

extension ReducerCompiler {
  func scope(
    _ scope: ChildOperator, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let child = try reference(to: scope.child, origin: scope.origin)
    try child.declareUndismissed(by: scope.origin)
    var parts = try parts(scope, child, &builder)
    let base = try compile(scope.base, &builder)
    if let (get, set) = scope.functions {
      let owner = modules.vm.arena.pointee.owner(named: builder.name ?? "the parent's")
      parts.state = StateAccess(get: get, set: set, owner: owner)
    }
    return ScopeNode(base, parts, .always)
  }
}

/// Runs a child on a part of the state, then the parent. As TCA's `Scope`.
final class ScopeNode: ChildNode {
  override func reduceChild(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    if child.state.isPath { return try super.reduceChild(context, draft, action) }
    guard let childDraft = try child.state.childDraft(context, draft) else {
      try warnAbsent(context, draft)
      return .none
    }
    let effect = try child.run(context, childDraft, action)
    try putBack(context, draft, childDraft)
    return effect.isNone ? .none : try child.nested(effect, context, childDraft)
  }

  @inline(never)
  override func warnAbsent(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) {
    let origin = try child.domain.domain().optionalOrigin ?? origin
    context.warn(
      .absentChild,
      """
      \(origin): the action \"\(context.actionPath ?? child.action)\" was sent to a child whose state \
      (\(child.state.description)) is absent or no table. Check the key; else either the child's state was removed before \
      the action arrived, or the action was sent while there was no child; guard the sender, or give the state a \
      value first
      """, origin: origin)
  }

  /// Settles the child's state that a script's `get` returned, and passes it to the script's `set`.
  @inline(never)
  private func putBack(
    _ context: ReduceContext, _ draft: Int32, _ childDraft: Int32
  ) throws(ScriptError) {
    let current = try context.currentValue(of: childDraft)
    if let root = child.domain.rootToSettle,
      let settled = try root.settle(context, old: .absent, new: current)
    {
      try context.replace(childDraft, by: settled)
    }
    try child.state.writeBack(context, draft, childDraft)
  }
}

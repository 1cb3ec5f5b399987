import LuaBridge

extension Reducer {
  /// Runs `child` on the object at `key` while it is there, for actions
  /// `{ type = action, action = … }`, then `self`. As TCA's `ifLet` over presentation state.
  ///
  /// The action `"<action>.dismiss"` runs `self`, which sees the child one last time, and then
  /// removes the child, unless `self` put a child of another identity there. Null counts as absent,
  /// and is removed when an action ends. A child's identity is its case, if it has cases, and its
  /// `id`. The child's effects are cancelled when it is removed or its identity changes. It is a
  /// warning to send an action for a child that is absent. `child` may be ``ephemeral``.
  ///
  /// ```swift
  /// Reducer.script("inventory")
  ///   .ifLet("destination", .cases(["add": .script("item_form"), "alert": .ephemeral]))
  /// ```
  ///
  /// - Parameters:
  ///   - key: the dotted path of the object.
  ///   - action: the type of the child's actions; by default the last segment of `key`.
  ///   - child: the reducer of the child.
  ///   - file: the file that calls this, for messages.
  ///   - line: the line that calls this, for messages.
  public func ifLet(
    _ key: String, action: String? = nil, _ child: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    attaching(
      child, at: Reducer.path(key), action: action, origin: "ifLet at \(file):\(line)",
      ReducerCompiler.ifLet)
  }
}

extension ReducerCompiler {
  func ifLet(
    _ ifLet: ChildOperator, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let child = try reference(to: ifLet.child, origin: ifLet.origin)
    try child.reserve(["dismiss"], refusing: "dismiss", origin: ifLet.origin)
    let parts = try parts(ifLet, child, &builder)
    return IfLetNode(try compile(ifLet.base, &builder), parts)
  }
}

/// Runs a child that may be absent, then the parent. As TCA's `ifLet` over `PresentationState`.
final class IfLetNode: ChildNode {
  init(_ base: ReducerNode, _ parts: ChildParts) {
    super.init(base, parts, .optional)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == child.type else { return try base.reduce(context, draft, action) }
    let nested = context.keys.action.value(in: action.slot)
    let type = context.keys.type.value(in: nested)
    if type.isText("dismiss") { return try dismiss(context, draft, action) }
    guard nested.isContainer, let childDraft = try child.state.childDraft(context, draft) else {
      return try super.reduce(context, draft, action)
    }
    let effect = try child.reduce(context, childDraft, nested)
    if let name = child.domain.made?.ephemeralCase(of: type) {
      return try reduceEphemeral(context, draft, action, child: childDraft, case: name)
    }
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  /// Runs the parent, which sees the child one last time, and then removes the child.
  @inline(never)
  private func dismiss(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard let childDraft = try child.state.childDraft(context, draft) else {
      context.warn(
        .notPresented,
        """
        \(origin): the action \"\(context.actionPath ?? "\(child.action).dismiss")\" was sent while nothing is \
        presented at \(child.state.description). Either it was dismissed before, or the parent let go of it itself; send \
        it only while there is a child
        """, origin: origin)
      return try base.reduce(context, draft, action)
    }
    _ = try child.domain.domain()
    let before = child.identity(of: try context.currentValue(of: childDraft), context)
    let effect = try base.reduce(context, draft, action)
    if let left = try child.state.childDraft(context, draft),
      child.identity(of: try context.currentValue(of: left), context) == before
    {
      child.state.remove(context, from: draft)
    }
    return effect
  }

  @inline(never)
  override func warnAbsent(_ context: ReduceContext, _ draft: Int32) {
    context.warn(
      .absentChild,
      """
      \(origin): the action \"\(context.actionPath ?? child.action)\" was sent to a child while \(child.state.description) is \
      absent or no table: nothing is presented. Either a parent let go of the child before its reducer ran (let the child's run \
      first, as ifLet does), or the action was sent by something that outlived the child; send it only while the \
      child is there
      """, origin: origin)
  }

  // MARK: Ephemeral children

  /// Runs the parent, and then removes the child unless the parent has assigned it again.
  ///
  /// - Parameter name: the child's case; empty if the child has no cases.
  @inline(never)
  private func reduceEphemeral(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor,
    child childDraft: Int32, case name: String
  ) throws(ScriptError) -> ReturnedEffects {
    let before = content(name, try context.currentValue(of: childDraft)).retained()
    defer { before.release() }
    // The child's reducer has already warned of a case that is absent.
    guard !before.isAbsent else { return try base.reduce(context, draft, action) }
    var own = childDraft
    if !name.isEmpty, case .draft(let inner) = context.child(of: childDraft, named: name) {
      own = inner
    }
    let effect = try base.reduce(context, draft, action)
    guard let left = try child.state.childDraft(context, draft) else { return effect }
    let after = content(name, try context.currentValue(of: left))
    let isUntouched =
      context.arena.pointee.isInside(own, draft) || after.isIdentical(to: before)
    if isUntouched && !after.isAbsent { child.state.remove(context, from: draft) }
    return effect
  }

  private func content(_ name: String, _ state: Slot) -> Slot {
    name.isEmpty ? state : state.field(named: name)
  }

  // MARK: After an action

  override var ownTraits: Traits { .settles }

  /// Removes a child that is null.
  override func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    guard child.state.childState(in: new).tag == .null else {
      return try super.settleOwn(context, old: old, new: new)
    }
    return child.state.replacing(in: new, by: .absent)
  }
}

import LuaBridge

extension Reducer {
  /// Runs `child` on the state's case `name` while the state is in that case, for actions
  /// `{ type = name, action = … }`, then `self`. The state is tagged: an object with its case as
  /// the only key. As TCA's `ifCaseLet`.
  ///
  /// The child's effects are cancelled when the case changes. It is a warning to send an action for
  /// a case that the state is not in. An action that leaves a state with more than one key, or with
  /// none, is rolled back.
  ///
  /// ```swift
  /// Reducer.reduce { state, action in … }
  ///   .ifCaseLet("login", .script("login"))
  ///   .ifCaseLet("newGame", .script("new_game"))
  /// ```
  public func ifCaseLet(
    _ name: String, _ child: Reducer, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    attaching(
      child, at: [name], action: name, origin: "ifCaseLet at \(file):\(line)",
      ReducerCompiler.ifCaseLet)
  }
}

extension ReducerCompiler {
  func ifCaseLet(
    _ ifCaseLet: ChildOperator, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.isTagged = true
    let child = try reference(to: ifCaseLet.child, origin: ifCaseLet.origin)
    try child.declareUndismissed(by: ifCaseLet.origin)
    return IfCaseLetNode(try parts(ifCaseLet, child, &builder), idKey: builder.idKey)
  }
}

/// Runs a child on one case of a tagged state, then the parent. As TCA's `ifCaseLet`.
final class IfCaseLetNode: ChildNode {
  private let idKey: [UInt8]?

  /// - Parameter idKey: the key that may stand beside the case; for elements only.
  init(_ parts: ChildParts, idKey: String?) {
    self.idKey = idKey.map { Array($0.utf8) }
    super.init(parts)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == type else { return try base.reduce(context, draft, action) }
    let nested = context.keys.action.value(in: action.slot)
    guard nested.isContainer else {
      bare.warn(context, nested, type, like: "\(self.action).…", origin)
      return try base.reduce(context, draft, action)
    }
    guard let childDraft = try state.childDraft(context, draft) else {
      context.warnOtherCase(
        self.action, TaggedStateReport(try context.currentValue(of: draft), ignoring: idKey),
        origin: origin)
      return try base.reduce(context, draft, action)
    }
    let effect = try child.reduce(context, childDraft, nested)
    if effect.isNone { return try base.reduce(context, draft, action) }
    return try self.nested(effect, context, childDraft)
      .followed(by: try base.reduce(context, draft, action))
  }

  override func add(to settling: inout SettlingFacts) { settling.settles = true }

  override func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    guard KeyMatcher.only(in: new, ignoring: idKey) != nil else {
      throw TaggedStateReport(new, ignoring: idKey).refusal(origin: origin)
    }
    return try super.settle(context, old: old, new: new)
  }

  override func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    if walk.checks && KeyMatcher.only(in: state, ignoring: idKey) == nil {
      throw walk.refusal(
        "cannot be held: "
          + TaggedStateReport(state, ignoring: idKey).refusal(origin: origin).message)
    }
    return try super.walk(walk, state)
  }
}

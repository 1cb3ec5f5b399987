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
    let parts = try parts(ifCaseLet, child, &builder)
    return IfCaseLetNode(
      try compile(ifCaseLet.base, &builder), parts, idKey: builder.idBytes)
  }
}

/// Runs a child on one case of a tagged state, then the parent. As TCA's `ifCaseLet`.
final class IfCaseLetNode: ChildNode {
  private let idKey: [UInt8]?

  /// - Parameter idKey: the key that may stand beside the case; for elements only.
  init(_ base: ReducerNode, _ parts: ChildParts, idKey: [UInt8]?) {
    self.idKey = idKey
    super.init(base, parts, .inCase)
  }

  override func warnAbsent(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) {
    context.warnOtherCase(
      child.action, TaggedStateReport(try context.currentValue(of: draft), ignoring: idKey),
      origin: origin)
  }

  override var ownTraits: Traits { .settles }

  override func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    try check(new)
    return try super.settleOwn(context, old: old, new: new)
  }

  override func walkOwn(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    if walk.checks { try walk.refusing { () throws(ScriptError) in try check(state) } }
    return nil
  }

  /// Throws if a state (+0) is not in exactly one case.
  private func check(_ state: Slot) throws(ScriptError) {
    guard state.onlyMember(ignoring: idKey) == nil else { return }
    throw TaggedStateReport(state, ignoring: idKey).refusal(origin: origin)
  }
}

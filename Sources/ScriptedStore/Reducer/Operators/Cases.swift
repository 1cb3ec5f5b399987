import LuaBridge

extension Reducer {
  /// Runs the reducer of the case that the state is in. The state is tagged: an object with its
  /// case as the only key, as `{ edit = { … } }`. A case's actions are
  /// `{ type = <case>, action = … }`. As TCA's enum reducers.
  ///
  /// It stands under ``ifLet(_:action:_:file:line:)``, ``stack(_:action:_:file:line:)`` or
  /// ``scope(_:action:_:file:line:)``, or by itself. A case's effects are cancelled when the state
  /// changes to another case, or when the case's state gets another `id`. It is a warning to send
  /// an action for a case that the state is not in. An action is rolled back if it leaves a state
  /// with a case that is not listed here, with more than one key, or with none.
  ///
  /// ```swift
  /// .cases(["add": .script("item_form"), "detail": .ignored, "alert": .ephemeral])
  /// ```
  public static func cases(
    _ cases: KeyValuePairs<String, Reducer>, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let origin = "cases at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.cases(cases.map { ($0.key, .swift($0.value)) }, origin, &builder)
    }
  }
}

extension ReducerCompiler {
  func cases(
    _ cases: [(name: String, reducer: ReducerSource)], _ origin: String,
    _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    var children: [NodeChild] = []
    for (name, reducer) in cases {
      let child = try reference(to: reducer, origin: origin)
      let type = try builder.vocabulary.add(child: child, named: name, origin: origin)
      if let made = child.made, made.root.isBareValue {
        if made.isEphemeral { builder.ephemeral.add(name) }
      } else {
        try child.declareUndismissed(by: origin)
      }
      let parts = ChildParts(
        child: child, state: StateAccess(path: [name]), type: type, action: name,
        vocabulary: builder.vocabulary, origin: origin)
      children.append(NodeChild(parts, .inCase, isCase: true))
    }
    builder.isTagged = true
    return CasesNode(children, idKey: builder.idBytes, origin: origin)
  }
}

extension LuaTable {
  /// The cases of a script's `cases`.
  func cases() throws(ScriptError) -> [(name: String, reducer: ReducerSource)] {
    var cases: [(name: String, reducer: ReducerSource)] = []
    for case .table(let entry) in try list("cases") {
      cases.append((try entry.string("name") ?? "", .lua(try entry.get("reducer"))))
    }
    return cases
  }
}

/// Runs the reducer of the case that the state is in. The state is tagged: an object with its case
/// as the only key. As TCA's enum reducers.
final class CasesNode: ReducerNode {
  private let tags: [[UInt8]]
  private let idKey: [UInt8]?

  /// - Parameter idKey: the key that may stand beside the case; for elements only.
  init(_ cases: [NodeChild], idKey: [UInt8]?, origin: String) {
    tags = cases.map { Array($0.action.utf8) }
    self.idKey = idKey
    super.init(origin: origin, children: cases)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard let child = children.first(where: { $0.type == action.type }),
      let nested = child.nestedAction(of: action.slot, context)
    else { return .none }
    if child.isValue {
      switch context.arena.pointee.child(of: draft, key: child.state.keys[0]) {
      case .draft, .scalar: return .none
      default: break
      }
    } else if let childDraft = try child.state.childDraft(context, draft) {
      return try child.reduce(context, childDraft, nested)
    }
    context.warnOtherCase(
      child.action, TaggedStateReport(try context.currentValue(of: draft), ignoring: idKey),
      origin: origin)
    return .none
  }

  override var outline: NodeOutline {
    var outline = NodeOutline(kind: "cases")
    for child in children {
      if child.isValue {
        outline.actions.append(child.action)
      } else {
        outline.children.append((child.action, child.domain))
      }
    }
    return outline
  }

  // MARK: After an action

  override var ownTraits: Traits { .settles }

  /// The case that a state (+0) is in, and its value (+0).
  private func present(in state: Slot) throws(ScriptError) -> (child: NodeChild, value: Slot) {
    guard let (key, _) = state.onlyMember(ignoring: idKey),
      let tag = tags.firstIndex(where: { $0.elementsEqual(key.stringBytes) })
    else {
      throw TaggedStateReport(state, ignoring: idKey).refusal(
        origin: origin, cases: children.map(\.action))
    }
    return (children[tag], children[tag].state.childState(in: state))
  }

  override func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let (child, value) = try present(in: new)
    guard child.isValue || value.isContainer else {
      throw ScriptError(
        "\(origin): the state of the case '\(child.action)' must be a table, not \(Value(borrowing: value))"
      )
    }
    return nil
  }

  override func walkOwn(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    guard walk.checks else { return nil }
    let (child, value) = try walk.refusing { () throws(ScriptError) in try present(in: state) }
    guard child.isValue || value.isContainer else {
      throw walk.refusal(
        "must be a table (\(origin)), not \(Value(borrowing: value))", at: ".\(child.action)")
    }
    return nil
  }
}

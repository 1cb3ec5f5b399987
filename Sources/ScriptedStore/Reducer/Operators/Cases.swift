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
    var nodes: [CasesNode.Case] = []
    for (name, reducer) in cases {
      nodes.append(try self.case(name, reducer, origin, &builder))
    }
    builder.isTagged = true
    return CasesNode(nodes, bare: builder.bare, idKey: builder.idKey, origin: origin)
  }

  private func `case`(
    _ name: String, _ reducer: ReducerSource, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> CasesNode.Case {
    let child = try reference(to: reducer, origin: origin)
    let type = try builder.child(name, child, origin: origin)
    guard let root = child.domainIfMade?.root, root is IgnoredNode else {
      try child.declareUndismissed(by: origin)
      return CasesNode.Case(name, type: type, .child(child))
    }
    if root is EphemeralNode { builder.ephemeral.add(name) }
    return CasesNode.Case(name, type: type, .value)
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
  final class Case {
    let name: String
    let key: FieldKey
    /// The number of the type of the case's actions.
    let type: Int
    let content: Content
    /// The reference in ``content``, borrowed (+0), to use it without reference counting.
    let child: Unmanaged<DomainReference>?

    init(_ name: String, type: Int, _ content: Content) {
      self.name = name
      key = FieldKey(name)
      self.type = type
      self.content = content
      child = if case .child(let child) = content { .passUnretained(child) } else { nil }
    }

    /// A tagged state with another value of this case, owned (+1). Consumes `owned` (+1).
    func replacing(in state: Slot, by owned: Slot) -> Slot {
      var object = ObjectTree(borrowing: state)
      if let position = object.position(of: key.bytes) { object.set(position, owned) }
      return object.ownedSlot()
    }
  }

  enum Content {
    case child(DomainReference)
    /// A value of any kind; no reducer runs on it.
    case value
  }

  private let cases: [Case]
  /// The cases by the number of their type. They are borrowed (+0); ``cases`` retains them.
  private let byType: [Unmanaged<Case>?]
  private let tags: KeyMatcher
  private let idKey: [UInt8]?
  private let bare: BareTypes
  private var cachedInspects: Bool?

  /// - Parameter idKey: the key that may stand beside the case; for elements only.
  init(_ cases: [Case], bare: BareTypes, idKey: String?, origin: String) {
    self.cases = cases
    self.bare = bare
    var byType: [Unmanaged<Case>?] = Array(
      repeating: nil, count: (cases.map(\.type).max() ?? -1) + 1)
    for entry in cases { byType[entry.type] = .passUnretained(entry) }
    self.byType = byType
    tags = KeyMatcher(cases.map(\.name), ignoring: idKey)
    self.idKey = idKey.map { Array($0.utf8) }
    super.init(origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type >= 0 && action.type < byType.count, let entry = byType[action.type] else {
      return .none
    }
    let slot = action.slot
    return try entry.borrow { (entry) throws(ScriptError) in
      try reduce(entry, context, draft, slot)
    }
  }

  @inline(__always)
  private func reduce(
    _ entry: Case, _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let nested = context.keys.action.value(in: action)
    guard nested.isContainer else {
      bare.warn(context, nested, entry.type, like: "\(entry.name).…", origin)
      return .none
    }
    let found = context.arena.pointee.child(of: draft, key: entry.key)
    if let child = entry.child, case .draft(let childDraft) = found {
      let effect = try child.borrow { (child) throws(ScriptError) in
        try child.reduce(context, childDraft, nested)
      }
      if effect.isNone { return .none }
      return try self.nested(effect, entry, context, childDraft)
    }
    switch (found, entry.content) {
    case (.draft, .value), (.scalar, .value): break
    default:
      context.warnOtherCase(
        entry.name, TaggedStateReport(try context.currentValue(of: draft), ignoring: idKey),
        origin: origin)
    }
    return .none
  }

  /// Wraps the effects of a case, which are not `none`, in its place. `childDraft` is read after
  /// its reducer ran.
  @inline(never)
  private func nested(
    _ effect: ReturnedEffects, _ entry: Case, _ context: ReduceContext, _ childDraft: Int32
  ) throws(ScriptError) -> ReturnedEffects {
    let identity = context.keys.id.value(in: try context.currentValue(of: childDraft))
    return effect.nested(
      in: ChildPlace(
        node: .passUnretained(self), type: entry.name, id: nil, key: nil,
        identity: Value(ifPresent: identity)))
  }

  override func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    if state.isAbsent { return body(.absent) }
    let found = state.field(named: child.type)
    guard found.isContainer,
      Value(ifPresent: context.keys.id.value(in: found)) == child.identity
    else { return }
    body(found)
  }

  override var outline: NodeOutline {
    var outline = NodeOutline(kind: "cases")
    for entry in cases {
      switch entry.content {
      case .child(let child): outline.children.append((entry.name, child))
      case .value: outline.actions.append(entry.name)
      }
    }
    return outline
  }

  // MARK: Views

  override func placed(as action: String) -> ReducerNode? {
    action.isEmpty || cases.contains { $0.name == action } ? self : nil
  }

  override func viewChild(
    _ action: String, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    let tag = tags.tag(of: state)
    guard tag >= 0, action.isEmpty || cases[tag].name == action else { return nil }
    let found = cases[tag].key.value(in: state)
    switch cases[tag].content {
    case .child(let child):
      return ViewChild(
        state: found.retained(), domain: try child.domain(), action: cases[tag].name)
    case .value:
      return ViewChild(state: found.retained(), domain: nil, action: cases[tag].name)
    }
  }

  // MARK: Shared values

  override func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    for entry in cases {
      guard case .child(let child) = entry.content else { continue }
      child.addShared(to: fields.container(at: [entry.name]), sharing)
    }
  }

  override var hasReactions: Bool {
    cases.contains { entry in
      guard case .child(let child) = entry.content else { return false }
      return child.hasReactions
    }
  }

  override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    for entry in cases {
      guard case .child(let child) = entry.content, child.hasReactions,
        case .draft(let childDraft) = context.arena.pointee.child(of: draft, key: entry.key)
      else { continue }
      let effect = try child.domain().root.react(
        context, childDraft, old: entry.key.value(in: old), action)
      return effect.isNone ? .none : try nested(effect, entry, context, childDraft)
    }
    return .none
  }

  // MARK: After an action

  override func add(to settling: inout SettlingFacts) { settling.settles = true }

  override func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    let arena = context.arena
    return arena.pointee.isReshaped(draft)
      || cases.contains { entry in
        guard case .child(let child) = entry.content,
          let childDraft = arena.pointee.reshapedChild(of: draft, key: entry.key)
        else { return false }
        return child.isAffected(context, childDraft)
      }
  }

  override func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let tag = tags.tag(of: new)
    guard tag >= 0 else {
      throw TaggedStateReport(new, ignoring: idKey).refusal(
        origin: origin, cases: cases.map(\.name))
    }
    guard case .child(let child) = cases[tag].content else { return nil }
    let after = cases[tag].key.value(in: new)
    guard after.isContainer else {
      throw ScriptError(
        "\(origin): the state of the case '\(cases[tag].name)' must be a table, not \(Value(borrowing: after))"
      )
    }
    let before = tags.tag(of: old) == tag ? cases[tag].key.value(in: old) : .absent
    guard !after.isIdentical(to: before), let root = child.rootToSettle(context),
      let settled = try root.settle(context, old: before, new: after)
    else { return nil }
    return cases[tag].replacing(in: new, by: settled)
  }

  override func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    let tag = tags.tag(of: state)
    guard tag >= 0 else {
      guard walk.checks else { return nil }
      let refusal = TaggedStateReport(state, ignoring: idKey).refusal(
        origin: origin, cases: cases.map(\.name))
      throw walk.refusal("cannot be held: \(refusal.message)")
    }
    guard case .child(let child) = cases[tag].content else { return nil }
    let found = cases[tag].key.value(in: state)
    let path = ".\(cases[tag].name)"
    guard found.isContainer else {
      guard walk.checks else { return nil }
      throw walk.refusal("must be a table (\(origin)), not \(Value(borrowing: found))", at: path)
    }
    let root = try child.domain().root
    let new = try walk.under(path, [cases[tag].name]) { () throws(ScriptError) in
      try root.walk(walk, found)
    }
    guard let new else { return nil }
    return cases[tag].replacing(in: state, by: new)
  }

  override var inspects: Bool {
    if let cachedInspects { return cachedInspects }
    // Until a child is made it is unknown whether it inspects.
    let isKnown = cases.allSatisfy { entry in
      guard case .child(let child) = entry.content else { return true }
      return child.domainIfMade != nil
    }
    let inspects = someCaseInspects
    if isKnown { cachedInspects = inspects }
    return inspects
  }

  private var someCaseInspects: Bool {
    cases.contains { entry in
      guard case .child(let child) = entry.content else { return false }
      return child.domainIfMade?.root.inspects ?? true
    }
  }

  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    let effects = context.effects
    let (tag, oldTag) = (tags.tag(of: new), tags.tag(of: old))
    if let effects, oldTag >= 0 {
      let key = context.keys.id.value(in: cases[oldTag].key.value(in: old))
      let isSame =
        tag == oldTag
        && Value(ifPresent: key)
          == Value(ifPresent: context.keys.id.value(in: cases[tag].key.value(in: new)))
      if !isSame { effects.child(cases[oldTag].name, nil)?.cancelAll() }
    }
    guard tag >= 0, case .child(let child) = cases[tag].content else { return }
    let after = cases[tag].key.value(in: new)
    let before = tag == oldTag ? cases[tag].key.value(in: old) : .absent
    let place = effects?.child(cases[tag].name, nil)
    guard after.isContainer, !after.isIdentical(to: before),
      let root = child.domainToInspect?.root, root.inspects || place != nil
    else { return }
    context.effects = place
    root.inspect(context, old: before, new: after)
    context.effects = effects
  }
}

import LuaBridge

extension Reducer {
  /// Runs `element` on one element, for actions `{ type = action, id = …, action = … }`, then
  /// `self`. At `key` there is an array, whose element has the action's id, or an object, which has
  /// the id as a key. As TCA's `forEach`. O(log n) in the length of the array.
  ///
  /// ```swift
  /// Reducer.script("todos").forEach("todos", .script("todo"))
  /// ```
  ///
  /// - Parameters:
  ///   - key: the dotted path of the array or object.
  ///   - action: the type of the elements' actions; by default the last segment of `key`.
  ///   - id: the field that identifies an element of an array.
  ///   - element: the reducer of an element.
  ///   - file: the file that calls this, for messages.
  ///   - line: the line that calls this, for messages.
  public func forEach(
    _ key: String, action: String? = nil, id: String = "id", _ element: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    attaching(
      element, at: Reducer.path(key), action: action, id: id, origin: "forEach at \(file):\(line)",
      ReducerCompiler.forEach)
  }
}

extension ReducerCompiler {
  func forEach(
    _ forEach: ChildOperator, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let element = try reference(to: forEach.child, idKey: forEach.idKey, origin: forEach.origin)
    try element.declareUndismissed(by: forEach.origin)
    return ForEachNode(try parts(forEach, element, &builder), idKey: forEach.idKey)
  }
}

/// Runs a reducer on the element that an action addresses, then the parent. The elements are those
/// of a list, by id, or of an object, by key. As TCA's `forEach` over an `IdentifiedArray`, and its
/// older `forEach` over a dictionary.
class ForEachNode: ReducerNode {
  final let base: ReducerNode
  final let element: DomainReference
  final let state: StateAccess
  final let type: Int
  final let action: String
  final let idKey: FieldKey
  private let bare: BareTypes
  /// For a stack: the override that sets `deps.isPresented` for the elements, owned (+1). It is
  /// unmanaged, because overrides have weak references, which slow down reference counting.
  private let presented: Unmanaged<DependencyOverride>?

  /// - Parameter presentation: how the elements can be dismissed; nil if they cannot.
  init(_ parts: ChildParts, idKey: String, presentation: Presentation? = nil) {
    base = parts.base
    element = parts.child
    state = parts.state
    type = parts.type
    action = parts.action
    self.idKey = FieldKey(idKey)
    bare = parts.bare
    presented = presentation.map { _ in
      .passRetained(Presentation.override(origin: parts.origin))
    }
    super.init(origin: parts.origin)
  }

  deinit { presented?.release() }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == type else { return try base.reduce(context, draft, action) }
    return try reduce(context, draft, action, id: context.keys.id.value(in: action.slot))
  }

  /// Reduces an action of this operator. `id` is the id in the action, borrowed (+0).
  @inline(__always)
  final func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor, id: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let nested = context.keys.action.value(in: action.slot)
    guard nested.isContainer else {
      bare.warn(context, nested, type, like: "\(self.action)[ID].…", origin)
      return try base.reduce(context, draft, action)
    }
    let effect = try reduceElement(context, draft, id: id, nested)
    if effect.isNone { return try base.reduce(context, draft, action) }
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  @inline(__always)
  private func reduceElement(
    _ context: ReduceContext, _ draft: Int32, id: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let collection = try state.childDraft(context, draft) else {
      warnNoCollection(context)
      return .none
    }
    let container = context.arena.pointee.peek(collection)
    guard let elementDraft = try open(context, collection, container, id) else {
      warnMissing(context, id, container)
      return .none
    }
    let outer = context.elementPathHash
    context.elementPathHash = ForEachNode.hash(outer, id, in: container)
    defer { context.elementPathHash = outer }
    let effect = try reduceElement(context, elementDraft, action)
    if effect.isNone { return .none }
    return nested(effect, context, collection, id)
  }

  /// Wraps the effects of an element, which are not `none`, in its place. `id` is borrowed (+0).
  @inline(never)
  final func nested(
    _ effect: ReturnedEffects, _ context: ReduceContext, _ collection: Int32, _ id: Slot
  ) -> ReturnedEffects {
    let isList = context.arena.pointee.peek(collection).tag == .list
    let id = Value(borrowing: id)
    return effect.nested(
      in: ChildPlace(
        node: .passUnretained(self), type: self.action, id: id,
        key: isList ? id : ForEachNode.key(of: id), identity: nil,
        presentation: presented.map { _ in .stacked }))
  }

  @inline(__always)
  private func reduceElement(
    _ context: ReduceContext, _ elementDraft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    try presenting(context) { () throws(ScriptError) in
      try element.reduce(context, elementDraft, action)
    }
  }

  /// Runs `body` with `deps.isPresented` set, if this is a stack.
  @inline(__always)
  final func presenting(
    _ context: ReduceContext, _ body: () throws(ScriptError) -> ReturnedEffects
  ) throws(ScriptError) -> ReturnedEffects {
    guard let presented else { return try body() }
    return try context.overriding(presented, body)
  }

  /// The key that an id stands for in an object; nil if it stands for none.
  static func key(of id: Value) -> Value? {
    let slot = id.ownedSlot()
    defer { slot.release() }
    return key(of: slot).map { .string($0) }
  }

  override final func withChild(
    _ child: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    if state.isAbsent { return body(.absent) }
    guard let key = child.key else { return }
    let collection = self.state.childState(in: state)
    let id = key.ownedSlot()
    defer { id.release() }
    let found = element(with: id, in: collection, context)
    guard found.isContainer else { return }
    let outer = context.elementPathHash
    context.elementPathHash = ElementIndexes.hash(outer, id)
    body(found)
    context.elementPathHash = outer
  }

  /// The element with an id in a committed collection; absent if there is none. All slots are
  /// borrowed (+0).
  final func element(with id: Slot, in collection: Slot, _ context: ReduceContext) -> Slot {
    guard collection.tag == .list else {
      return id.tag == .string ? collection.field(id.stringBytes) : .absent
    }
    let found = context.find(id, under: idKey, in: collection, at: listKey(context))
    return found.map { PersistentList(borrowing: collection).borrow($0.position) } ?? .absent
  }

  /// The draft of the element with this id, nil if there is none. `container` is the container of
  /// the draft `collection`. Slots are borrowed (+0).
  private func open(
    _ context: ReduceContext, _ collection: Int32, _ container: Slot, _ id: Slot
  ) throws(ScriptError) -> Int32? {
    // An element without an id cannot be addressed.
    if id.isAbsent { return nil }
    switch container.tag {
    case .list:
      let found = context.find(id, under: idKey, in: container, at: listKey(context))
      guard let found else { return nil }
      if let second = found.duplicate { warnDuplicate(context, id, found.position, second) }
      guard case .draft(let draft) = context.arena.pointee.child(of: collection, at: found.position)
      else { return nil }
      return draft
    case .object, .dictionary:
      // In an object, an integer id stands for its decimal string.
      guard var key = ForEachNode.key(of: id) else { return nil }
      let child = key.withUTF8 {
        context.arena.pointee.child(of: collection, key: UnsafeRawBufferPointer($0))
      }
      guard case .draft(let draft) = child else { return nil }
      return draft
    default:
      return nil
    }
  }

  private static func key(of id: Slot) -> String? {
    switch id.tag {
    case .string: return id.text
    case .integer: return String(id.integer)
    case .float: return Int64(exactly: id.float).map { String($0) }
    default: return nil
    }
  }

  /// The ``ReduceContext/elementPathHash`` inside the element with this id. In an object, an integer id
  /// is hashed as the key that it stands for, because `inspectObject` hashes keys. All slots are
  /// borrowed (+0).
  static func hash(_ above: UInt64, _ id: Slot, in collection: Slot) -> UInt64 {
    guard collection.tag != .list, id.tag != .string, let key = key(of: id) else {
      return ElementIndexes.hash(above, id)
    }
    let text = Value.string(key).ownedSlot()
    defer { text.release() }
    return ElementIndexes.hash(above, text)
  }

  final func listKey(_ context: ReduceContext) -> ElementIndexes.ListKey {
    ElementIndexes.ListKey(node: ObjectIdentifier(self), above: context.elementPathHash)
  }

  @inline(never)
  final func warnNoCollection(_ context: ReduceContext) {
    context.warn(
      .missingElement,
      """
      \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element of \
      \(state.description), which is absent or no table; check the key, or give it a list first
      """, origin: origin)
  }

  @inline(never)
  private func warnMissing(_ context: ReduceContext, _ id: Slot, _ container: Slot) {
    guard !id.isAbsent else {
      context.warn(
        .malformedAction,
        """
        \(origin): the action \"\(context.actionPath ?? action)\" has no id, so that no element gets it; send \
        it as \"\(action)[ID].…\", or as a table { type = "\(action)", id = ID, action = … }
        """, origin: origin)
      return
    }
    if let other = otherID(like: id, in: container) {
      context.warn(
        .missingElement,
        """
        \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element that \
        \(state.description) does not have (id \(Value(borrowing: id))). There is one with the \
        \(other.string == nil ? "number" : "text") \(other) as id, which \(action)[\(other)] reaches
        """, origin: origin)
      return
    }
    if lacksIDs(container) {
      context.warn(
        .missingElement,
        """
        \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element with the id \
        \(Value(borrowing: id)), but no element of \(state.description) has the field '\(idKey.text)'; give each element one, \
        or name the field that is the id, as { id = "uuid" }
        """, origin: origin)
      return
    }
    context.warn(
      .missingElement,
      """
      \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element that \
      \(state.description) does not have (id \(Value(borrowing: id))). Either a parent removed the element \
      before the action arrived (let the element's reducer run first, as forEach does), or an effect of the \
      element was still in flight, or the action was sent by something that outlived the element
      """, origin: origin)
  }

  /// Whether a list has elements, and none of them has an id.
  private func lacksIDs(_ container: Slot) -> Bool {
    guard container.tag == .list else { return false }
    let elements = PersistentList(borrowing: container)
    var hasID = false
    elements.visit { element in
      hasID = hasID || !element.isContainer || !idKey.value(in: element).isAbsent
    }
    return !elements.isEmpty && !hasID
  }

  /// The id of an element that is the same number as a text, or the same text as a number; nil if there is none.
  private func otherID(like id: Slot, in container: Slot) -> Value? {
    guard container.tag == .list else { return nil }
    let other: Value
    switch id.tag {
    case .integer: other = .string(String(id.integer))
    case .string:
      guard let number = Int64(id.text) else { return nil }
      other = .integer(number)
    default: return nil
    }
    let slot = other.ownedSlot()
    defer { slot.release() }
    return ElementIDs.position(of: slot, under: idKey.bytes, in: container).map { _ in other }
  }

  @inline(never)
  final func warnDuplicate(_ context: ReduceContext, _ id: Slot, _ first: Int, _ second: Int) {
    context.warn(
      .duplicateID,
      """
      \(origin): two elements of \(state.description) have the id \(Value(borrowing: id)), at the indices \
      \(min(first, second) + 1) and \(max(first, second) + 1); actions reach the first. Ids must be unique
      """, origin: origin)
  }

  override var outline: NodeOutline {
    NodeOutline(
      kind: kind, key: state.key, action: "\(action)[*]",
      parts: [base], children: [(nil, element)])
  }

  // MARK: Shared values

  override final func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    base.addShared(to: fields, sharing)
    if state.isPath {
      element.addShared(to: fields.elements(at: state.path, id: idKey.text), sharing)
    }
  }

  override final var hasReactions: Bool { base.hasReactions || element.hasReactions }

  override final func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    if element.hasReactions, state.isPath, let collection = try state.childDraft(context, draft) {
      effect = try reactElements(context, collection, old: state.childState(in: old), action)
    }
    return effect.followed(by: try base.react(context, draft, old: old, action))
  }

  // MARK: Views

  override final var view: ViewFunction? { base.view }

  override final func placed(as action: String) -> ReducerNode? {
    action == self.action ? self : base.placed(as: action)
  }

  // MARK: After an action

  override func add(to settling: inout SettlingFacts) {
    base.add(to: &settling)
    element.add(to: &settling)
  }

  override final func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    if base.isAffected(context, draft) { return true }
    switch state.reshaped(context, draft) {
    case .no: return false
    case .parent: return true
    case .child(let list):
      return context.arena.pointee.isReshaped(list)
        || context.arena.pointee.hasReshapedChild(of: list) { element.isAffected(context, $0) }
    }
  }

  override final func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let before = state.childState(in: old)
    let after = state.childState(in: new)
    var settled: Slot?
    if after.isContainer && !after.isIdentical(to: before) {
      settled = try settleElements(context, before, after)
        .map { state.replacing(in: new, by: $0) }
    }
    return try base.settle(context, old: old, new: new, after: settled)
  }

  /// Settles the elements that changed from `before` to `after`. Both are borrowed (+0). Returns
  /// the new collection, owned (+1), or nil if it stays as it is.
  func settleElements(
    _ context: ReduceContext, _ before: Slot, _ after: Slot
  ) throws(ScriptError) -> Slot? {
    guard element.rootToSettle(context) != nil else { return nil }
    return try settle(changed(before, after), context, in: after)
  }

  override final func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    try self.walk(state, after: try base.walk(walk, state)) { (state) throws(ScriptError) in
      try walkElements(walk, in: state)
    }
  }

  override final var inspects: Bool { true }

  override final func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    if base.inspects || context.effects != nil { base.inspect(context, old: old, new: new) }
    let before = state.childState(in: old)
    let after = state.childState(in: new)
    guard !after.isIdentical(to: before) else { return }
    let effects = context.effects
    let inFlight = effects?.hasPlaces(action) == true ? effects : nil
    guard after.isContainer || inFlight != nil else { return }
    let elements = element.domainToInspect?.root
    let inspected = elements?.inspects == true || inFlight != nil ? elements : nil
    if before.tag == .list || after.tag == .list {
      inspectList(context, before, after, inspected, inFlight)
    }
    if before.isObject || after.isObject {
      inspectObject(context, before, after, inspected, inFlight)
    }
    context.effects = effects
  }
}

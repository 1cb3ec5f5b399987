// `forEach` may cost more to keep up than the array and the dictionary of a plain loop. What that buys: an action
// on one element of n costs O(log n), and what follows it costs what has changed: settling, inspection,
// the index of the ids and the effects of removed elements. All of it is dropped when the action is
// rolled back, because the collection is a persistent value and the index follows committed lists.
//
// `ForEachNode` finds the element of an action. `NodeElements` has the other steps, and one way to walk:
// `forEachChange(from:to:)`, which visits all elements if there is nothing before.

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
    let parts = try parts(forEach, element, &builder)
    return ForEachNode(
      try compile(forEach.base, &builder), parts, .elements, idKey: forEach.idKey)
  }
}

/// Runs a reducer on the element that an action addresses, then the parent. The elements are those
/// of a list, by id, or of an object, by key. As TCA's `forEach` over an `IdentifiedArray`, and its
/// older `forEach` over a dictionary.
class ForEachNode: ReducerNode {
  final let base: ReducerNode
  final let elements: NodeElements

  init(_ base: ReducerNode, _ parts: ChildParts, _ presence: ChildPresence, idKey: String) {
    self.base = base
    elements = NodeElements(parts, presence, idKey: idKey)
    super.init(origin: parts.origin, parts: [base], children: [elements])
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == elements.type,
      let nested = elements.nestedAction(of: action.slot, context)
    else { return try base.reduce(context, draft, action) }
    let id = context.keys.id.value(in: action.slot)
    let effect = try reduceElement(context, draft, id: id, nested)
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  @inline(__always)
  private func reduceElement(
    _ context: ReduceContext, _ draft: Int32, id: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let collection = try elements.state.childDraft(context, draft) else {
      warnNoCollection(context)
      return .none
    }
    let container = context.arena.pointee.peek(collection)
    guard let element = elements.draft(of: id, in: collection, container, context) else {
      warnMissing(context, id, container)
      return .none
    }
    let outer = context.elementPathHash
    context.elementPathHash = NodeElements.hash(outer, id, in: container)
    defer { context.elementPathHash = outer }
    let effect = try elements.run(context, element, action)
    return effect.isNone ? .none : elements.nested(effect, id, in: container)
  }

  @inline(never)
  final func warnNoCollection(_ context: ReduceContext) {
    context.warn(
      .missingElement,
      """
      \(origin): the action \"\(context.actionPath ?? elements.action)\" was sent for an element of \
      \(elements.state.description), which is absent or no table; check the key, or give it a list first
      """, origin: origin)
  }

  @inline(never)
  private func warnMissing(_ context: ReduceContext, _ id: Slot, _ container: Slot) {
    let action = "\(origin): the action \"\(context.actionPath ?? elements.action)\""
    guard !id.isAbsent else {
      return context.warn(
        .malformedAction,
        """
        \(action) has no id, so that no element gets it; send it as \"\(elements.action)[ID].…\", or as a table \
        { type = "\(elements.action)", id = ID, action = … }
        """, origin: origin)
    }
    let (id, list) = (Value(borrowing: id), elements.state.description)
    let absent = "was sent for an element that \(list) does not have (id \(id))"
    let problem =
      if let other = otherID(like: id, in: container) {
        """
        \(absent). There is one with the \(other.string == nil ? "number" : "text") \(other) as id, which \
        \(elements.action)[\(other)] reaches
        """
      } else if lacksIDs(container) {
        """
        was sent for an element with the id \(id), but no element of \(list) has the field '\(elements.idKey.text)'; \
        give each element one, or name the field that is the id, as { id = "uuid" }
        """
      } else {
        """
        \(absent). Either a parent removed the element before the action arrived (let the element's reducer run \
        first, as forEach does), or an effect of the element was still in flight, or the action was sent by something \
        that outlived the element
        """
      }
    context.warn(.missingElement, "\(action) \(problem)", origin: origin)
  }

  /// Whether a list has elements, and none of them has an id.
  private func lacksIDs(_ container: Slot) -> Bool {
    guard container.tag == .list else { return false }
    let list = PersistentList(borrowing: container)
    var hasID = false
    list.visit { element in
      hasID = hasID || !element.isContainer || !elements.idKey.value(in: element).isAbsent
    }
    return !list.isEmpty && !hasID
  }

  /// The id of an element that is the same number as a text, or the same text as a number; nil if there is none.
  private func otherID(like id: Value, in container: Slot) -> Value? {
    guard container.tag == .list else { return nil }
    let other: Value? =
      switch id {
      case .integer(let number): .some(.string(String(number)))
      case .string(let text): Int64(text).map { .integer($0) }
      default: .none
      }
    let position = other?.withSlot {
      ElementIDs.position(of: $0, under: elements.idKey.bytes, in: container)
    }
    return position == nil ? .none : other
  }
}

/// The elements of a list or object at a path of the operator's state, as children.
final class NodeElements: NodeChild {
  /// The field that identifies an element of a list.
  let idKey: FieldKey

  init(_ parts: ChildParts, _ presence: ChildPresence, idKey: String) {
    self.idKey = FieldKey(idKey)
    super.init(parts, presence)
  }

  // MARK: Finding an element

  /// The draft of the element with this id, nil if there is none. `container` is the container of
  /// the draft `collection`. Slots are borrowed (+0).
  func draft(
    of id: Slot, in collection: Int32, _ container: Slot, _ context: ReduceContext
  ) -> Int32? {
    // An element without an id cannot be addressed.
    if id.isAbsent { return nil }
    switch container.tag {
    case .list:
      guard let found = context.indexes.find(id, under: idKey, in: container, at: listKey(context))
      else {
        return nil
      }
      if let second = found.duplicate { warnDuplicate(context, id, found.position, second) }
      guard case .draft(let draft) = context.arena.pointee.child(of: collection, at: found.position)
      else { return nil }
      return draft
    case .object, .dictionary:
      // In an object, an integer id stands for its decimal string.
      guard let key = NodeElements.key(of: id),
        case .draft(let draft) = context.child(of: collection, named: key)
      else { return nil }
      return draft
    default:
      return nil
    }
  }

  /// The element with an id in a committed collection; absent if there is none. All slots are
  /// borrowed (+0).
  private func element(with id: Slot, in collection: Slot, _ context: ReduceContext) -> Slot {
    guard collection.tag == .list else {
      return id.tag == .string ? collection.field(id.stringBytes) : .absent
    }
    let found = context.indexes.find(id, under: idKey, in: collection, at: listKey(context))
    return found.map { PersistentList(borrowing: collection).borrow($0.position) } ?? .absent
  }

  /// The key that an id stands for in an object; nil if it stands for none.
  static func key(of id: Slot) -> String? {
    switch id.tag {
    case .string: return id.text
    case .integer: return String(id.integer)
    case .float: return Int64(exactly: id.float).map { String($0) }
    default: return nil
    }
  }

  static func key(of id: Value) -> Value? {
    id.withSlot { key(of: $0) }.map { .string($0) }
  }

  /// The ``ReduceContext/elementPathHash`` inside the element with this id. In an object, an integer id
  /// is hashed as the key that it stands for, because ``forEachChange(from:to:_:_:)`` hashes keys. All
  /// slots are borrowed (+0).
  static func hash(_ above: UInt64, _ id: Slot, in collection: Slot) -> UInt64 {
    guard collection.tag != .list, id.tag != .string, let key = key(of: id) else {
      return ElementIndexes.hash(above, id)
    }
    let text = Slot.string(key)
    defer { text.release() }
    return ElementIndexes.hash(above, text)
  }

  func listKey(_ context: ReduceContext) -> ElementIndexes.ListKey {
    ElementIndexes.ListKey(node: ObjectIdentifier(self), above: context.elementPathHash)
  }

  // MARK: Effects

  /// Wraps the effects of an element, which are not `none`, in its place. `id` is borrowed (+0).
  @inline(never)
  func nested(
    _ effect: ReturnedEffects, _ id: Slot, in collection: Slot
  ) -> ReturnedEffects {
    let value = Value(borrowing: id)
    let key =
      collection.tag == .list ? value : NodeElements.key(of: id).map { .string($0) }
    return effect.nested(in: ChildPlace(self, id: value, key: key))
  }

  override func withState(
    of place: ChildPlace, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    if state.isAbsent { return body(.absent) }
    guard let id = place.key?.ownedSlot() else { return }
    defer { id.release() }
    let found = element(with: id, in: self.state.childState(in: state), context)
    guard found.isContainer else { return }
    let outer = context.elementPathHash
    context.elementPathHash = ElementIndexes.hash(outer, id)
    body(found)
    context.elementPathHash = outer
  }

  // MARK: Changes

  /// Calls `body` with each element in the operator's state `new` that is not the same in `old`; with all elements if `old`
  /// is absent. Both are borrowed (+0).
  func forEachChange(
    from old: Slot, to new: Slot, _ context: ReduceContext,
    _ body: (Change) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    let (before, after) = (state.childState(in: old), state.childState(in: new))
    if after.isIdentical(to: before) { return }
    let outer = context.elementPathHash
    defer { context.elementPathHash = outer }
    var failure: ScriptError?
    func visit(_ change: Change) {
      guard failure == nil else { return }
      context.elementPathHash = ElementIndexes.hash(outer, change.id)
      do throws(ScriptError) { try body(change) } catch { failure = error }
    }
    if after.tag == .list {
      ListChange(from: before, to: after).forEachElement(idKey.bytes) { position, old, new in
        visit(Change(position: position, id: idKey.value(in: new), old: old, new: new))
      }
    } else if after.isObject {
      NodeElements.forEachChange(ofFields: before, ObjectTree(borrowing: after), after, visit)
    }
    if let failure { throw failure }
  }

  /// Visits the fields of an object that are not the same in `before`.
  private static func forEachChange(
    ofFields before: Slot, _ object: ObjectTree, _ after: Slot, _ visit: (Change) -> Void
  ) {
    func add(_ key: Slot) {
      guard let position = object.position(of: key.stringBytes) else { return }
      let (old, new) = (before.field(key.stringBytes), object.borrow(position))
      if new.isIdentical(to: old) { return }
      visit(Change(position: position, id: object.keySlot(position), old: old, new: new))
    }
    guard let keys = ObjectTree.changedKeys(from: before, to: after) else {
      return object.visit { key, _ in add(key) }
    }
    for key in keys {
      let key = Slot.string(key)
      add(key)
      key.release()
    }
  }

  override func replaceChanges(
    from old: Slot, to new: Slot, _ context: ReduceContext,
    _ change: (Change) throws(ScriptError) -> Slot?
  ) throws(ScriptError) -> Slot? {
    var replaced: [(position: Int, slot: Slot)] = []
    do throws(ScriptError) {
      try forEachChange(from: old, to: new, context) { (element) throws(ScriptError) in
        if let slot = try change(element) { replaced.append((element.position, slot)) }
      }
    } catch {
      for (_, slot) in replaced { slot.release() }
      throw error
    }
    return replaced.isEmpty ? nil : replacing(replaced, in: new)
  }

  /// The operator's state (+0) with other elements, owned (+1). Consumes these (+1).
  func replacing(
    _ children: [(position: Int, slot: Slot)], in parent: Slot
  ) -> Slot {
    let collection = state.childState(in: parent)
    if collection.tag == .list {
      var list = PersistentList(borrowing: collection)
      for (position, slot) in children { list.set(position, slot) }
      return state.replacing(in: parent, by: list.ownedSlot())
    }
    var object = ObjectTree(borrowing: collection)
    for (position, slot) in children { object.set(position, slot) }
    return state.replacing(in: parent, by: object.ownedSlot())
  }

  override func isChildAffected(_ context: ReduceContext, _ collection: Int32) -> Bool {
    context.arena.pointee.isReshaped(collection)
      || context.arena.pointee.hasReshapedChild(of: collection) {
        domain.isAffected(context, $0)
      }
  }

  override var traits: ReducerNode.Traits { super.traits.union(.inspects) }

  /// Updates the index of the list, cancels the effects of elements that are gone, warns of ids that
  /// several elements have, and inspects the elements that have changed.
  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    let (before, after) = (state.childState(in: old), state.childState(in: new))
    guard !after.isIdentical(to: before) else { return }
    let effects = context.effects
    let inFlight = effects?.hasPlaces(action) == true ? effects : nil
    guard after.isContainer || inFlight != nil else { return }
    func removed(_ id: Slot) { inFlight?.child(action, Value(borrowing: id))?.cancelAll() }
    var duplicates: [ElementIndex.Duplicate] = []
    if before.tag == .list || after.tag == .list {
      duplicates = context.indexes.update(
        from: before, to: after, under: idKey.bytes, at: listKey(context),
        removed: inFlight == nil ? nil : removed)
    }
    if inFlight != nil && before.isObject {
      ObjectTree.forEachRemovedKey(from: before, to: after, removed)
    }
    if inFlight != nil || domain.domainOrNil?.root.inspects == true {
      // No child throws here.
      try? forEachChange(from: old, to: new, context) { (child) throws(ScriptError) in
        inspectElement(child, inFlight, before, context)
      }
    }
    context.effects = effects
    for duplicate in duplicates {
      let element = PersistentList(borrowing: after).borrow(duplicate.second)
      warnDuplicate(context, idKey.value(in: element), duplicate.first, duplicate.second)
    }
  }

  private func inspectElement(
    _ child: Change, _ inFlight: EffectPlace?, _ before: Slot, _ context: ReduceContext
  ) {
    let place = inFlight?.child(action, Value(ifPresent: child.id))
    guard child.old.isAbsent, before.tag == .list, place?.hasChildren == true else {
      return inspect(child, at: place, context)
    }
    // The element has moved, or it is new. Places below it need its old version to find children that
    // are gone.
    let found = ElementIDs.firstAndDuplicate(of: child.id, under: idKey.bytes, in: before)
    let old = found.map { PersistentList(borrowing: before).borrow($0.position) } ?? .absent
    if child.new.isIdentical(to: old) { return }
    inspect(Change(id: child.id, old: old, new: child.new), at: place, context)
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

  // MARK: Reloading

  override var container: String { "list" }
  override func mayBe(_ found: Slot) -> Bool { found.isAbsent }

  override func check(_ collection: Slot, in parent: Slot, _ walk: StateWalk) throws(ScriptError) {
    let isList = collection.tag == .list
    var seen: [Value: String] = [:]
    try forEachChange(from: .absent, to: parent, walk.context) { (child) throws(ScriptError) in
      let segment = segment(of: child, isList: isList)
      guard child.new.isContainer else {
        throw walk.refusal(
          "must be a table (\(origin)), not \(Value(borrowing: child.new))", at: segment)
      }
      guard isList else { return }
      guard !child.id.isAbsent, child.id.tag != .null else {
        // Settling gives ids to elements of a stack.
        if presentation == .stacked { return }
        throw walk.refusal("has no '\(idKey.text)', by which \(origin) finds it", at: segment)
      }
      let id = Value(borrowing: child.id)
      if let other = seen.updateValue(segment, forKey: id) {
        throw walk.refusal(
          "has the \(idKey.text) \(id), which \(other) has (\(origin))", at: segment)
      }
    }
  }

  /// What an element adds to the path of its collection.
  private func segment(of child: Change, isList: Bool) -> String {
    isList ? "[\(child.position + 1)]" : ".\(child.id.text)"
  }

  override func walkChild(
    _ child: Change, _ walk: StateWalk, _ root: ReducerNode, isList: Bool
  ) throws(ScriptError) -> Slot? {
    guard child.new.isContainer else { return nil }
    return try walk.under(segment(of: child, isList: isList), [nil]) { () throws(ScriptError) in
      try root.walk(walk, child.new)
    }
  }

  // MARK: Shared values

  override func sharedFields(in fields: SharedFields) -> SharedFields {
    fields.elements(at: state.path, id: idKey.text)
  }

  /// Runs ``ReducerNode/react(_:_:old:_:)`` of each element. `old` is the collection from before the
  /// action, borrowed (+0). O(elements).
  override func reactChild(
    _ context: ReduceContext, _ collection: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let container = context.arena.pointee.peek(collection)
    var effect = ReturnedEffects.none
    let outer = context.elementPathHash
    defer { context.elementPathHash = outer }
    for position in 0..<NodeElements.positions(of: container) {
      guard case .draft(let draft) = context.arena.pointee.child(of: collection, at: position)
      else { continue }
      let id =
        container.tag == .list
        ? idKey.value(in: context.arena.pointee.peek(draft))
        : ObjectTree(borrowing: container).keySlot(position)
      guard !id.isAbsent else { continue }
      context.elementPathHash = outer
      let before = element(with: id, in: old, context)
      context.elementPathHash = NodeElements.hash(outer, id, in: container)
      let one = try reaction(context, draft, old: before, action)
      if !one.isNone { effect.append(nested(one, id, in: container)) }
    }
    return effect
  }

  /// The number of positions of a collection (+0), some of which may be free in a dictionary.
  private static func positions(of collection: Slot) -> Int {
    switch collection.tag {
    case .list: PersistentList.count(collection)
    case .object, .dictionary: ObjectTree(borrowing: collection).positionLimit
    default: 0
    }
  }

  // MARK: Views

  override var elements: NodeElements? { self }

  override func viewChild(
    in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? { nil }
}
